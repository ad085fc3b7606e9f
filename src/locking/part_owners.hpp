// Who has which parts of a key, of the owners of this process: an owner that holds a part would wait for itself when it asks
// for another lock with that part.
#pragma once

#include "base/time.hpp"
#include "locking/tenure.hpp"

#include <cstdint>
#include <unordered_map>

namespace redlatch::locking {

/// Not thread-safe. Knows only tenures on locks that are parts of their keys; a tenure is removed before it ends.
class part_owners {
public:
    void add(tenure& tenure);
    void remove(tenure const& tenure) noexcept;

    /// What this owner holds of another lock that has a part in common with this one; null: nothing.
    tenure_ptr overlapping(lock_record const& record, std::uint64_t owner_number, base::instant now) const;

private:
    std::unordered_multimap<std::uint64_t, tenure*> by_owner_{};
};

} // namespace redlatch::locking
