#include "locking/tenure.hpp"

#include "locking/lock_record.hpp"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>

namespace redlatch::locking {

owner_id_text tenure::owner_id() const {
    char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
    auto const end = std::to_chars(std::begin(digits), std::end(digits), serial).ptr;
    std::string_view const number(digits, static_cast<std::size_t>(end - digits));
    auto const own = own_suffix();
    owner_id_text composed;
    composed.assign({record->settings->owner_prefix, number, own.empty() ? record->how->owner_suffix : own});
    return composed;
}

} // namespace redlatch::locking
