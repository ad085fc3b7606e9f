#include "locking/part_owners.hpp"

#include "locking/lock_record.hpp"

#include <algorithm>

namespace redlatch::locking {
namespace {

/// Both are in order.
bool have_common(std::span<std::string const> some, std::span<std::string const> others) {
    auto at = others.begin();
    return std::any_of(some.begin(), some.end(), [&](std::string const& part) {
        at = std::lower_bound(at, others.end(), part);
        return at != others.end() && *at == part;
    });
}

} // namespace

void part_owners::add(tenure& tenure) {
    if (!tenure.record->parts().empty()) by_owner_.emplace(tenure.owner_number, &tenure);
}

void part_owners::remove(tenure const& tenure) noexcept {
    if (tenure.record->parts().empty()) return;
    auto const [first, last] = by_owner_.equal_range(tenure.owner_number);
    auto const found = std::find_if(first, last, [&](auto const& one) { return one.second == &tenure; });
    if (found != last) by_owner_.erase(found);
}

tenure_ptr part_owners::overlapping(lock_record const& record, std::uint64_t owner_number, base::instant now) const {
    if (record.parts().empty()) return nullptr;
    auto const [first, last] = by_owner_.equal_range(owner_number);
    auto const found = std::find_if(first, last, [&](auto const& one) {
        auto const& other = *one.second->record;
        return &other != &record && other.how == record.how && other.name == record.name && one.second->holds(now)
               && have_common(record.parts(), other.parts());
    });
    return found == last ? nullptr : found->second->record->tenures.of(*found->second);
}

} // namespace redlatch::locking
