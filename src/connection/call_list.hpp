// Calls in the order in which they came, each of which may leave from anywhere: very many may wait, and all give up at once.
#pragma once

#include "connection/call.hpp"

namespace redlatch::connection {

/// Not thread-safe. A call is in one list at the most. Nothing here asks for memory.
class call_list {
public:
    call_list() = default;
    call_list(call_list const&) = delete;
    call_list& operator=(call_list const&) = delete;
    ~call_list() {
        while (!empty()) pop_front();
    }

    bool empty() const noexcept { return first_ == nullptr; }
    /// Of a list that is not empty.
    call_ptr const& front() const noexcept { return first_->listed; }

    void push_back(call_ptr const& call) noexcept;
    call_ptr pop_front() noexcept { return remove(*first_); }
    /// The list's reference; null: it is not there.
    call_ptr remove(call& call) noexcept;

private:
    call* first_ = nullptr;
    call* last_ = nullptr;
};

} // namespace redlatch::connection
