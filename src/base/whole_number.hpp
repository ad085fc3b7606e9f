// A number that is the whole of a text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace redlatch::base {

/// Decimal. None: another text, or a number that does not fit.
template <class Number> std::optional<Number> whole_number(std::string_view text) {
    Number number{};
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace redlatch::base
