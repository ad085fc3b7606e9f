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
    all_[place] = std::move(tenure);
}

void tenure_list::make_index() {
    auto fresh = std::make_unique<index>();
    for (auto const& one : all_) fresh->emplace(one->owner_number, one.get());
    by_owner_ = std::move(fresh);
}

void tenure_list::add(tenure_ptr const& tenure) {
    all_.push_back(tenure);
    try {
        if (by_owner_)
            by_owner_->emplace(tenure->owner_number, tenure.get());
        else if (all_.size() > most_without_index)
            make_index();
    } catch (...) { // no memory
        all_.pop_back();
        throw;
    }
    tenure->list_index = static_cast<std::uint32_t>(all_.size() - 1);
}

void tenure_list::move_up(tenure& tenure) noexcept {
    auto const from = tenure.list_index;
    auto mine = std::move(all_[from]);
    put(from, std::move(all_[acquired_]));
    put(acquired_, std::move(mine));
    ++acquired_;
}

void tenure_list::remove_from_some(tenure& tenure) noexcept {
    std::size_t hole = std::exchange(tenure.list_index, tenure::not_listed);
    auto const gone = std::move(all_[hole]);
    forget_owner(tenure);
    if (hole < acquired_) { // few, and in order
        for (; hole + 1 < acquired_; ++hole) put(hole, std::move(all_[hole + 1]));
        --acquired_;
    }
    if (hole + 1 != all_.size()) put(hole, std::move(all_.back()));
    all_.pop_back();
    if (all_.empty() && by_owner_) { // what a crowd needed is not kept for one
        by_owner_.reset();
        all_.clear();
    }
}

void tenure_list::forget_owner(tenure const& tenure) noexcept {
    if (!by_owner_) return;
    auto const [first, last] = by_owner_->equal_range(tenure.owner_number);
    for (auto one = first; one != last; ++one)
        if (one->second == &tenure) {
            by_owner_->erase(one);
            return;
        }
}

void tenure_list::clear() noexcept {
    for (auto const& one : all_) one->list_index = tenure::not_listed;
    by_owner_.reset();
    acquired_ = 0;
    all_.clear();
}

tenure_ptr tenure_list::find_current(std::uint64_t owner_number) const noexcept {
    if (by_owner_) {
        auto const [first, last] = by_owner_->equal_range(owner_number);
        for (auto one = first; one != last; ++one)
            if (is_current(*one->second)) return of(*one->second);
        return nullptr;
    }
    for (auto const& one : all_)
        if (one->owner_number == owner_number && is_current(*one)) return one;
    return nullptr;
}

} // namespace redlatch::locking
