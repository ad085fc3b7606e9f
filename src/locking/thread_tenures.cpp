#include "locking/thread_tenures.hpp"

namespace redlatch::locking {

thread_tenures::entry* thread_tenures::find(std::uint64_t owner_number) noexcept {
    if (last_found_ != nullptr && last_found_->first == owner_number) return last_found_;
    auto const found = threads_.find(owner_number);
    if (found == threads_.end()) return nullptr;
    return last_found_ = &*found;
}

void thread_tenures::forget(std::uint64_t owner_number) noexcept {
    last_found_ = nullptr;
    threads_.erase(owner_number);
}

void thread_tenures::join(tenure& tenure) noexcept {
    auto* const found = find(tenure.owner_number);
    if (found == nullptr) return;
    tenure.next_of_thread = found->second;
    tenure.thread_link = &found->second;
    if (tenure.next_of_thread != nullptr) tenure.next_of_thread->thread_link = &tenure.next_of_thread;
    found->second = &tenure;
}

void thread_tenures::leave(tenure& tenure) noexcept {
    if (tenure.thread_link == nullptr) return;
    *tenure.thread_link = tenure.next_of_thread;
    if (tenure.next_of_thread != nullptr) tenure.next_of_thread->thread_link = tenure.thread_link;
    tenure.thread_link = nullptr;
    tenure.next_of_thread = nullptr;
}

tenure* thread_tenures::first(std::uint64_t owner_number) noexcept {
    auto* const found = find(owner_number);
    return found == nullptr ? nullptr : found->second;
}

} // namespace redlatch::locking
