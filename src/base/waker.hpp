// How whoever waits is told that there is something to look at.
#pragma once

#include <memory>
#include <vector>

namespace redlatch::base {

/// A parked thread or a suspended task. A wake is a hint: it may come late, twice or for nothing, so the woken looks again.
class wakeable {
public:
    /// From any thread, never with a mutex of this library held.
    virtual void wake() noexcept = 0;

protected:
    ~wakeable() = default;
};

/// A task is kept alive by its wakers. A thread's parker is never destroyed, and its waker owns nothing and costs nothing.
using waker = std::shared_ptr<wakeable>;

/// Collected under a mutex, woken after it was released: a thread that is woken under a mutex runs straight into it.
class wake_list {
public:
    void add(waker const& who) {
        if (who) woken_.push_back(who);
    }
    bool empty() const noexcept { return woken_.empty(); }
    /// `but`: the caller itself, which is awake.
    void wake_all(wakeable const* but = nullptr) noexcept {
        for (auto const& who : woken_)
            if (who.get() != but) who->wake();
        woken_.clear();
    }

private:
    std::vector<waker> woken_;
};

} // namespace redlatch::base
