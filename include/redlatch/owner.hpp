// Who holds a lock.
//
// A lock belongs to an owner, not to a thread. By default the owner is the calling thread, as std::mutex users expect; an
// explicit owner lets one piece of work take a lock here and release it on another thread, in a callback or in a coroutine.
#pragma once

#include <redlatch/export.hpp>

#include <compare>
#include <cstdint>

namespace redlatch {

/// A logical owner; equality is identity. Copies are the same owner.
/// Thread safety: distinct and shared objects are safe. Never blocks, no round trip.
class REDLATCH_EXPORT owner {
public:
    /// A new owner, different from every other one of this process.
    owner() noexcept;

    /// The calling thread. Numbers come from a process-wide counter and, unlike operating-system ids, are never used again.
    static owner this_thread() noexcept;

    /// A process-wide unique number, for logs. It is not the number in Redis: each hold gets a fresh one there.
    std::uint64_t number() const noexcept { return number_; }

    /// From this_thread()?
    bool is_thread() const noexcept { return is_thread_; }

    friend bool operator==(owner const&, owner const&) noexcept = default;
    friend std::strong_ordering operator<=>(owner const&, owner const&) noexcept = default;

private:
    explicit owner(std::uint64_t thread) noexcept : number_(thread), is_thread_(true) {}
    std::uint64_t number_;
    bool is_thread_ = false;
};

} // namespace redlatch
