#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/membership.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>

namespace redlatch::sim::commands {
namespace {

std::size_t keys_in(call& one, database& which) {
    auto const expired = std::erase_if(which, [&](auto const& item) { return item.second.expired(one.node.now_ms); });
    if (expired > 0) one.node.changed();
    return which.size();
}

bool is_flush_mode(call const& one) {
    return one.argv.size() == 1 || (one.argv.size() == 2 && (same_word(one[1], "sync") || same_word(one[1], "async")));
}

void flush(call& one, database& which) {
    if (!which.empty()) one.node.changed();
    which.clear();
}

std::string keyspace_section(call& one) {
    std::string text = "# Keyspace\r\n";
    auto& all = one.node.data.databases;
    for (std::size_t number = 0; number < all.size(); ++number) {
        auto const keys = keys_in(one, all[number]);
        if (keys == 0) continue;
        auto const leased =
            std::ranges::count_if(all[number], [](auto const& item) { return item.second.expires_at_ms.has_value(); });
        text += "db" + std::to_string(number) + ":keys=" + std::to_string(keys) + ",expires=" + std::to_string(leased)
                + ",avg_ttl=0\r\n";
    }
    return text;
}

} // namespace

void dbsize(call& one) {
    reply::integer(one.out, static_cast<std::int64_t>(keys_in(one, one.node.data.databases[one.database])));
}

void flushall(call& one) {
    if (!is_flush_mode(one)) return reply::syntax_error(one.out);
    for (auto& each : one.node.data.databases) flush(one, each);
    reply::ok(one.out);
}

void flushdb(call& one) {
    if (!is_flush_mode(one)) return reply::syntax_error(one.out);
    flush(one, one.node.data.databases[one.database]);
    reply::ok(one.out);
}

void info(call& one) {
    auto const wanted = [&](std::string_view section) {
        auto const names = one.argv.subspan(1);
        return names.empty() || std::ranges::any_of(names, [&](std::string_view name) {
                   return same_word(name, section) || same_word(name, "default") || same_word(name, "all")
                          || same_word(name, "everything");
               });
    };
    bool const is_replica =
        one.node.settings.cluster != nullptr ? one.node.settings.cluster->is_replica() : one.node.read_only;
    std::string text;
    auto const add = [&](std::string const& section) { text += (text.empty() ? "" : "\r\n") + section; };
    auto const& settings = one.node.settings;
    auto const* const cluster = settings.cluster;
    if (wanted("server"))
        add("# Server\r\nredis_version:" + settings.version + "\r\nredis_mode:"
            + (cluster != nullptr ? "cluster" : "standalone") + "\r\nrun_id:" + settings.run_id + "\r\n");
    if (wanted("persistence")) add(std::string("# Persistence\r\nloading:") + (one.node.loading ? "1" : "0") + "\r\n");
    if (wanted("replication")) add(std::string("# Replication\r\nrole:") + (is_replica ? "slave" : "master") + "\r\n");
    if (wanted("cluster") && cluster != nullptr) add("# Cluster\r\ncluster_enabled:1\r\n");
    if (wanted("keyspace")) add(keyspace_section(one));
    reply::bulk(one.out, text);
}

void time(call& one) {
    constexpr std::int64_t ms_per_second = 1000;
    constexpr std::int64_t us_per_ms = 1000;
    reply::array(one.out, 2);
    reply::bulk(one.out, std::to_string(one.node.now_ms / ms_per_second));
    reply::bulk(one.out, std::to_string(one.node.now_ms % ms_per_second * us_per_ms));
}

} // namespace redlatch::sim::commands
