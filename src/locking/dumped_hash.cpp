#include "locking/dumped_hash.hpp"

#include "base/assert.hpp"
#include "base/crc64.hpp"

namespace redlatch::locking {

std::string dumped_hash(std::string_view field) {
    constexpr std::size_t longest = 63; // what a length in one byte can say
    constexpr char type_hash = 4;
    constexpr char rdb_version = 6;
    constexpr std::size_t around = 2 + 1 + 2 + 2 + 8; // type, pairs, the two lengths and the value, version, checksum
    REDLATCH_ASSERT(!field.empty() && field.size() <= longest);
    std::string out;
    out.reserve(around + field.size());
    out.append({type_hash, 1, static_cast<char>(field.size())}).append(field).append({1, '1', rdb_version, 0});
    for (auto sum = base::crc64(out); out.size() < around + field.size(); sum >>= 8U)
        out.push_back(static_cast<char>(sum & 0xffU)); // the least significant byte first
    return out;
}

} // namespace redlatch::locking
