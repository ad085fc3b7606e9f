// How whoever waits is told that there is something to look at.
#pragma once

#include "base/recycling.hpp"

#include <memory>
#include <new>
#include <vector>

namespace redlatch::base {

/// A parked thread or a suspended task. A wake is a hint: it may come late, twice or for nothing, so the woken looks again.
class wakeable {
public:
    /// From any thread, never with a mutex of this library held.
    virtual void wake() noexcept = 0;
    /// The same with one held, where there is no memory for waking it later. What does more in wake() than to let a thread or
    /// a task know lets another thread do it.
    virtual void wake_under_mutex() noexcept { wake(); }

protected:
    ~wakeable() = default;
};

/// A task is kept alive by its wakers. A thread's parker is never destroyed, and its waker owns nothing and costs nothing.
using waker = std::shared_ptr<wakeable>;

/// Collected under a mutex, woken after it was released: a thread that is woken under a mutex runs straight into it.
class wake_list {
public:
    /// Where there is no memory for it, it is woken at once.
    void add(waker const& sleeper) noexcept {
        if (!sleeper) return;
        if (!first_) {
            first_ = sleeper;
            return;
        }
        try {
            more_.push_back(sleeper);
        } catch (std::bad_alloc const&) {
            sleeper->wake_under_mutex();
        }
    }
    bool empty() const noexcept { return !first_; }
    /// Is there anybody but this one?
    bool has_others(wakeable const* than) const noexcept { return (first_ && first_.get() != than) || !more_.empty(); }
    /// `but`: the caller itself, which is awake.
    void wake_all(wakeable const* but = nullptr) noexcept {
        if (first_ && first_.get() != but) first_->wake();
        first_.reset();
        for (auto const& who : more_)
            if (who.get() != but) who->wake();
        more_.clear();
    }

private:
    waker first_; ///< mostly the only one: no memory is asked for
    std::vector<waker, recycling<waker>> more_;
};

} // namespace redlatch::base
