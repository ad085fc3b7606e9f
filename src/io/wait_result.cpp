#include "io/wait_result.hpp"

#include <redlatch/error.hpp>

namespace redlatch::io {

std::error_code error_of(locking::acquire_op::outcome outcome, bool may_wait) noexcept {
    using locking::acquire_op;
    switch (outcome) {
    case acquire_op::outcome::acquired: return {};
    case acquire_op::outcome::busy: return errc::busy;
    case acquire_op::outcome::timed_out: return may_wait ? errc::timed_out : errc::busy;
    case acquire_op::outcome::cancelled: return errc::cancelled;
    case acquire_op::outcome::closed: return errc::closed;
    case acquire_op::outcome::lost: return errc::lease_lost;
    case acquire_op::outcome::refused: return errc::server_refused;
    case acquire_op::outcome::wrong_type: return errc::wrong_type;
    case acquire_op::outcome::bad_reply: return errc::bad_reply;
    case acquire_op::outcome::pending:
    case acquire_op::outcome::disconnected: break;
    }
    return errc::disconnected;
}

} // namespace redlatch::io
