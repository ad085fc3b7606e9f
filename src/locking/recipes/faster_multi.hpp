// Which fields of its group's hash a lock of several values is. wire: protocol section 9.1.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking::faster_multi {

/// Each acquisition and each renewal names all of them.
inline constexpr std::size_t most_values = 10'000;

/// As Redisson derives it from a value that its StringCodec has encoded: 22 characters.
std::string field_of(std::string_view value);
/// In order, none twice.
std::vector<std::string> fields_of(std::span<std::string const> values);

/// Of a field of a group's hash; empty parts: it is something else.
struct field {
    std::string_view value{};    ///< field_of() a value
    std::string_view owner_id{}; ///< empty: the field whose value is the owner
    std::string_view what{};     ///< ends_suffix or count_suffix
};
inline constexpr std::string_view ends_suffix = ":expire_time";
inline constexpr std::string_view count_suffix = ":lock_count";
field parse(std::string_view text);

} // namespace redlatch::locking::faster_multi
