#include "acl_rule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace redlatch::cli {
namespace {

/// Types that need the same: a set of bits.
using groups = std::uint16_t;
constexpr groups exclusive = 1, fair = 2, fenced = 4, read_write = 8, semaphores = 16, permits = 32, latches = 64,
                 spin = 128, election = 256, values = 512;
constexpr groups tokens = fenced | election;
constexpr groups locks = exclusive | spin | fair | tokens | read_write;
constexpr groups hashes = locks | values;
constexpr groups counters = semaphores | permits | latches;
constexpr groups all = hashes | counters;
constexpr groups told = all & ~spin; // waiters are

struct type {
    std::string_view name;
    groups belongs_to;
};
constexpr std::array types{
    type{"reentrant", exclusive},
    type{"non_reentrant", exclusive},
    type{"spin", spin},
    type{"fair", fair},
    type{"non_reentrant_fair", fair},
    type{"fenced", fenced},
    type{"election", election},
    type{"read_write", read_write},
    type{"faster_multi", values},
    type{"semaphore", semaphores},
    type{"permit_semaphore", permits},
    type{"latch", latches},
};

struct command {
    std::string_view name;
    groups needed_by;
    std::string_view of_shard{}; ///< in its place where messages go to shards; empty: the same
};
constexpr std::array commands{
    command{"restore", exclusive | spin},
    command{"hdel", hashes},
    command{"publish", told, "spublish"},
    command{"evalsha", all},
    command{"eval", all},
    command{"hset", hashes},
    command{"hexists", locks},
    command{"hget", hashes},
    command{"hgetall", read_write},
    command{"hkeys", election | read_write},
    command{"set", read_write | counters},
    command{"get", tokens | counters},
    command{"getrange", counters},
    command{"incr", tokens},
    command{"incrby", semaphores | permits},
    command{"decr", latches | permits},
    command{"decrby", semaphores},
    command{"pttl", hashes | permits},
    command{"pexpire", hashes | permits},
    command{"hlen", locks},
    command{"del", all & ~values},
    command{"hscan", hashes},
    command{"exists", all},
    command{"scan", all},
    command{"dbsize", all},
    command{"info", all},
    command{"time", fair | permits | values},
    command{"lindex", fair},
    command{"lpop", fair},
    command{"lpos", fair},
    command{"lrange", fair},
    command{"lrem", fair},
    command{"rpush", fair},
    command{"zadd", fair | permits},
    command{"zcount", permits},
    command{"zrange", fair | permits},
    command{"zrangebyscore", permits},
    command{"zrem", fair | permits},
    command{"zscore", fair | permits},
    command{"pubsub|numsub", exclusive | tokens, "pubsub|shardnumsub"},
    command{"subscribe", told, "ssubscribe"},
    command{"unsubscribe", told, "sunsubscribe"},
    command{"client|kill", all},
    command{"client|setname", all},
    command{"client|list", hashes},
    command{"client|info", all},
    command{"ping", all},
};

/// What finding the servers needs, whatever is locked there.
struct command_of_arrangement {
    std::string_view name;
    bool (*needed)(acl_servers const&);
};
bool is_cluster(acl_servers const& servers) {
    return servers.mode == server_mode::cluster;
}
bool is_sharded(acl_servers const& servers) {
    return is_cluster(servers) && servers.sharded;
}
/// The master is found among several servers, or its replicas are counted.
bool asks_for_roles(acl_servers const& servers) {
    return servers.mode == server_mode::sentinel || servers.mode == server_mode::replicated || servers.replicas_confirm;
}
bool waits_for_replicas(acl_servers const& servers) {
    return servers.replicas_confirm;
}
bool selects(acl_servers const& servers) {
    return servers.selects;
}
constexpr std::array commands_of_arrangement{
    command_of_arrangement{"cluster|nodes", is_cluster},      command_of_arrangement{"asking", is_cluster},
    command_of_arrangement{"pubsub|shardnumsub", is_sharded}, command_of_arrangement{"role", asks_for_roles},
    command_of_arrangement{"wait", waits_for_replicas},       command_of_arrangement{"select", selects},
};

/// A key or a channel that is derived from a name: `before`, the name, `behind`.
struct derived {
    std::string_view before;
    groups needed_by;
    std::string_view behind{};
    bool always_in_brackets = false;
};
constexpr std::array keys{
    derived{"redisson_lock_queue", fair},
    derived{"redisson_lock_timeout", fair},
    derived{"redisson_lock_token", tokens},
    derived{"redlatch_request", counters, ":*"},
};
constexpr std::array channels{
    derived{"redisson_lock__channel", exclusive | fair | tokens | values},
    derived{"redisson_rwlock", read_write},
    derived{"redisson_sc", semaphores | permits},
    derived{"redisson_countdownlatch__channel__", latches, {}, true},
};

groups groups_of(std::vector<std::string> const& chosen) {
    groups found = 0;
    for (auto const& one : types)
        if (std::find(chosen.begin(), chosen.end(), one.name) != chosen.end()) found |= one.belongs_to;
    return found;
}

/// A name in a glob-style pattern.
std::string literal(std::string_view text) {
    std::string out;
    for (char const byte : text) {
        if (std::string_view("*?[]\\").find(byte) != std::string_view::npos) out.push_back('\\');
        out.push_back(byte);
    }
    return out;
}

bool has_brackets(std::string_view name) {
    return name.find('{') != std::string_view::npos;
}

/// Of a key, whole; of a channel, whatever follows the name: that of a waiter for a fair lock does.
std::string pattern(char sign, derived const& derived, std::string_view prefix, bool whole) {
    bool const brackets = derived.always_in_brackets || !has_brackets(prefix);
    std::string out(1, sign);
    out.append(derived.before);
    if (!derived.always_in_brackets) out.push_back(':');
    if (brackets) out.push_back('{');
    out.append(literal(prefix)).push_back('*');
    if (brackets && whole) out.push_back('}');
    if (whole) out.append(derived.behind);
    return out;
}

} // namespace

