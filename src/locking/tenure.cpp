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
    owner_id_text composed;
    composed.assign({record->settings->owner_prefix, number,
                     has_own_suffix() ? std::string_view(extras.load(std::memory_order_acquire)->owner_suffix)
                                      : record->how->owner_suffix});
    return composed;
}

} // namespace redlatch::locking
