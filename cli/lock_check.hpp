// Does what stands under a lock's name look like a lock? Any hash may stand there, and must not be waited for or removed.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/lock_info.hpp>

#include <string>

namespace redlatch::cli {

/// Throws error(wrong_type) when something is there that is not a lock: fields are "UUID:NUMBER", for a writer and a
/// candidate of an election with more behind another colon, with counts from 1.
void require_lock(lock_info const& info);

/// Looks at the lock, and throws error(wrong_type) as require_lock does. Where the key is a number, the message says that it
/// may be a semaphore or a latch.
lock_info inspect_lock(client& owner, std::string const& name, look_options const& options = {});

} // namespace redlatch::cli
