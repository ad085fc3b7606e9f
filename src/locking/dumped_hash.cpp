#include "locking/dumped_hash.hpp"

#include "base/assert.hpp"
#include "base/crc64.hpp"

#include <algorithm>
#include <initializer_list>

namespace redlatch::locking {

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): only what bytes() shows is written
dumped_hash::dumped_hash(std::string_view field) noexcept : size_(around + field.size()) {
    constexpr char type_hash = 4;
    constexpr char rdb_version = 6;
    REDLATCH_ASSERT(!field.empty() && field.size() <= longest_field);
    auto* at = buffer_.data();
    for (char const one : {type_hash, char{1}, static_cast<char>(field.size())}) *at++ = one;
    at = std::copy(field.begin(), field.end(), at);
    for (char const one : {char{1}, '1', rdb_version, char{0}}) *at++ = one;
    auto sum = base::crc64({buffer_.data(), static_cast<std::size_t>(at - buffer_.data())});
    for (auto* const end = buffer_.data() + size_; at < end; sum >>= 8U)
        *at++ = static_cast<char>(sum & 0xffU); // the least significant byte first
}

} // namespace redlatch::locking
