// Does what stands under a lock's name look like a lock? Any hash may stand there, and must not be waited for or removed.
#pragma once

#include <redlatch/lock_info.hpp>

namespace redlatch::cli {

/// Throws error(wrong_type) when something is there that is not a lock: fields are "UUID:NUMBER", or "UUID:NUMBER:write", with
/// counts from 1.
void require_lock(lock_info const& info);

} // namespace redlatch::cli
