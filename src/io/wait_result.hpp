// The error code with which a wait for a lock, or for a counter, ends.
#pragma once

#include "locking/acquire_op.hpp"

#include <system_error>

namespace redlatch::io {

/// Zero: acquired. `may_wait`: if not, a deadline is that of a single question, and means busy.
std::error_code error_of(locking::acquire_op::outcome outcome, bool may_wait) noexcept;

} // namespace redlatch::io
