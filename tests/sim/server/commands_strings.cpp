#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <limits>
#include <optional>

namespace redlatch::sim::commands {
namespace {

using numbers = std::numeric_limits<std::int64_t>;

// False: a key of another type; that is answered.
bool find_string(call& one, std::string_view key, std::string*& result) {
    auto* const found = one.node.find_key(one.database, key);
    result = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
    if (found == nullptr || result != nullptr) return true;
    reply::wrong_type(one.out);
    return false;
}

struct set_options {
    bool only_new = false;
    bool only_old = false;
    bool keep_expiry = false;
    bool tell_old = false;
    std::optional<std::string_view> expiry{};
    std::int64_t unit = 1;
    bool absolute = false;
};

// False: not understood.
bool read_options(call const& one, set_options& result) {
    for (std::size_t at = 3; at < one.argv.size(); ++at) {
        auto const word = one[at];
        // The same word again is allowed, and the last one counts.
        auto const expiry = [&](std::string_view name, std::int64_t unit, bool absolute) {
            bool const first = !result.expiry || (result.unit == unit && result.absolute == absolute);
            if (!same_word(word, name) || at + 1 == one.argv.size() || !first || result.keep_expiry) return false;
            result.expiry = one[++at];
            result.unit = unit;
            result.absolute = absolute;
            return true;
        };
        if (same_word(word, "nx") && !result.only_old) {
            result.only_new = true;
        } else if (same_word(word, "xx") && !result.only_new) {
            result.only_old = true;
        } else if (same_word(word, "get")) {
            result.tell_old = true;
        } else if (same_word(word, "keepttl") && !result.expiry) {
            result.keep_expiry = true;
        } else if (!expiry("px", 1, false) && !expiry("ex", 1000, false) && !expiry("pxat", 1, true)
                   && !expiry("exat", 1000, true)) {
            return false;
        }
    }
    return true;
}

// False: the problem is answered.
bool expiry_of(call& one, set_options const& options, std::optional<std::int64_t>& result) {
    if (!options.expiry) return true;
    auto const given = integer_in(*options.expiry);
    if (!given) return reply::not_an_integer(one.out), false;
    auto const base = options.absolute ? 0 : one.node.now_ms;
    if (*given <= 0 || *given > numbers::max() / options.unit || *given * options.unit > numbers::max() - base) {
        reply::error(one.out, "ERR invalid expire time in 'set' command");
        return false;
    }
    result = *given * options.unit + base;
    return true;
}

void add(call& one, std::int64_t amount) {
    std::string* text = nullptr;
    if (!find_string(one, one[1], text)) return;
    auto const current = text == nullptr ? 0 : integer_in(*text);
    if (!current) return reply::not_an_integer(one.out);
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*current, amount, &sum))
        return reply::error(one.out, "ERR increment or decrement would overflow");
    if (text == nullptr) {
        one.node.store(one.database, one[1], {std::to_string(sum)});
    } else {
        *text = std::to_string(sum);
        one.node.changed();
    }
    reply::integer(one.out, sum);
}

} // namespace

void decr(call& one) {
    add(one, -1);
}

void decrby(call& one) {
    auto const amount = integer_in(one[2]);
    if (!amount) return reply::not_an_integer(one.out);
    if (*amount == numbers::min()) return reply::error(one.out, "ERR decrement would overflow");
    add(one, -*amount);
}

void incr(call& one) {
    add(one, 1);
}

void incrby(call& one) {
    auto const amount = integer_in(one[2]);
    if (!amount) return reply::not_an_integer(one.out);
    add(one, *amount);
}

void get(call& one) {
    std::string* text = nullptr;
    if (!find_string(one, one[1], text)) return;
    if (text == nullptr) return reply::nil(one.out);
    reply::bulk(one.out, *text);
}

void set(call& one) {
    set_options options;
    if (!read_options(one, options)) return reply::syntax_error(one.out);
    std::optional<std::int64_t> expiry;
    if (!expiry_of(one, options, expiry)) return;
    auto const* const old = one.node.find_key(one.database, one[1]);
    std::string answer;
    if (options.tell_old) {
        std::string* text = nullptr;
        if (!find_string(one, one[1], text)) return;
        text == nullptr ? reply::nil(answer) : reply::bulk(answer, *text);
    }
    if ((options.only_new && old != nullptr) || (options.only_old && old == nullptr)) {
        if (answer.empty()) reply::nil(answer);
    } else {
        if (options.keep_expiry && old != nullptr) expiry = old->expires_at_ms;
        one.node.store(one.database, one[1], {std::string(one[2]), expiry});
        if (answer.empty()) reply::ok(answer);
    }
    one.out += answer;
}

} // namespace redlatch::sim::commands
