#include "locking/tenure_list.hpp"

#include <utility>

namespace redlatch::locking {
namespace {

bool is_current(tenure const& tenure) noexcept {
    return tenure.in(tenure::phase::acquiring) || tenure.in(tenure::phase::held);
}

} // namespace

void tenure_list::put(std::size_t place, tenure_ptr tenure) noexcept {
    tenure->list_index = static_cast<std::uint32_t>(place);
    several_->all[place] = std::move(tenure);
}

void tenure_list::make_index() {
    auto fresh = std::make_unique<index>();
    for (auto const& one : several_->all) fresh->emplace(one->owner_number, one.get());
    several_->by_owner = std::move(fresh);
}

/// The one that there is becomes the first of several.
void tenure_list::have_several() {
    auto fresh = std::make_unique<many>();
    fresh->all.reserve(2);
    fresh->acquired = one_->is_listed_as_acquired ? 1 : 0;
    fresh->all.push_back(std::move(one_));
    several_ = std::move(fresh);
}

void tenure_list::add(tenure_ptr const& tenure) {
    tenure->is_listed_as_acquired = false;
    if (!several_ && !one_) {
        tenure->list_index = 0;
        one_ = tenure;
        return;
    }
    if (!several_) have_several();
    auto& all = several_->all;
    all.push_back(tenure);
    try {
        if (several_->by_owner)
            several_->by_owner->emplace(tenure->owner_number, tenure.get());
        else if (all.size() > most_without_index)
            make_index();
    } catch (...) { // no memory
        all.pop_back();
        throw;
    }
    tenure->list_index = static_cast<std::uint32_t>(all.size() - 1);
}

void tenure_list::move_up(tenure& tenure) noexcept {
    auto const from = tenure.list_index;
    auto& acquired = several_->acquired;
    if (from == tenure::not_listed || from < acquired) return;
    if (from > acquired) {
        auto mine = std::move(several_->all[from]);
        put(from, std::move(several_->all[acquired]));
        put(acquired, std::move(mine));
    }
    ++acquired;
}

void tenure_list::remove_from_some(tenure& tenure) noexcept {
    auto& all = several_->all;
    auto& acquired = several_->acquired;
    std::size_t hole = std::exchange(tenure.list_index, tenure::not_listed);
    auto const gone = std::move(all[hole]);
    forget_owner(tenure);
    if (hole < acquired) { // few, and in order
        for (; hole + 1 < acquired; ++hole) put(hole, std::move(all[hole + 1]));
        --acquired;
    }
    if (hole + 1 != all.size()) put(hole, std::move(all.back()));
    all.pop_back();
    if (all.empty() && several_->by_owner) several_.reset(); // what a crowd needed is not kept for one
}

void tenure_list::forget_owner(tenure const& tenure) noexcept {
    if (!several_->by_owner) return;
    auto const [first, last] = several_->by_owner->equal_range(tenure.owner_number);
    for (auto one = first; one != last; ++one)
        if (one->second == &tenure) {
            several_->by_owner->erase(one);
            return;
        }
}

void tenure_list::clear() noexcept {
    for (auto const& one : *this) one->list_index = tenure::not_listed;
    [[maybe_unused]] auto const gone = std::move(one_);
    several_.reset();
}

tenure_ptr tenure_list::find_current(std::uint64_t owner_number) const noexcept {
    if (several_ && several_->by_owner) {
        auto const [first, last] = several_->by_owner->equal_range(owner_number);
        for (auto one = first; one != last; ++one)
            if (is_current(*one->second)) return of(*one->second);
        return nullptr;
    }
    for (auto const& one : *this)
        if (one->owner_number == owner_number && is_current(*one)) return one;
    return nullptr;
}

} // namespace redlatch::locking
