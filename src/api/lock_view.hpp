// What the server says of locks.
#pragma once

#include "api/access.hpp"
#include "io/query.hpp"

#include <redlatch/lock_info.hpp>

#include <memory>
#include <optional>
#include <string>

namespace redlatch::detail {

locking::script_call inspect_call(std::string const& name);
/// Throws error(bad_reply).
lock_info to_info(std::string const& name, resp::value const& reply);
/// For listings: any hash may have answered.
bool looks_like_lock(lock_info const& seen);

locking::script_call force_release_call(lock_impl const& of);
/// Local holds of a lock that was force-released are lost. True: there was one.
bool after_force_release(lock_impl const& of, io::query const& done);

} // namespace redlatch::detail
