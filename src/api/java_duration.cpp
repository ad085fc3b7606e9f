#include "api/java_duration.hpp"

#include "api/config_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace redlatch {

namespace {

/// Takes `number` and its unit from the front, where it is there; 0 where not.
std::optional<duration> take(std::string_view& text, char unit, duration one) {
    auto const end = text.find_first_not_of("0123456789");
    if (end == 0 || end == std::string_view::npos || text[end] != unit) return duration(0);
    std::int64_t number = 0;
    auto const [rest, problem] = std::from_chars(text.data(), text.data() + end, number);
    if (problem != std::errc{} || rest != text.data() + end || number > config_limits::longest / one)
        return std::nullopt;
    text.remove_prefix(end + 1);
    return number * one;
}

/// `12S`, `0.5S` or `.250S`, the only part with a fraction.
std::optional<duration> take_seconds(std::string_view& text) {
    auto const point = text.find('.');
    if (point == std::string_view::npos) return take(text, 'S', std::chrono::seconds(1));
    auto fraction = text.substr(point + 1);
    if (!fraction.ends_with('S')) return std::nullopt;
    fraction.remove_suffix(1);
    auto const is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
    if (fraction.empty() || fraction.size() > 9 || !std::ranges::all_of(fraction, is_digit)) return std::nullopt;
    if (fraction.substr(std::min<std::size_t>(3, fraction.size())).find_first_not_of('0') != std::string_view::npos)
        return std::nullopt;
    auto whole = std::string(text.substr(0, point)) + 'S';
    std::string_view remaining = whole;
    auto const seconds = point == 0 ? duration(0) : take(remaining, 'S', std::chrono::seconds(1));
    if (!seconds || (point > 0 && !remaining.empty())) return std::nullopt;
    auto digits = std::string(fraction.substr(0, 3));
    digits.resize(3, '0');
    text = {};
    return *seconds + duration((digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0'));
}

} // namespace

std::optional<duration> parse_java_duration(std::string_view text) {
    if (!text.starts_with('P')) return std::nullopt;
    text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    auto const days = take(text, 'D', std::chrono::hours(24));
    std::array<std::optional<duration>, 4> parts{days, duration(0), duration(0), duration(0)};
    if (text.starts_with('T') && text.size() > 1) {
        text.remove_prefix(1);
        parts[1] = take(text, 'H', std::chrono::hours(1));
        parts[2] = take(text, 'M', std::chrono::minutes(1));
        if (!text.empty()) parts[3] = take_seconds(text);
    }
    if (!text.empty()) return std::nullopt;
    duration sum{0};
    for (auto const& part : parts) {
        if (!part) return std::nullopt;
        sum += *part; // at most four times `longest`
    }
    if (sum > config_limits::longest) return std::nullopt;
    return sum;
}

} // namespace redlatch
