#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <limits>

namespace redlatch::sim::commands {
namespace {

constexpr std::string_view wrong_password = "WRONGPASS invalid username-password pair or user is disabled.";

// False: refused.
bool log_in(call& one, std::string_view name, std::string_view password) {
    auto const place = one.node.settings.users.find(name);
    if (place == one.node.settings.users.end()) return false;
    if (place->second.password && *place->second.password != password) return false;
    one.from.user = name;
    one.from.authenticated = true;
    return true;
}

bool set_name(call& one, std::string_view name) {
    if (!std::ranges::all_of(name, [](char letter) { return letter >= '!' && letter <= '~'; })) {
        reply::error(one.out, "ERR Client names cannot contain spaces, newlines or special characters.");
        return false;
    }
    one.from.name = name;
    return true;
}

void describe_server(call& one) {
    auto const text = [&](std::string_view key, std::string_view value) {
        reply::bulk(one.out, key);
        reply::bulk(one.out, value);
    };
    auto const number = [&](std::string_view key, std::uint64_t value) {
        reply::bulk(one.out, key);
        reply::integer(one.out, static_cast<std::int64_t>(value));
    };
    reply::array(one.out, 14);
    text("server", "redis");
    text("version", one.node.settings.version);
    number("proto", 2);
    number("id", one.from.id);
    text("mode", "standalone");
    text("role", one.node.read_only ? "replica" : "master");
    reply::bulk(one.out, "modules");
    reply::array(one.out, 0);
}

} // namespace

void auth(call& one) {
    if (one.argv.size() > 3) return reply::syntax_error(one.out);
    auto const& users = one.node.settings.users;
    auto const fallback = users.find("default");
    if (one.argv.size() == 2 && fallback != users.end() && !fallback->second.password)
        return reply::error(one.out, "ERR AUTH <password> called without any password configured for the default user. "
                                     "Are you sure your configuration is correct?");
    auto const name = one.argv.size() == 3 ? one[1] : "default";
    if (!log_in(one, name, one.argv.back())) return reply::error(one.out, wrong_password);
    reply::ok(one.out);
}

void client_getname(call& one) {
    if (one.from.name.empty()) return reply::nil(one.out);
    reply::bulk(one.out, one.from.name);
}

void client_setname(call& one) {
    if (set_name(one, one[2])) reply::ok(one.out);
}

void echo(call& one) {
    reply::bulk(one.out, one[1]);
}

void hello(call& one) {
    if (one.argv.size() > 1) {
        auto const version = integer_in(one[1]);
        if (!version) return reply::error(one.out, "ERR Protocol version is not an integer or out of range");
        if (*version != 2) return reply::error(one.out, "NOPROTO unsupported protocol version"); // also for 3: not here
    }
    for (std::size_t at = 2; at < one.argv.size();) {
        auto const left = one.argv.size() - at;
        if (same_word(one[at], "auth") && left >= 3) {
            if (!log_in(one, one[at + 1], one[at + 2])) return reply::error(one.out, wrong_password);
            at += 3;
        } else if (same_word(one[at], "setname") && left >= 2) {
            if (!set_name(one, one[at + 1])) return;
            at += 2;
        } else {
            return reply::error(one.out, "ERR Syntax error in HELLO option '" + printed(one[at]) + "'");
        }
    }
    if (one.node.needs_authentication(one.from))
        return reply::error(one.out, "NOAUTH HELLO must be called with the client already authenticated, otherwise the "
                                     "HELLO AUTH <user> <pass> option can be used to authenticate the client and "
                                     "select the RESP protocol version at the same time");
    describe_server(one);
}

void ping(call& one) {
    if (one.argv.size() > 2) return reply::error(one.out, "ERR wrong number of arguments for 'ping' command");
    if (one.node.subscriptions.listens(one.from.id)) {
        reply::array(one.out, 2);
        reply::bulk(one.out, "pong");
        return reply::bulk(one.out, one.argv.size() == 2 ? one[1] : "");
    }
    if (one.argv.size() == 2) return reply::bulk(one.out, one[1]);
    reply::status(one.out, "PONG");
}

void quit(call& one) {
    reply::ok(one.out);
    one.node.close(one.from);
}

void reset(call& one) {
    one.node.subscriptions.leave(one.from.id);
    one.from.name.clear();
    one.from.user = "default";
    one.from.authenticated = false;
    one.from.database = 0;
    reply::status(one.out, "RESET");
}

void select(call& one) {
    auto const number = integer_in(one[1]);
    if (!number) return reply::not_an_integer(one.out);
    using numbers = std::numeric_limits<std::int32_t>;
    if (*number < numbers::min() || *number > numbers::max())
        return reply::error(one.out, "ERR value is out of range, value must between -2147483648 and 2147483647");
    if (*number < 0 || *number >= static_cast<std::int64_t>(one.node.data.databases.size()))
        return reply::error(one.out, "ERR DB index is out of range");
    one.database = static_cast<std::size_t>(*number);
    reply::ok(one.out);
}

} // namespace redlatch::sim::commands
