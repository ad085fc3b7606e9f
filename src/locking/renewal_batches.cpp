#include "locking/renewal_batches.hpp"

#include "base/hash_slot.hpp"
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
    return batch.front()->is_only_asked;
}

/// What the server has to look at.
std::size_t size_of(renewal_batch const& batch) {
    if (batch.front()->record->parts().empty()) return batch.size();
    return std::accumulate(batch.begin(), batch.end(), std::size_t{0},
                           [](std::size_t sum, tenure_ptr const& one) { return sum + one->record->parts().size(); });
}

} // namespace

bool renewal_batches::renews() const noexcept {
    auto const only_questions = [](auto const& slot) {
        return std::all_of(slot.second.begin(), slot.second.end(), asks_only);
    };
    return !out_.empty() || !std::all_of(open_.begin(), open_.end(), only_questions);
}

void renewal_batches::add(tenure_ptr const& tenure) {
    if (tenure->refused_alone) {
        out_.push_back({tenure});
        return;
    }
    auto const fits = [&](renewal_batch const& batch) {
        return batch.front()->is_only_asked == tenure->is_only_asked
               && batch.front()->lock_delay() == tenure->lock_delay()
               && &renewal_of(batch) == tenure->record->how->renew;
    };
    auto& open = open_[by_slot_ ? base::hash_slot(tenure->record->name) : std::uint16_t{0}];
    auto at = std::find_if(open.begin(), open.end(), fits);
    if (at == open.end()) at = open.insert(open.end(), renewal_batch());
    at->push_back(tenure);
    if (size_of(*at) < most_) return;
    out_.push_back(std::move(*at));
    open.erase(at);
}

void renewal_batches::finish() {
    finish(false);
    finish(true);
    open_.clear();
}

void renewal_batches::finish(bool questions) {
    for (auto& [slot, open] : open_)
        for (auto& batch : open)
            if (!batch.empty() && asks_only(batch) == questions) out_.push_back(std::move(batch));
}

} // namespace redlatch::locking
