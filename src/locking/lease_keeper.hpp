// Keeps what is held: renews, notices what cannot be kept.
//
// | state of a tenure      | event                              | action, next                                             |
// |------------------------|------------------------------------|----------------------------------------------------------|
// | held                   | a third of the lease since the last renewal was sent | into a batch                           |
// | held, in a batch       | answer: still ours                 | validity from before the batch was sent                  |
// | held, in a batch       | answer: not ours                   | lost                                                     |
// | held, in a batch       | error                              | again after about a second, while validity lasts         |
// | held                   | half of the lease without renewal  | suspect                                                  |
// | held, suspect          | validity or max_hold over          | lost                                                     |
// | held                   | the connection is new              | into a batch at once, fixed leases too (a mere question) |
// | releasing, lost, ended | an answer                          | ignored                                                  |
// One timer for all: next(). Batches are independent: several are in flight, and an error in one delays no other.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"
#include "locking/script_call.hpp"
#include "locking/tenure.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace redlatch::locking {

class lease_keeper {
public:
    struct settings {
        base::milliseconds watchdog{30'000};
        base::milliseconds margin{0};
        std::size_t batch = 100;
    };
    using batch = std::vector<tenure_ptr>;
    /// What a call of the keeper brought about.
    struct effects {
        std::vector<batch> renew{};
        std::vector<tenure_ptr> lost{};
        std::vector<tenure_ptr> suspect{};
        std::vector<tenure_ptr> recovered{};
    };

    lease_keeper(settings const& how, std::uint64_t seed);

    /// An acknowledged write of `lease`, sent at `sent_at`: moves validity on, never back, and keeps the tenure in view.
    void acknowledged(tenure_ptr const& which, base::milliseconds lease, base::instant sent_at);
    /// A level has ended while others stay. `capped`: it had a max_hold. True: the tenure was suspect and no longer is, since
    /// nothing of it is renewed any more.
    bool level_ended(tenure_ptr const& which, bool capped, base::instant now);
    /// What `from` holds on the server is `to`'s now: same id, same lease.
    void succeed(tenure_ptr const& from, tenure_ptr const& to);
    /// Before a last release is staged, or when the tenure is lost.
    void forget(tenure_ptr const& which);

    /// When on_timer is due.
    base::instant next() const noexcept { return heap_.empty() ? base::never : heap_.front()->next_event; }
    void on_timer(base::instant now, effects& out);
    /// A connection is new, or the server is another one: ask about everything.
    void verify_all(base::instant now, effects& out);

    static script_call compose(batch const& which, base::milliseconds lease);
    /// `lost`: the positions, from 1, that the server named.
    void on_answer(batch const& which, std::span<std::int64_t const> lost, base::milliseconds lease,
                   base::instant sent_at, effects& out);
    void on_failure(batch const& which, base::instant now);
    /// The connection went before the answer: asks again at once for those that are still held.
    void on_interruption(batch const& which, base::instant now, effects& out);

    /// The lease that a batch asks for: all of its tenures have the same.
    static base::milliseconds lease_of(batch const& which) { return which.front()->renewal_lease; }

    std::size_t size() const noexcept { return heap_.size(); }
    std::span<tenure_ptr const> all() const noexcept { return heap_; }

private:
    void reschedule(tenure_ptr const& which);
    void collect(tenure_ptr const& which, effects& out, batch& renewed, batch& asked);
    void flush(batch& some, effects& out);
    void place(std::size_t index, tenure_ptr which);
    void sift_up(std::size_t index);
    void sift_down(std::size_t index);

    settings settings_;
    base::random_source random_;
    std::vector<tenure_ptr> heap_; ///< by next_event; a tenure knows its index
};

} // namespace redlatch::locking
