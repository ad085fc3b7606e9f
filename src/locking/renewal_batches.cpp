#include "locking/renewal_batches.hpp"

#include "locking/lock_record.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace redlatch::locking {

renewal const& renewal_of(renewal_batch const& batch) {
    return *batch.front()->record->how->renew;
}

namespace {

bool asks_only(renewal_batch const& batch) {
    return batch.front()->renewal_lease == mere_question;
}

/// What the server has to look at.
std::size_t size_of(renewal_batch const& batch) {
    if (batch.front()->record->parts.empty()) return batch.size();
    return std::accumulate(batch.begin(), batch.end(), std::size_t{0},
                           [](std::size_t sum, tenure_ptr const& one) { return sum + one->record->parts.size(); });
}

} // namespace

bool renewal_batches::renews() const noexcept {
    return !out_.empty() || !std::all_of(open_.begin(), open_.end(), asks_only);
}

void renewal_batches::add(tenure_ptr const& tenure) {
    if (tenure->refused_alone) {
        out_.push_back({tenure});
        return;
    }
    auto const fits = [&](renewal_batch const& batch) {
        return batch.front()->renewal_lease == tenure->renewal_lease && batch.front()->lock_delay == tenure->lock_delay
               && &renewal_of(batch) == tenure->record->how->renew;
    };
    auto at = std::find_if(open_.begin(), open_.end(), fits);
    if (at == open_.end()) at = open_.insert(open_.end(), renewal_batch());
    at->push_back(tenure);
    if (size_of(*at) < most_) return;
    out_.push_back(std::move(*at));
    open_.erase(at);
}

void renewal_batches::finish() {
    finish(false);
    finish(true);
    open_.clear();
}

void renewal_batches::finish(bool questions) {
    for (auto& batch : open_)
        if (!batch.empty() && asks_only(batch) == questions) out_.push_back(std::move(batch));
}

} // namespace redlatch::locking
