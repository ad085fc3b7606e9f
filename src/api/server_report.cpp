#include "api/server_report.hpp"

#include "base/whole_number.hpp"
#include "connection/connect_op.hpp"
#include "connection/role_reply.hpp"

#include <algorithm>

namespace redlatch::detail {
namespace {

/// No word of a server is longer.
constexpr std::size_t longest_word = 200;

std::optional<std::string> word(std::string_view text) {
    if (text.empty() || text.size() > longest_word) return std::nullopt;
    return std::string(text);
}

std::optional<bool> flag(std::string_view text, std::string_view yes, std::string_view no) {
    if (text == yes) return true;
    if (text == no) return false;
    return std::nullopt;
}

std::optional<int> count(std::string_view text) {
    auto const number = base::whole_number<int>(text);
    return number && *number >= 0 ? number : std::nullopt;
}

/// Those that have the data, as WAIT and ROLE count them: one that is still being sent them confirms nothing. Where INFO names
/// none (some services), all that it counts.
std::optional<int> ready_replicas(std::string_view info, std::optional<int> connected) {
    int named = 0;
    int ready = 0;
    while (!info.empty()) {
        auto const line = info.substr(0, info.find('\n'));
        info.remove_prefix(std::min(line.size() + 1, info.size()));
        auto const colon = line.find(':'); // slave0:ip=10.0.0.2,port=6379,state=online,offset=14,lag=0
        if (!line.starts_with("slave") || colon == std::string_view::npos) continue;
        if (!base::whole_number<int>(line.substr(5, colon - 5))) continue;
        ++named;
        if (line.find(",state=online,") != std::string_view::npos) ++ready;
    }
    return named == 0 || !connected ? connected : ready;
}

void read_software(std::string_view valkey, std::string_view redis, server_facts& into) {
    auto const version = word(valkey.empty() ? redis : valkey);
    if (!version) return;
    into.software = valkey.empty() ? "redis" : "valkey";
    into.version = *version;
}

} // namespace

void read_info_facts(std::string_view text, server_facts& into) {
    auto const field = [&](std::string_view key) { return connection::info_field(text, key, ':', "\r\n"); };
    read_software(field("valkey_version"), field("redis_version"), into);

    into.eviction_policy = word(field("maxmemory_policy"));
    into.memory_limit = base::whole_number<std::uint64_t>(field("maxmemory"));
    into.memory_used = base::whole_number<std::uint64_t>(field("used_memory"));
    into.evicted_keys = base::whole_number<std::uint64_t>(field("evicted_keys"));

    into.append_only = flag(field("aof_enabled"), "1", "0");
    auto const snapshot = flag(field("rdb_last_bgsave_status"), "ok", "err");
    auto const append = flag(field("aof_last_write_status"), "ok", "err");
    if (snapshot || append) into.last_save_worked = snapshot.value_or(true) && append.value_or(true);

    if (field("role") == "master") into.role = server_facts::role_kind::master;
    if (field("role") == "slave") into.role = server_facts::role_kind::replica;
    if (into.role != server_facts::role_kind::master) return;
    into.replicas = ready_replicas(text, count(field("connected_slaves")));
    // Servers say how many replicas are fit only where some are asked for.
    if (into.replicas && field("min_slaves_good_slaves").empty()) into.min_replicas = 0;
}

void read_hello_facts(resp::value const& reply, server_facts& into) {
    if (!into.version.empty() || !reply.is_array()) return;
    std::string_view software;
    std::string_view version;
    for (std::size_t at = 0; at + 1 < reply.items.size(); at += 2) {
        if (reply.items[at].text == "server") software = reply.items[at + 1].text;
        if (reply.items[at].text == "version") version = reply.items[at + 1].text;
    }
    if (!word(software) || !word(version)) return;
    into.software = software;
    into.version = version;
}

bool read_setting(std::string_view name, resp::value const& reply, server_facts& into) {
    if (!reply.is_array() || reply.items.size() != 2 || reply.items[0].text != name || !reply.items[1].is_text())
        return false;
    auto const& value = reply.items[1].text;
    if (value.size() > longest_word) return false;
    if (name == "maxmemory-policy") into.eviction_policy = word(value);
    if (name == "appendonly") into.append_only = flag(value, "yes", "no");
    if (name == "appendfsync") into.append_fsync = word(value);
    if (name == "save") into.snapshots = value;
    if (name == "min-replicas-to-write") into.min_replicas = count(value);
    return true;
}

void read_role_facts(resp::value const& reply, server_facts& into) {
    if (into.role != server_facts::role_kind::unknown) return;
    auto const role = connection::read_role(reply);
    if (role == connection::server_role::replica) into.role = server_facts::role_kind::replica;
    if (role != connection::server_role::master) return;
    into.role = server_facts::role_kind::master;
    if (reply.items.size() == 3 && reply.items[2].is_array())
        into.replicas = static_cast<int>(reply.items[2].items.size());
}

std::optional<std::chrono::microseconds> read_time(resp::value const& reply) {
    if (!reply.is_array() || reply.items.size() != 2) return std::nullopt;
    auto const seconds = base::whole_number<std::uint32_t>(reply.items[0].text);
    auto const rest = base::whole_number<std::uint32_t>(reply.items[1].text);
    if (!seconds || !rest || *rest >= 1'000'000) return std::nullopt;
    return std::chrono::seconds(*seconds) + std::chrono::microseconds(*rest);
}

} // namespace redlatch::detail
