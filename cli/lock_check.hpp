// Does what stands under a lock's name look like a lock? Any hash may stand there, and must not be waited for or removed.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/permit_info.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace redlatch::cli {

/// Throws error(wrong_type) when something is there that is not a lock (lock_info::foreign_field).
void require_lock(lock_info const& info);

/// Looks at the lock, and throws error(wrong_type) as require_lock does. Where the key is a number, the message says what
/// that may be.
lock_info inspect_lock(client& owner, std::string const& name, look_options const& options = {});

/// What has a name, as far as the server knows. A permit semaphore is known by permits that are taken; without any it is a
/// number, as semaphores and latches are.
using named = std::variant<lock_info, permit_info, std::int64_t>;
/// Throws error(wrong_type) where it is something else. One round trip for a lock, three for a number.
named look_at(client& owner, std::string const& name, look_options const& options = {});

} // namespace redlatch::cli
