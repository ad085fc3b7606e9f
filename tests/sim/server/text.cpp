#include "sim/server/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace redlatch::sim {
namespace {

char lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Consumes the set after its '['. A set without an end lasts until the pattern ends.
bool set_has(std::string_view& pattern, char letter) noexcept {
    bool const negated = pattern.starts_with('^');
    if (negated) pattern.remove_prefix(1);
    bool found = false;
    while (!pattern.empty() && pattern.front() != ']') {
        if (pattern.front() == '\\' && pattern.size() >= 2) {
            found |= pattern[1] == letter;
            pattern.remove_prefix(2);
        } else if (pattern.size() >= 3 && pattern[1] == '-') {
            auto const [low, high] = std::minmax(pattern[0], pattern[2]);
            found |= letter >= low && letter <= high;
            pattern.remove_prefix(3);
        } else {
            found |= pattern.front() == letter;
            pattern.remove_prefix(1);
        }
    }
    if (!pattern.empty()) pattern.remove_prefix(1);
    return found != negated;
}

} // namespace

std::optional<std::int64_t> integer_in(std::string_view text) noexcept {
    auto const digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
    std::int64_t number = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<double> score_in(std::string_view text) {
    std::string const copy(text);
    char* end = nullptr;
    double const number = std::strtod(copy.c_str(), &end);
    bool const begins_well = !copy.empty() && std::isspace(static_cast<unsigned char>(copy.front())) == 0;
    if (!begins_well || end != copy.c_str() + copy.size() || std::isnan(number)) return std::nullopt;
    return number;
}

std::string shown_score(double score) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", score);
    return text;
}

std::optional<place_range> range_of(std::string_view first, std::string_view last) noexcept {
    auto const from = integer_in(first);
    auto const to = integer_in(last);
    if (!from || !to) return std::nullopt;
    return place_range{*from, *to};
}

std::pair<std::size_t, std::size_t> place_range::within(std::int64_t size) const noexcept {
    auto const from = std::max<std::int64_t>(first < 0 ? first + size : first, 0);
    auto const to = std::min<std::int64_t>(last < 0 ? last + size : last, size - 1);
    if (from > to) return {0, 0};
    return {static_cast<std::size_t>(from), static_cast<std::size_t>(to) + 1};
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char letter) { return lower(letter); });
    return result;
}

bool same_word(std::string_view one, std::string_view other) noexcept {
    return std::ranges::equal(one, other, [](char left, char right) { return lower(left) == lower(right); });
}

std::string printed(std::string_view text, std::size_t most) {
    return std::string(text.substr(0, std::min(most, text.find('\0'))));
}

bool matches(std::string_view pattern, std::string_view text) noexcept {
    while (!pattern.empty()) {
        if (pattern.front() == '*') {
            while (pattern.starts_with('*')) pattern.remove_prefix(1);
            if (pattern.empty()) return true;
            for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
                if (matches(pattern, text.substr(skipped))) return true;
            }
            return false;
        }
        if (text.empty()) return false;
        char const first = pattern.front();
        pattern.remove_prefix(1);
        if (first == '[') {
            if (!set_has(pattern, text.front())) return false;
        } else if (first == '\\' && !pattern.empty()) {
            if (pattern.front() != text.front()) return false;
            pattern.remove_prefix(1);
        } else if (first != '?' && first != text.front()) {
            return false;
        }
        text.remove_prefix(1);
    }
    return text.empty();
}

std::uint64_t stable_hash(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (char const byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

} // namespace redlatch::sim
