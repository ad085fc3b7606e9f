// A reply of the server, decoded from RESP2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::resp {

/// A plain value. Integer, nil and short status replies need no allocation.
struct value {
    enum class kind : std::uint8_t { nil, integer, status, string, error, array };

    kind type = kind::nil;
    std::int64_t integer = 0; ///< of kind integer
    std::string text{};       ///< of kind status, string or error
    std::vector<value> items{};

    bool is_nil() const noexcept { return type == kind::nil; }
    bool is_integer() const noexcept { return type == kind::integer; }
    bool is_error() const noexcept { return type == kind::error; }
    bool is_text() const noexcept { return type == kind::status || type == kind::string; }
    bool is_array() const noexcept { return type == kind::array; }

    /// True for an error whose first word is exactly `word`: BUSY is not BUSYKEY.
    bool is_error_named(std::string_view word) const noexcept;
};

} // namespace redlatch::resp
