// The counters of a client, each with the waiters of this process.
#pragma once

#include "base/waker.hpp"
#include "locking/counter.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace redlatch::io {

/// Thread-safe.
class counter_index {
public:
    /// So many that were made last stay, whoever refers to them.
    static constexpr std::size_t most_kept = 32;

    /// One for each name and kind while anybody refers to it, and for a while after that: what a release has left to others is
    /// known to callers who ask for their semaphore anew each time.
    locking::counter_ptr get(std::string const& name, locking::counter_kind const& kind);

    /// Runs `act(woken)` under the mutex that guards what counters know; then wakes.
    template <class Act> auto locked(Act&& act) {
        woken_later after;
        std::lock_guard const guard(mutex_);
        return act(after.woken);
    }

    /// Before the first get(): how messages are sent, if not by PUBLISH.
    void publish_by(locking::publish_method const& method) noexcept { publish_ = &method; }

    /// The client closes.
    void wake_all();

private:
    struct woken_later { // destroyed when the mutex is free again
        base::wake_list woken{};
        ~woken_later() { woken.wake_all(); }
    };
    using key = std::pair<locking::counter_kind const*, std::string>;
    static constexpr std::size_t first_prune = 64;

    locking::publish_method const* publish_ = &locking::publish_to_all;
    std::mutex mutex_; // guards what follows
    std::map<key, std::weak_ptr<locking::counter>> counters_;
    std::size_t prune_at_ = first_prune;
    std::array<locking::counter_ptr, most_kept> kept_{};
    std::size_t next_kept_ = 0;
};

} // namespace redlatch::io
