#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <limits>
#include <optional>

namespace redlatch::sim::commands {
namespace {

using numbers = std::numeric_limits<std::int64_t>;
constexpr std::int64_t ms_per_second = 1000;
constexpr std::int64_t no_key = -2;
constexpr std::int64_t no_expiry = -1;

struct conditions {
    bool only_without = false; // NX
    bool only_with = false;    // XX
    bool only_later = false;   // GT
    bool only_earlier = false; // LT
};

std::string read_conditions(call const& one, conditions& result) {
    for (auto const word : one.argv.subspan(3)) {
        if (same_word(word, "nx")) {
            result.only_without = true;
        } else if (same_word(word, "xx")) {
            result.only_with = true;
        } else if (same_word(word, "gt")) {
            result.only_later = true;
        } else if (same_word(word, "lt")) {
            result.only_earlier = true;
        } else {
            return "ERR Unsupported option " + printed(word);
        }
    }
    if (result.only_without && (result.only_with || result.only_later || result.only_earlier))
        return "ERR NX and XX, GT or LT options at the same time are not compatible";
    if (result.only_later && result.only_earlier) return "ERR GT and LT options at the same time are not compatible";
    return {};
}

bool hold(conditions const& which, std::optional<std::int64_t> current, std::int64_t wanted) {
    if (which.only_without && current) return false;
    if (which.only_with && !current) return false;
    if (which.only_later && (!current || wanted <= *current)) return false;
    return !which.only_earlier || !current || wanted < *current;
}

// EXPIRE and its kin: `base` is added to the argument, which counts `unit` milliseconds.
void expire_at(call& one, std::string_view name, std::int64_t base, std::int64_t unit) {
    conditions only;
    if (auto const problem = read_conditions(one, only); !problem.empty()) return reply::error(one.out, problem);
    auto const given = integer_in(one[2]);
    if (!given) return reply::not_an_integer(one.out);
    if (*given > numbers::max() / unit || *given < numbers::min() / unit || *given * unit > numbers::max() - base)
        return reply::error(one.out, "ERR invalid expire time in '" + std::string(name) + "' command");
    auto const when = *given * unit + base;

    auto* const found = one.node.find_key(one.database, one[1]);
    if (found == nullptr || !hold(only, found->expires_at_ms, when)) return reply::integer(one.out, 0);
    auto const interruption = one.node.settings.expires_at_once_below_ms;
    if (when <= one.node.now_ms || when - one.node.now_ms < interruption) {
        one.node.remove_key(one.database, one[1]);
    } else {
        found->expires_at_ms = when;
        one.node.changed();
    }
    reply::integer(one.out, 1);
}

void tell(call& one, bool absolute, std::int64_t unit) {
    auto const* const found = one.node.find_key(one.database, one[1]);
    if (found == nullptr) return reply::integer(one.out, no_key);
    if (!found->expires_at_ms) return reply::integer(one.out, no_expiry);
    auto const ms = *found->expires_at_ms - (absolute ? 0 : one.node.now_ms);
    reply::integer(one.out, (ms + unit / 2) / unit);
}

} // namespace

void expire(call& one) {
    expire_at(one, "expire", one.node.now_ms, ms_per_second);
}

void pexpire(call& one) {
    expire_at(one, "pexpire", one.node.now_ms, 1);
}

void pexpireat(call& one) {
    expire_at(one, "pexpireat", 0, 1);
}

void persist(call& one) {
    auto* const found = one.node.find_key(one.database, one[1]);
    if (found == nullptr || !found->expires_at_ms) return reply::integer(one.out, 0);
    found->expires_at_ms.reset();
    one.node.changed();
    reply::integer(one.out, 1);
}

void pexpiretime(call& one) {
    tell(one, true, 1);
}

void pttl(call& one) {
    tell(one, false, 1);
}

void ttl(call& one) {
    tell(one, false, ms_per_second);
}

} // namespace redlatch::sim::commands
