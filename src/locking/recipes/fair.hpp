// What the kinds have in common whose waiters get the lock in the order in which they came. wire: protocol section 5.4.
#pragma once

#include "locking/names.hpp"
#include "locking/recipes/owner_hash.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking::fair {

inline constexpr std::string_view before_queue = "redisson_lock_queue";
/// The key of the owners that wait, in their order.
inline std::string queue_of(std::string_view name) {
    return prefixed(before_queue, name);
}
/// The key of the times after which they are passed over.
inline std::string timeouts_of(std::string_view name) {
    return prefixed("redisson_lock_timeout", name);
}

wire_call acquire(call_context const& context);
wire_call release(call_context const& context);
wire_call force_release(call_context const& context);
std::string waiter_channel(call_context const& context);
std::vector<std::string> further_keys(std::string_view name);

constexpr recipe make_recipe(std::string_view kind) noexcept {
    auto made = owner_hash::make_recipe(kind);
    made.acquire = acquire;
    made.release = release;
    made.force_release = force_release;
    made.plain = nullptr;       // no plain command looks at the queue
    made.local_handoff = false; // the next one in the queue may be of another process
    made.waiter_channel = waiter_channel;
    made.further_keys = further_keys;
    return made;
}

} // namespace redlatch::locking::fair
