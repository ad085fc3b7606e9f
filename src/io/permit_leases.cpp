#include "io/permit_leases.hpp"

#include "io/permit_lease.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace redlatch::io {

bool permit_leases::add(permit_lease& one) {
    std::lock_guard const guard(mutex_);
    held_.push_back(&one);
    one.position_ = held_.size(); // from 1
    return last_verified_ >= one.terms_.taken_at;
}

void permit_leases::remove(permit_lease& one) noexcept {
    std::lock_guard const guard(mutex_);
    if (one.position_ == 0) return;
    held_[one.position_ - 1] = held_.back();
    held_.back()->position_ = one.position_;
    held_.pop_back();
    one.position_ = 0;
}

void permit_leases::verify_all(base::instant now) {
    std::vector<std::shared_ptr<permit_lease>> all; // one whose last reference was here goes when the mutex is free
    {
        std::lock_guard const guard(mutex_);
        last_verified_ = now;
        all.reserve(held_.size());
        for (auto* const one : held_)
            if (auto kept = one->weak_from_this().lock()) all.push_back(std::move(kept));
    }
    for (auto const& one : all) one->verify();
}

void permit_leases::on_departed(locking::counter_ptr const& counter, locking::wire_call release,
                                base::instant now) noexcept {
    if (!remembers_) return;
    std::lock_guard const guard(mutex_);
    try {
        departed_.add(now, [&](departed& one) {
            one.counter = counter;
            one.release = std::move(release);
        });
    } catch (std::bad_alloc const&) { // should a failover bring them back, they stay until their lease is over
    }
}

std::vector<permit_leases::departed>
permit_leases::departed_from(base::function_ref<bool(std::string_view)> is_elsewhere, base::instant now) {
    std::lock_guard const guard(mutex_);
    return departed_.take(now, [&](departed const& one) { return is_elsewhere(one.counter->name); });
}

} // namespace redlatch::io
