#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/dump_payload.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

namespace redlatch::sim::commands {
namespace {

struct restore_options {
    bool replace = false;
    bool absolute = false;
};

// False: the problem is answered. How long ago and how often a key was used decides nothing here, but is checked.
bool read_options(call& one, restore_options& result) {
    bool idle = false;
    bool frequency = false;
    for (std::size_t at = 4; at < one.argv.size(); ++at) {
        bool const has_value = at + 1 < one.argv.size();
        if (same_word(one[at], "replace")) {
            result.replace = true;
        } else if (same_word(one[at], "absttl")) {
            result.absolute = true;
        } else if (same_word(one[at], "idletime") && has_value && !frequency) {
            auto const seconds = integer_in(one[++at]);
            if (!seconds) return reply::not_an_integer(one.out), false;
            if (*seconds < 0) return reply::error(one.out, "ERR Invalid IDLETIME value, must be >= 0"), false;
            idle = true;
        } else if (same_word(one[at], "freq") && has_value && !idle) {
            constexpr std::int64_t highest = 255;
            auto const given = integer_in(one[++at]);
            if (!given) return reply::not_an_integer(one.out), false;
            if (*given < 0 || *given > highest)
                return reply::error(one.out, "ERR Invalid FREQ value, must be >= 0 and <= 255"), false;
            frequency = true;
        } else {
            return reply::syntax_error(one.out), false;
        }
    }
    return true;
}

} // namespace

// The order of the checks is that of Redis: a key that is there is told before anything is said of lease or payload.
void restore(call& one) {
    restore_options options;
    if (!read_options(one, options)) return;
    if (!options.replace && one.node.find_key(one.database, one[1]) != nullptr)
        return reply::error(one.out, "BUSYKEY Target key name already exists.");
    auto const ttl = integer_in(one[2]);
    if (!ttl) return reply::not_an_integer(one.out);
    if (*ttl < 0) return reply::error(one.out, "ERR Invalid TTL value, must be >= 0");
    if (!has_valid_footer(one[3])) return reply::error(one.out, "ERR DUMP payload version or checksum are wrong");
    auto value = value_in(one[3]);
    if (!value) return reply::error(one.out, "ERR Bad data format");

    if (options.replace) one.node.remove_key(one.database, one[1]);
    entry fresh{std::move(*value)};
    if (*ttl > 0) {
        // Redis does not look for an overflow: such a key has ended long ago.
        auto when = *ttl;
        bool const overflows = !options.absolute && __builtin_add_overflow(when, one.node.now_ms, &when);
        if (overflows || when <= one.node.now_ms) return reply::ok(one.out);
        fresh.expires_at_ms = when;
    }
    one.node.store(one.database, one[1], std::move(fresh));
    reply::ok(one.out);
}

} // namespace redlatch::sim::commands
