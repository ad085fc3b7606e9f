// The kinds of counter.
#pragma once

#include "locking/counter.hpp"

namespace redlatch::locking {

extern counter_kind const semaphore_kind; ///< Redisson's RSemaphore: protocol section 7.1
extern counter_kind const latch_kind;     ///< RCountDownLatch: protocol section 7.2
extern counter_kind const permit_kind;    ///< RPermitExpirableSemaphore: protocol section 7.3
extern counter_kind const election_kind;  ///< another leader: protocol section 8.2

} // namespace redlatch::locking
