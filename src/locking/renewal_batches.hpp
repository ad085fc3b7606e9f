// Holds that are to be asked about, put together so that few calls are needed: what one call asks for is the same for all of
// its holds.
#pragma once

#include "base/time.hpp"
#include "locking/recipe.hpp"
#include "locking/tenure.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace redlatch::locking {

using renewal_batch = std::vector<tenure_ptr>;

/// A renewal with a lease of this is an ownership probe: it changes nothing, and tells whether the lock is still ours.
constexpr base::milliseconds ownership_probe{1};

/// How the holds of a batch are renewed: the same for all of them.
renewal const& renewal_of(renewal_batch const& batch);

class renewal_batches {
public:
    /// Complete batches go to `out`. `most`: holds in one call; one of many parts counts for as many.
    /// `by_slot`: the keys of a batch have one slot of a cluster.
    renewal_batches(std::size_t most, std::vector<renewal_batch>& out, bool by_slot = false)
        : most_(most), by_slot_(by_slot), out_(out) {}

    /// With others that have the same renewal, is_only_asked and lock_delay.
    void add(tenure_ptr const& tenure);
    /// What is not complete goes out too: renewals first, then ownership probes.
    void finish();

    /// Something is renewed: what is due soon may go with it.
    bool renews() const noexcept;

private:
    void finish(bool questions);

    std::size_t const most_;
    bool const by_slot_;
    std::vector<renewal_batch>& out_;
    /// By slot; few of each: one for each renewal, lease and delay.
    std::map<std::uint16_t, std::vector<renewal_batch>> open_;
};

} // namespace redlatch::locking
