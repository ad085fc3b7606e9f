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

#include "base/recycling.hpp"
#include "locking/tenure.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// Not thread-safe. One tenure needs no memory of its own.
class tenure_list {
public:
    /// One that is being acquired. Strong guarantee.
    void add(tenure_ptr const& tenure);
    /// It has the lock: once, and again without effect.
    void has_acquired(tenure& tenure) noexcept {
        if (several_)
            move_up(tenure);
        else
            tenure.is_listed_as_acquired = tenure.list_index != tenure::not_listed;
    }
    /// One that is not here stays away.
    void remove(tenure& tenure) noexcept {
        if (tenure.list_index == tenure::not_listed) return;
        if (several_) return remove_from_some(tenure);
        tenure.list_index = tenure::not_listed;
        [[maybe_unused]] auto const gone = std::move(one_);
    }
    void clear() noexcept;

    /// What this owner holds or is acquiring; null: nothing.
    tenure_ptr current(std::uint64_t owner_number) const noexcept {
        return empty() ? nullptr : find_current(owner_number);
    }
    /// Those that have had the lock: they hold, are being handed off, or are lost with levels not given back.
    std::span<tenure_ptr const> acquired() const noexcept {
        if (several_) return {several_->all.data(), several_->acquired};
        return {&one_, one_ && one_->is_listed_as_acquired ? 1U : 0U};
    }
    /// The one that is here, as a reference to keep.
    tenure_ptr const& of(tenure const& tenure) const noexcept { return begin()[tenure.list_index]; }

    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return several_ ? several_->all.size() : (one_ ? 1U : 0U); }
    tenure_ptr const* begin() const noexcept { return several_ ? several_->all.data() : &one_; }
    tenure_ptr const* end() const noexcept { return begin() + size(); }
    using value_type = tenure_ptr;
    using const_iterator = tenure_ptr const*;

    static constexpr std::size_t most_without_index = 16;

private:
    using index = std::unordered_multimap<std::uint64_t, tenure*>;
    struct many {
        std::vector<tenure_ptr, base::recycling<tenure_ptr>> all{};
        std::unique_ptr<index> by_owner{};
        std::uint32_t acquired = 0; ///< so many, the first ones, have had it
    };
    void have_several();
    void move_up(tenure& tenure) noexcept;
    void remove_from_some(tenure& tenure) noexcept;
    tenure_ptr find_current(std::uint64_t owner_number) const noexcept;
    void put(std::size_t place, tenure_ptr tenure) noexcept;
    void make_index();
    void forget_owner(tenure const& tenure) noexcept;

    tenure_ptr one_{};                ///< null: there is none, or there are several
    std::unique_ptr<many> several_{}; ///< all of them, once there was more than one
};

} // namespace redlatch::locking