std::vector<std::string_view> acl_types() {
    std::vector<std::string_view> names;
    for (auto const& one : types) names.push_back(one.name);
    return names;
}

std::vector<std::string> acl_rule(std::vector<std::string> const& chosen, std::string_view name_prefix,
                                  acl_servers const& servers) {
    auto const wanted = groups_of(chosen);
    std::vector<std::string> words{"~" + literal(name_prefix) + "*"};
    if (!name_prefix.empty()) {
        for (auto const& one : keys)
            if ((one.needed_by & wanted) != 0) words.push_back(pattern('~', one, name_prefix, true));
        // The keys of read holds, and the leases of permits.
        if ((wanted & (read_write | permits)) != 0 && !has_brackets(name_prefix))
            words.push_back("~{" + literal(name_prefix) + "*}:*");
    }
    words.push_back("resetchannels"); // Redis 6.2 gives a new user all channels, and takes no pattern then
    for (auto const& one : channels) {
        if ((one.needed_by & wanted) == 0) continue;
        words.push_back(name_prefix.empty() ? "&" + std::string(one.before) + (one.always_in_brackets ? "*" : ":*")
                                            : pattern('&', one, name_prefix, false));
    }
    auto const allow = [&](std::string_view command) {
        auto word = "+" + std::string(command);
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    };
    for (auto const& one : commands)
        if ((one.needed_by & wanted) != 0)
            allow(is_sharded(servers) && !one.of_shard.empty() ? one.of_shard : one.name);
    for (auto const& one : commands_of_arrangement)
        if (one.needed(servers)) allow(one.name);
    return words;
}

std::vector<std::string> acl_rule_of_sentinels() {
    return {"resetchannels",
            "&+switch-master",
            "+sentinel|get-master-addr-by-name",
            "+sentinel|master",
            "+sentinel|sentinels",
            "+sentinel|replicas",
            "+subscribe",
            "+unsubscribe",
            "+client|setname",
            "+ping"};
}

} // namespace redlatch::cli
