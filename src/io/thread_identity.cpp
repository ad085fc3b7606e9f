#include "io/thread_identity.hpp"

#include "io/thread_end_key.hpp"

#include <redlatch/owner.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

namespace redlatch::io {

namespace {

// Relaxed: the numbers only have to differ.
constinit std::atomic<std::uint64_t> last_thread_number{0};

std::uint64_t next_number() noexcept {
    return last_thread_number.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct subscriptions {
    std::vector<std::weak_ptr<thread_exit_listener>> listeners;
    std::size_t prune_at = 8;
};

// Trivial thread_local objects, so that they can be read in the destructors of other ones.
constinit thread_local std::uint64_t number = 0;
constinit thread_local subscriptions* current = nullptr;

void notify_all(void* argument) noexcept {
    std::unique_ptr<subscriptions> const ending(static_cast<subscriptions*>(argument));
    // From here on a subscription makes a new record, and with it another round of key destructors.
    current = nullptr;
    for (auto const& listener : ending->listeners)
        if (auto const alive = listener.lock()) alive->on_thread_exit(this_thread_number());
}

thread_end_key const end_of_thread(notify_all);

bool same(std::weak_ptr<thread_exit_listener> const& left, std::weak_ptr<thread_exit_listener> const& right) noexcept {
    return !left.owner_before(right) && !right.owner_before(left);
}

subscriptions& this_threads() {
    if (!current) {
        auto record = std::make_unique<subscriptions>();
        end_of_thread.set(record.get());
        current = record.release();
    }
    return *current;
}

} // namespace

std::uint64_t this_thread_number() noexcept {
    if (number == 0) number = next_number();
    return number;
}

bool subscribe_thread_exit(std::weak_ptr<thread_exit_listener> const& listener) {
    auto& [listeners, prune_at] = this_threads();
    auto const known = [&](auto const& other) { return same(other, listener); };
    if (std::any_of(listeners.rbegin(), listeners.rend(), known)) return false;
    if (listeners.size() >= prune_at) {
        std::erase_if(listeners, [](auto const& other) { return other.expired(); });
        prune_at = std::max<std::size_t>(8, 2 * listeners.size());
    }
    listeners.push_back(listener);
    return true;
}

} // namespace redlatch::io

namespace redlatch {

owner::owner() noexcept : number_(io::next_number()) {}

owner owner::this_thread() noexcept {
    return owner(io::this_thread_number());
}

} // namespace redlatch
