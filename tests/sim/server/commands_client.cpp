// CLIENT: who is connected, and ending connections.
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <optional>

namespace redlatch::sim::commands {
namespace {

constexpr std::int64_t ms_per_second = 1000;

std::string description(node_state const& node, connection const& which) {
    auto const& subscriptions = node.subscriptions;
    auto const seconds_since = [&](std::int64_t moment) { return (node.now_ms - moment) / ms_per_second; };
    std::string line;
    auto const add = [&line](std::string_view key, auto const& value) {
        line.append(line.empty() ? "" : " ").append(key).append("=");
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
            line += std::to_string(value);
        } else {
            line += value;
        }
    };
    // What a simulated client has not got - descriptors and buffers - is shown as an idle one has it.
    add("id", which.id);
    add("addr", which.address);
    add("laddr", node.settings.address);
    add("fd", which.id + 7);
    add("name", which.name);
    add("age", which.since_ms ? seconds_since(*which.since_ms) : 0);
    add("idle", which.since_ms ? seconds_since(which.active_ms) : 0);
    add("flags", subscriptions.listens(which.id) ? "P" : "N");
    add("db", which.database);
    add("sub", subscriptions.count(which.id, pubsub::kind::channel));
    add("psub", subscriptions.count(which.id, pubsub::kind::pattern));
    add("ssub", subscriptions.count(which.id, pubsub::kind::shard));
    line += " multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=1928";
    add("events", "r");
    add("cmd", which.last_command);
    add("user", which.user);
    return line + " redir=-1 resp=2\n";
}

std::optional<std::uint64_t> client_number(std::string_view text) {
    auto const number = integer_in(text);
    if (!number || *number <= 0) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

bool is_client_type(std::string_view word) {
    auto const names = {"normal", "slave", "replica", "pubsub", "master"};
    return std::ranges::any_of(names, [&](std::string_view name) { return same_word(word, name); });
}

std::string unknown_type(std::string_view word) {
    return "ERR Unknown client type '" + printed(word) + "'";
}

bool has_type(node_state const& node, connection const& which, std::string_view type) {
    return same_word(type, node.subscriptions.listens(which.id) ? "pubsub" : "normal");
}

// What CLIENT KILL names: everything that is given has to fit.
struct filter {
    std::optional<std::uint64_t> id{};
    std::optional<std::string_view> address{};
    std::optional<std::string_view> own_address{};
    std::optional<std::string_view> user{};
    std::optional<std::string_view> type{};
    bool skip_me = true;

    bool fits(node_state const& node, connection const& which) const {
        return (!id || *id == which.id) && (!address || *address == which.address)
               && (!own_address || *own_address == node.settings.address) && (!user || *user == which.user)
               && (!type || has_type(node, which, *type));
    }
};

// Empty: understood.
std::string read_option(node_state const& node, filter& result, std::string_view option, std::string_view value) {
    if (same_word(option, "id")) {
        result.id = client_number(value);
        return result.id ? "" : "ERR client-id should be greater than 0";
    }
    if (same_word(option, "type")) {
        result.type = value;
        return is_client_type(value) ? "" : unknown_type(value);
    }
    if (same_word(option, "user")) {
        result.user = value;
        return node.settings.users.contains(value) ? "" : "ERR No such user '" + printed(value) + "'";
    }
    if (same_word(option, "addr")) {
        result.address = value;
    } else if (same_word(option, "laddr")) {
        result.own_address = value;
    } else if (same_word(option, "skipme") && (same_word(value, "yes") || same_word(value, "no"))) {
        result.skip_me = same_word(value, "yes");
    } else {
        return "ERR syntax error";
    }
    return {};
}

std::size_t kill(call& one, filter const& which) {
    std::size_t killed = 0;
    for (auto& [id, other] : one.node.connections) {
        if (other.closing || !which.fits(one.node, other) || (which.skip_me && id == one.from.id)) continue;
        if (id != one.from.id) other.output.clear(); // it ends at once: what this round has for it is never sent
        one.node.close(other);
        ++killed;
    }
    return killed;
}

} // namespace

void client_id(call& one) {
    reply::integer(one.out, static_cast<std::int64_t>(one.from.id));
}

void client_info(call& one) {
    reply::bulk(one.out, description(one.node, one.from));
}

void client_list(call& one) {
    std::string lines;
    if (one.argv.size() == 4 && same_word(one[2], "type")) {
        if (!is_client_type(one[3])) return reply::error(one.out, unknown_type(one[3]));
        for (auto const& [id, each] : one.node.connections) {
            if (!each.closing && has_type(one.node, each, one[3])) lines += description(one.node, each);
        }
    } else if (one.argv.size() > 3 && same_word(one[2], "id")) {
        for (auto const text : one.argv.subspan(3)) {
            auto const number = integer_in(text);
            if (!number) return reply::error(one.out, "ERR Invalid client ID");
            auto const* found = one.node.find(static_cast<redis_node::client>(*number));
            if (found != nullptr && !found->closing) lines += description(one.node, *found);
        }
    } else if (one.argv.size() != 2) {
        return reply::syntax_error(one.out);
    } else {
        for (auto const& [id, each] : one.node.connections) {
            if (!each.closing) lines += description(one.node, each);
        }
    }
    reply::bulk(one.out, lines);
}

void client_kill(call& one) {
    filter which;
    if (one.argv.size() == 3) { // the old form: an address, also one's own
        which.address = one[2];
        which.skip_me = false;
        if (kill(one, which) == 0) return reply::error(one.out, "ERR No such client");
        return reply::ok(one.out);
    }
    for (std::size_t at = 2; at < one.argv.size(); at += 2) {
        if (at + 1 == one.argv.size()) return reply::syntax_error(one.out);
        auto const problem = read_option(one.node, which, one[at], one[at + 1]);
        if (!problem.empty()) return reply::error(one.out, problem);
    }
    reply::integer(one.out, static_cast<std::int64_t>(kill(one, which)));
}

} // namespace redlatch::sim::commands
