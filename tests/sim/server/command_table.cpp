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
    // the server
    {"dbsize", 1, 0, commands::dbsize},
    {"flushall", -1, writes | dangerous, commands::flushall},
    {"flushdb", -1, writes | dangerous, commands::flushdb},
    {"info", -1, while_loading | dangerous, commands::info},
    {"time", 1, while_loading, commands::time},
    // keys
    {"del", -2, writes, commands::del},
    {"exists", -2, 0, commands::exists},
    {"expire", -3, writes, commands::expire},
    {"keys", 2, dangerous, commands::keys},
    {"persist", 2, writes, commands::persist},
    {"pexpire", -3, writes, commands::pexpire},
    {"pexpireat", -3, writes, commands::pexpireat},
    {"pexpiretime", 2, 0, commands::pexpiretime},
    {"pttl", 2, 0, commands::pttl},
    {"restore", -4, writes | grows | dangerous, commands::restore},
    {"scan", -2, 0, commands::scan},
    {"ttl", 2, 0, commands::ttl},
    {"type", 2, 0, commands::type},
    {"unlink", -2, writes, commands::del},
    // strings
    {"decr", 2, writes | grows, commands::decr},
    {"decrby", 3, writes | grows, commands::decrby},
    {"get", 2, 0, commands::get},
    {"incr", 2, writes | grows, commands::incr},
    {"incrby", 3, writes | grows, commands::incrby},
    {"set", -3, writes | grows, commands::set},
    // hashes
    {"hdel", -3, writes, commands::hdel},
    {"hexists", 3, 0, commands::hexists},
    {"hget", 3, 0, commands::hget},
    {"hgetall", 2, 0, commands::hgetall},
    {"hincrby", 4, writes | grows, commands::hincrby},
    {"hkeys", 2, 0, commands::hkeys},
    {"hlen", 2, 0, commands::hlen},
    {"hset", -4, writes | grows, commands::hset},
    {"hsetnx", 4, writes | grows, commands::hsetnx},
    {"hvals", 2, 0, commands::hvals},
    // lists (LPOP of one item)
    {"lindex", 3, 0, commands::lindex},
    {"llen", 2, 0, commands::llen},
    {"lpop", 2, writes, commands::lpop},
    {"lpos", 3, 0, commands::lpos},
    {"lrange", 4, 0, commands::lrange},
    {"lrem", 4, writes, commands::lrem},
    {"rpush", -3, writes | grows, commands::rpush},
    // sorted sets (ZADD without options, ZRANGE by place)
    {"zadd", -4, writes | grows, commands::zadd},
    {"zcard", 2, 0, commands::zcard},
    {"zcount", 4, 0, commands::zcount},
    {"zincrby", 4, writes | grows, commands::zincrby},
    {"zrange", -4, 0, commands::zrange},
    {"zrangebyscore", -4, 0, commands::zrangebyscore},
    {"zrem", -3, writes, commands::zrem},
    {"zscore", 3, 0, commands::zscore},
    // messages
    {"psubscribe", -2, listening, commands::psubscribe},
    {"publish", 3, while_loading, commands::publish},
    {"pubsub", -2, 0, nullptr},
    {"pubsub|numsub", -2, while_loading, commands::pubsub_numsub},
    {"punsubscribe", -1, listening, commands::punsubscribe},
    {"subscribe", -2, listening, commands::subscribe},
    {"unsubscribe", -1, listening, commands::unsubscribe},
    // scripts
    {"eval", -3, not_in_scripts, commands::eval},
    {"evalsha", -3, not_in_scripts, commands::evalsha},
    {"script", -2, not_in_scripts, nullptr},
    {"script|exists", -3, not_in_scripts, commands::script_exists},
    {"script|flush", -2, not_in_scripts, commands::script_flush},
    {"script|kill", 2, not_in_scripts, commands::script_kill},
    {"script|load", 3, not_in_scripts, commands::script_load},
};

constexpr std::size_t longest_name = 32;

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
    auto const* const subcommand = find_exactly(name.text());
    return subcommand != nullptr ? subcommand : found;
}

} // namespace redlatch::sim
