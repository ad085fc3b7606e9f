// The re-entrant lock that gives each hold a fencing token: Redisson's RFencedLock.
//
//     redlatch::fenced_lock ledger = client.get_fenced_lock("ledger");
//     redlatch::hold hold = ledger.acquire();
//     store.write(row, *hold.token());               // refused by the store if it has seen a greater token
//
// No lease can stop a holder that sleeps through its end and writes afterwards, before it looks at its hold. A token can:
// each acquisition, by any client in any language, gets a greater one, and what is protected refuses all that are less than the
// greatest it has seen. fencing_gate.hpp does so within one process; docs/fencing.md shows databases. A re-entry has the token
// of its owner's first hold, although the counter on the server moves on.
//
// The price: an acquisition is always a script, whatever config::commands says, and there is no hand-off within the process,
// since each owner needs a token of its own. Other kinds give tokens on request, at the same price and from the same counter:
// acquire_options::fencing. The counter has no expiry, unless config::fencing_counter_ttl sets one, and outlives the lock;
// `DEL redisson_lock_token:{NAME}` begins anew, which only helps when nothing remembers the old tokens. Otherwise as
// reentrant_lock. Wire format: protocol section 5.3.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_fenced_lock.
class REDLATCH_EXPORT fenced_lock : public basic_lock {
    friend class client;
    explicit fenced_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
