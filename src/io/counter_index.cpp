#include "io/counter_index.hpp"

#include <algorithm>

namespace redlatch::io {

locking::counter_ptr counter_index::get(std::string const& name, locking::counter_kind const& kind) {
    std::lock_guard const guard(mutex_);
    if (counters_.size() >= prune_at_) {
        std::erase_if(counters_, [](auto const& one) { return one.second.expired(); });
        prune_at_ = std::max(first_prune, counters_.size() * 2);
    }
    auto& known = counters_[{&kind, name}];
    if (auto found = known.lock()) return found;
    auto made = std::make_shared<locking::counter>(name, kind);
    made->publish = publish_;
    known = made;
    kept_[next_kept_] = made;
    next_kept_ = (next_kept_ + 1) % most_kept;
    return made;
}

void counter_index::wake_all() {
    locked([this](base::wake_list& woken) {
        for (auto const& [id, weak] : counters_)
            if (auto const one = weak.lock()) one->queue.wake_all(woken);
    });
}

} // namespace redlatch::io
