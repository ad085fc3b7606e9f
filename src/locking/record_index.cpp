#include "locking/record_index.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

record_ptr record_index::get(std::string const& name, recipe const& kind, std::vector<std::string> const& parts) {
    if (records_.size() >= prune_at_) {
        std::erase_if(records_, [](auto const& one) { return one.second.expired(); });
        prune_at_ = std::max<std::size_t>(64, records_.size() * 2);
    }
    auto& known = records_[{&kind, name, parts}];
    auto found = known.lock();
    if (!found) {
        found = std::make_shared<lock_record>(name, kind, random_.next(), waiter_timeout_, parts);
        found->publish = publish_;
        known = found;
    }
    return found;
}

record_ptr record_index::find(std::string const& name, recipe const& kind) const {
    auto const known = records_.find({&kind, name, {}});
    return known == records_.end() ? nullptr : known->second.lock();
}

void record_index::remember(record_ptr const& record, base::instant now) {
    bool const known = record->remembered_until != base::never;
    record->remembered_until = base::later(now, remembered_for);
    if (!known) remembered_.push_back(record);
    while (remembered_.front()->remembered_until <= now || remembered_.size() > most_remembered) {
        remembered_.front()->remembered_until = base::never;
        remembered_.pop_front();
    }
    // One that is used all the time must not hide those behind it.
    if (remembered_.front() != record) {
        remembered_.push_back(std::move(remembered_.front()));
        remembered_.pop_front();
    }
}

void record_index::keep_refused(record_ptr const& record) {
    if (std::find(refused_.begin(), refused_.end(), record) != refused_.end()) return;
    refused_.push_back(record);
    if (refused_.size() > most_remembered) refused_.pop_front();
}

} // namespace redlatch::locking
