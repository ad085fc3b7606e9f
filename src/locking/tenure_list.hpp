// The tenures on one lock.
//
// One has the lock, and very many may wait for it: nobody looks for the holder among the waiters, nor for one waiter among all.
//
// | event                      | the tenure is                                                            |
// |----------------------------|--------------------------------------------------------------------------|
// | opened                     | behind all: among those that are being acquired, in no particular order  |
// | acquired                   | among those that have had it, which come first, in the order of that     |
// | given up, released, lost and given back | not here                                                    |
// Beyond some, an index leads from an owner to its tenures.
#pragma once

#include "base/one_or_more.hpp"
#include "locking/tenure.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

namespace redlatch::locking {

/// Not thread-safe.
class tenure_list {
public:
    /// One that is being acquired.
    void add(tenure_ptr const& tenure);
    /// It has the lock: once, and again without effect.
    void has_acquired(tenure& tenure) noexcept {
        if (tenure.list_index == acquired_)
            ++acquired_; // nobody else waits
        else if (tenure.list_index != tenure::not_listed && tenure.list_index > acquired_)
            move_up(tenure);
    }
    /// One that is not here stays away.
    void remove(tenure& tenure) noexcept {
        if (tenure.list_index == tenure::not_listed) return;
        if (all_.size() > 1 || by_owner_) return remove_from_some(tenure);
        tenure.list_index = tenure::not_listed;
        acquired_ = 0;
        all_.pop_back();
    }
    void clear() noexcept;

    /// What this owner holds or is acquiring; null: nothing.
    tenure_ptr current(std::uint64_t owner_number) const noexcept {
        return all_.empty() ? nullptr : find_current(owner_number);
    }
    /// Those that have had the lock: they hold, pass, or are lost with levels not given back.
    std::span<tenure_ptr const> acquired() const noexcept { return {all_.data(), acquired_}; }
    /// The one that is here, as a reference to keep.
    tenure_ptr const& of(tenure const& tenure) const noexcept { return all_[tenure.list_index]; }

    bool empty() const noexcept { return all_.empty(); }
    std::size_t size() const noexcept { return all_.size(); }
    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }
    using value_type = tenure_ptr;
    using const_iterator = tenure_ptr const*;

    static constexpr std::size_t most_without_index = 16;

private:
    using index = std::unordered_multimap<std::uint64_t, tenure*>;
    void move_up(tenure& tenure) noexcept;
    void remove_from_some(tenure& tenure) noexcept;
    tenure_ptr find_current(std::uint64_t owner_number) const noexcept;
    void put(std::size_t place, tenure_ptr tenure) noexcept;
    void make_index();
    void forget_owner(tenure const& tenure) noexcept;

    base::one_or_more<tenure_ptr> all_;
    std::unique_ptr<index> by_owner_;
    std::uint32_t acquired_ = 0; ///< so many, the first ones, have had it
};

} // namespace redlatch::locking
