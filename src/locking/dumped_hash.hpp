// A hash with one field, in the form that DUMP gives and RESTORE takes.
#pragma once

#include <array>
#include <string_view>

namespace redlatch::locking {

/// The field's value is "1". `field` is 1 to 63 bytes long, as every OWNER is.
/// wire: type 4 (hash), one pair, two strings with 6-bit lengths, RDB version 6 (which every server since 2.6 reads), CRC-64.
class dumped_hash {
public:
    explicit dumped_hash(std::string_view field) noexcept;
    std::string_view bytes() const noexcept { return {buffer_.data(), size_}; }

    static constexpr std::size_t longest_field = 63; ///< what a length in one byte can say

private:
    static constexpr std::size_t around =
        2 + 1 + 2 + 2 + 8; // type, pairs, the two lengths and the value, version, checksum
    std::array<char, around + longest_field> buffer_;
    std::size_t size_;
};

} // namespace redlatch::locking
