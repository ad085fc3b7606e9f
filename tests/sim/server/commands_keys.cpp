#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace redlatch::sim::commands {
namespace {

std::string_view type_name(entry const& one) {
    constexpr std::string_view names[] = {"string", "hash", "list", "zset"};
    return names[one.value.index()];
}

void bulks(call& one, std::vector<std::string_view> const& items) {
    reply::array(one.out, items.size());
    for (auto const item : items) reply::bulk(one.out, item);
}

std::optional<std::uint64_t> cursor_in(std::string_view text) {
    if (text.empty()) return 0;
    bool const negative = text.starts_with('-'); // taken modulo 2^64, as strtoul does
    if (negative) text.remove_prefix(1);
    std::uint64_t number = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return negative ? 0 - number : number;
}

struct scan_options {
    std::int64_t count = 10;
    std::optional<std::string_view> pattern{};
    std::optional<std::string_view> type{};
};

// False: the problem is answered.
bool read_options(call& one, scan_options& result) {
    for (std::size_t at = 2; at < one.argv.size(); at += 2) {
        if (at + 1 == one.argv.size()) return reply::syntax_error(one.out), false;
        if (same_word(one[at], "count")) {
            auto const count = integer_in(one[at + 1]);
            if (!count) return reply::not_an_integer(one.out), false;
            if (*count < 1) return reply::syntax_error(one.out), false;
            result.count = *count;
        } else if (same_word(one[at], "match")) {
            result.pattern = one[at + 1];
        } else if (same_word(one[at], "type")) {
            result.type = one[at + 1];
        } else {
            return reply::syntax_error(one.out), false;
        }
    }
    return true;
}

struct placed {
    std::uint64_t place; ///< from 1: a cursor is the place of the last key that was shown, and 0 is the start
    std::string_view key;
    entry const* value;
};

// In an order that does not depend on what else is there, so that a key that stays is found, whatever comes and goes.
std::vector<placed> placed_after(call& one, std::uint64_t cursor) {
    std::vector<placed> result;
    for (auto const& [key, value] : one.node.data.databases[one.database]) {
        auto const place = (stable_hash(key) >> 1) + 1;
        if (place > cursor) result.push_back({place, key, &value});
    }
    std::ranges::sort(result, {}, &placed::place);
    return result;
}

} // namespace

void del(call& one) {
    std::int64_t removed = 0;
    for (auto const key : one.argv.subspan(1)) removed += one.node.remove_key(one.database, key) ? 1 : 0;
    reply::integer(one.out, removed);
}

void exists(call& one) {
    std::int64_t found = 0;
    for (auto const key : one.argv.subspan(1)) found += one.node.find_key(one.database, key) != nullptr ? 1 : 0;
    reply::integer(one.out, found);
}

void keys(call& one) {
    std::vector<std::string_view> found;
    for (auto const& [key, value] : one.node.data.databases[one.database]) {
        if (!value.expired(one.node.now_ms) && matches(one[1], key)) found.push_back(key);
    }
    bulks(one, found);
}

void scan(call& one) {
    auto const cursor = cursor_in(one[1]);
    if (!cursor) return reply::error(one.out, "ERR invalid cursor");
    scan_options options;
    if (!read_options(one, options)) return;

    auto const all = placed_after(one, *cursor);
    std::vector<std::string_view> found;
    std::int64_t looked_at = 0;
    std::uint64_t last = *cursor;
    std::uint64_t next = 0;
    for (auto const& [place, key, value] : all) {
        if (looked_at >= options.count && place != last) { // keys at one place are shown together
            next = last;
            break;
        }
        ++looked_at;
        last = place;
        if (value->expired(one.node.now_ms)) continue;
        if (options.pattern && !matches(*options.pattern, key)) continue;
        if (options.type && !same_word(*options.type, type_name(*value))) continue;
        found.push_back(key);
    }
    reply::array(one.out, 2);
    reply::bulk(one.out, std::to_string(next));
    bulks(one, found);
}

void type(call& one) {
    auto const* const found = one.node.find_key(one.database, one[1]);
    reply::status(one.out, found == nullptr ? "none" : type_name(*found));
}

} // namespace redlatch::sim::commands
