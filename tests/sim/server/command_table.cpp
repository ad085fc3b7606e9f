// All commands of the simulated server. Arity and traits are those of Redis 7.0 (COMMAND INFO).
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"

#include <array>
#include <unordered_map>

namespace redlatch::sim {
namespace {

constexpr unsigned connection_command = not_in_scripts | while_loading;
constexpr unsigned listening = not_in_scripts | while_loading | while_subscribed;

constexpr command table[] = {
    // connections
    {"auth", -2, connection_command | without_auth | while_busy, commands::auth},
    {"client", -2, connection_command, nullptr},
    {"client|getname", 2, connection_command, commands::client_getname},
    {"client|id", 2, connection_command, commands::client_id},
    {"client|info", 2, connection_command, commands::client_info},
    {"client|kill", -3, connection_command | dangerous, commands::client_kill},
    {"client|list", -2, connection_command | dangerous, commands::client_list},
    {"client|setname", 3, connection_command, commands::client_setname},
    {"echo", 2, while_loading, commands::echo},
    {"hello", -1, connection_command | without_auth | while_busy, commands::hello},
    {"ping", -1, while_subscribed | needs_disk, commands::ping},
    {"quit", -1, listening | without_auth | while_busy, commands::quit},
    {"reset", 1, listening | without_auth | while_busy, commands::reset},
    {"select", 2, while_loading, commands::select},
    // clusters
    {"asking", 1, 0, commands::asking},
    {"cluster", -2, 0, nullptr},
    {"cluster|myid", 2, while_loading, commands::cluster_myid},
    {"cluster|nodes", 2, while_loading, commands::cluster_nodes},
    // the server
    {"dbsize", 1, 0, commands::dbsize},
    {"flushall", -1, writes | dangerous, commands::flushall},
    {"flushdb", -1, writes | dangerous, commands::flushdb},
    {"info", -1, while_loading | dangerous, commands::info},
    {"role", 1, not_in_scripts | while_loading | dangerous, commands::role},
    {"sentinel", -2, while_loading | dangerous, nullptr},
    {"sentinel|get-master-addr-by-name", 3, while_loading | dangerous, commands::sentinel_address},
    {"sentinel|master", 3, while_loading | dangerous, commands::sentinel_master},
    {"sentinel|sentinels", 3, while_loading | dangerous, commands::sentinel_sentinels},
    {"time", 1, while_loading, commands::time},
    {"wait", 3, not_in_scripts, commands::wait},
    // keys
    {"del", -2, writes | many_keys, commands::del},
    {"exists", -2, many_keys, commands::exists},
    {"expire", -3, writes | one_key, commands::expire},
    {"keys", 2, dangerous, commands::keys},
    {"persist", 2, writes | one_key, commands::persist},
    {"pexpire", -3, writes | one_key, commands::pexpire},
    {"pexpireat", -3, writes | one_key, commands::pexpireat},
    {"pexpiretime", 2, one_key, commands::pexpiretime},
    {"pttl", 2, one_key, commands::pttl},
    {"restore", -4, writes | grows | dangerous | one_key, commands::restore},
    {"scan", -2, 0, commands::scan},
    {"ttl", 2, one_key, commands::ttl},
    {"type", 2, one_key, commands::type},
    {"unlink", -2, writes | many_keys, commands::del},
    // strings
    {"decr", 2, writes | grows | one_key, commands::decr},
    {"decrby", 3, writes | grows | one_key, commands::decrby},
    {"get", 2, one_key, commands::get},
    {"incr", 2, writes | grows | one_key, commands::incr},
    {"incrby", 3, writes | grows | one_key, commands::incrby},
    {"set", -3, writes | grows | one_key, commands::set},
    // hashes
    {"hdel", -3, writes | one_key, commands::hdel},
    {"hexists", 3, one_key, commands::hexists},
    {"hget", 3, one_key, commands::hget},
    {"hgetall", 2, one_key, commands::hgetall},
    {"hincrby", 4, writes | grows | one_key, commands::hincrby},
    {"hkeys", 2, one_key, commands::hkeys},
    {"hscan", -3, one_key, commands::hscan},
    {"hlen", 2, one_key, commands::hlen},
    {"hset", -4, writes | grows | one_key, commands::hset},
    {"hsetnx", 4, writes | grows | one_key, commands::hsetnx},
    {"hvals", 2, one_key, commands::hvals},
    // lists (LPOP of one item)
    {"lindex", 3, one_key, commands::lindex},
    {"llen", 2, one_key, commands::llen},
    {"lpop", 2, writes | one_key, commands::lpop},
    {"lpos", 3, one_key, commands::lpos},
    {"lrange", 4, one_key, commands::lrange},
    {"lrem", 4, writes | one_key, commands::lrem},
    {"rpush", -3, writes | grows | one_key, commands::rpush},
    // sorted sets (ZADD without options, ZRANGE by place)
    {"zadd", -4, writes | grows | one_key, commands::zadd},
    {"zcard", 2, one_key, commands::zcard},
    {"zcount", 4, one_key, commands::zcount},
    {"zincrby", 4, writes | grows | one_key, commands::zincrby},
    {"zrange", -4, one_key, commands::zrange},
    {"zrangebyscore", -4, one_key, commands::zrangebyscore},
    {"zrem", -3, writes | one_key, commands::zrem},
    {"zscore", 3, one_key, commands::zscore},
    // messages
    {"psubscribe", -2, listening, commands::psubscribe},
    {"publish", 3, while_loading, commands::publish},
    {"pubsub", -2, 0, nullptr},
    {"pubsub|numsub", -2, while_loading, commands::pubsub_numsub},
    {"pubsub|shardnumsub", -2, while_loading, commands::pubsub_shardnumsub},
    {"punsubscribe", -1, listening, commands::punsubscribe},
    {"spublish", 3, while_loading | one_key | of_shard, commands::spublish},
    {"ssubscribe", -2, listening | many_keys | of_shard, commands::ssubscribe},
    {"subscribe", -2, listening, commands::subscribe},
    {"sunsubscribe", -1, listening | many_keys | of_shard, commands::sunsubscribe},
    {"unsubscribe", -1, listening, commands::unsubscribe},
    // scripts
    {"eval", -3, not_in_scripts | counted_keys, commands::eval},
    {"evalsha", -3, not_in_scripts | counted_keys, commands::evalsha},
    {"script", -2, not_in_scripts, nullptr},
    {"script|exists", -3, not_in_scripts, commands::script_exists},
    {"script|flush", -2, not_in_scripts, commands::script_flush},
    {"script|kill", 2, not_in_scripts, commands::script_kill},
    {"script|load", 3, not_in_scripts, commands::script_load},
};

constexpr std::size_t longest_name = 40;

// "CLIENT" "Kill" -> "client|kill", without an allocation.
class lower_name {
public:
    explicit lower_name(std::string_view word) { add(word); }
    void add(std::string_view word) {
        for (char const letter : word) {
            if (size_ == longest_name) return;
            text_[size_++] = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
    }
    std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, longest_name> text_;
    std::size_t size_ = 0;
};

command const* find_exactly(std::string_view name) {
    static auto const index = [] {
        std::unordered_map<std::string_view, command const*> result;
        for (auto const& each : table) result.emplace(each.name, &each);
        return result;
    }();
    auto const place = index.find(name);
    return place == index.end() ? nullptr : place->second;
}

} // namespace

command const* find_command(std::span<std::string_view const> argv, std::set<std::string, std::less<>> const& removed) {
    if (argv[0].find('|') != std::string_view::npos) return nullptr;
    lower_name name(argv[0]);
    if (!removed.empty() && removed.contains(name.text())) return nullptr;
    auto const* const found = find_exactly(name.text());
    if (found == nullptr || found->run != nullptr || argv.size() < 2) return found;
    name.add("|");
    name.add(argv[1]);
    if (!removed.empty() && removed.contains(name.text())) return found;
    auto const* const subcommand = find_exactly(name.text());
    return subcommand != nullptr ? subcommand : found;
}

} // namespace redlatch::sim
