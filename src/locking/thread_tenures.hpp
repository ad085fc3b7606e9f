// The tenures of each thread that owns locks, to be found when the thread ends.
#pragma once

#include "locking/tenure.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>

namespace redlatch::locking {

/// Linked through the tenures themselves, so that joining and leaving take no memory. Not thread-safe.
class thread_tenures {
public:
    /// Call before this thread acquires anything: what it opens from now on is found.
    void watch(std::uint64_t owner_number) { threads_.try_emplace(owner_number, nullptr); }
    /// It has left all of its tenures, or they are not to be found any more.
    void forget(std::uint64_t owner_number) noexcept;

    /// Of an owner that is not watched: nothing.
    void join(tenure& tenure) noexcept;
    static void leave(tenure& tenure) noexcept;

    /// The others follow as `next_of_thread`. Null: none, or not watched.
    tenure* first(std::uint64_t owner_number) noexcept;

private:
    using entry = std::pair<std::uint64_t const, tenure*>;
    entry* find(std::uint64_t owner_number) noexcept;

    std::unordered_map<std::uint64_t, tenure*> threads_{};
    entry* last_found_ = nullptr;
};

} // namespace redlatch::locking
