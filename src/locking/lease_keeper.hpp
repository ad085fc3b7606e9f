// Keeps what is held: renews, notices what cannot be kept.
//
// | state of a tenure      | event                              | action, next                                             |
// |------------------------|------------------------------------|----------------------------------------------------------|
// | held                   | a third of the lease since the last renewal was sent | into a batch                           |
// | held, in a batch       | answer: still ours                 | validity from before the batch was sent                  |
// | held, in a batch       | answer: not ours                   | lost                                                     |
// | held, in a batch       | error                              | again after about a second, while validity lasts         |
// | held, in a batch       | the batch is refused, or its slot  | at once again, in two halves                             |
// |                        | is on its way, and its keys on two |                                                          |
// |                        | nodes                              |                                                          |
// | held, in a batch alone | refused                            | refused alone: again after a while, always by itself     |
// | held, refused alone    | answer: still ours                 | as before, with others again                             |
// | held                   | half of the lease without renewal  | suspect                                                  |
// | held, suspect          | validity or max_hold over          | lost                                                     |
// | held                   | so old that it may be forced open unnoticed | listen to its channel                           |
// | held, was handed off   | it was not handed off again soon   | wake whoever waits first, for it to watch this hold      |
// | held                   | the connection is new              | into a batch at once, fixed leases too (ownership probe) |
// | releasing, lost, ended | an answer                          | ignored                                                  |
// One timer for all: next(). Batches are independent: several are in flight, and an error in one delays no other.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"
#include "locking/renewal_batches.hpp"
#include "locking/tenure.hpp"
#include "locking/tenure_timers.hpp"
#include "locking/wire_call.hpp"

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
        base::milliseconds watch_from{0}; ///< the age of a hold from which its channel is listened to; zero: never
        bool by_slot = false;             ///< of a cluster: the holds of a batch have one slot
    };
    using batch = renewal_batch;
    /// What a call of the keeper brought about.
    struct effects {
        std::vector<batch> renew{};
        std::vector<tenure_ptr> lost{};
        std::vector<tenure_ptr> suspect{};
        std::vector<tenure_ptr> recovered{};
        std::vector<tenure_ptr> refused{};    ///< alone, and were not when they were asked about before
        std::vector<tenure_ptr> watch{};      ///< from now on listen to their channels
        std::vector<tenure_ptr> waited_for{}; ///< wake those who wait first for these
    };

    lease_keeper(settings const& config, std::uint64_t seed);

    /// An acknowledged write of `lease`, sent at `sent_at`: moves validity on, never back, and keeps the tenure in view, which
    /// is to be among those of its record until forget().
    void acknowledged(tenure_ptr const& tenure, base::milliseconds lease, base::instant sent_at);
    /// A level has ended while others stay. `capped`: it had a max_hold. True: the tenure was suspect and no longer is, since
    /// nothing of it is renewed any more.
    bool level_ended(tenure_ptr const& tenure, bool capped, base::instant now);
    /// What `from` holds on the server is `to`'s now: same id, same lease. Whoever waits for it first is woken at
    /// `to->wake_head_at`.
    void succeed(tenure_ptr const& from, tenure_ptr const& to);
    /// Before a last release is staged, or when the tenure is lost.
    void forget(tenure_ptr const& tenure) noexcept { timers_.cancel(*tenure); }
    /// The next acknowledged() asks for no memory.
    void make_room() { timers_.make_room(); }

    /// When on_timer is due.
    base::instant next() const noexcept { return timers_.next(); }
    void on_timer(base::instant now, effects& out);
    /// A connection is new, or the server is another one: ask about everything.
    void verify_all(base::instant now, effects& out);
    /// Somebody may have ended these: ask about them, at once or a moment after the last time.
    void verify(std::span<tenure_ptr const> tenures, base::instant now, effects& out);
    /// The same, but in a moment, together with others.
    void verify_soon(tenure_ptr const& tenure, base::instant now);
    /// Messages may come in bursts, our own background's too.
    static constexpr base::milliseconds between_doubts{100};

    /// The call of a batch, by the renewal of its kind, for so long. Not under the mutex: it reads what does not change.
    static wire_call compose(batch const& tenures, base::milliseconds lease);
    /// `lost`: the positions, from 1, that the server named.
    void on_answer(batch const& tenures, std::span<std::int64_t const> lost, base::milliseconds lease,
                   base::instant sent_at, effects& out);
    void on_failure(batch const& tenures, base::instant now);
    /// The server does not allow it, perhaps for one of the keys only: that one must not cost the others their locks.
    void on_refusal(batch const& unanswered, base::instant now, effects& out);
    /// The connection went before the answer: asks again at once for those that are still held.
    void on_interruption(batch const& unanswered, base::instant now, effects& out);

    /// The lease that a batch asks for, without its lock delay: all of its tenures have the same.
    base::milliseconds lease_of(batch const& tenures) const noexcept {
        return tenures.front()->is_only_asked ? ownership_probe : settings_.watchdog;
    }
    /// By so much longer the keys of a batch stay than its lease.
    static base::milliseconds delay_of(batch const& tenures) noexcept {
        auto const& any = *tenures.front();
        return any.is_only_asked ? base::milliseconds(0) : any.lock_delay();
    }

    std::size_t size() const noexcept { return timers_.size(); }
    /// What it keeps, in no particular order.
    std::vector<tenure_ptr> all() const;
    std::span<tenure_timers::timer const> timers() const noexcept { return timers_.all(); }

private:
    base::instant watch_at(tenure const& tenure) const noexcept;
    void reschedule(tenure_ptr const& tenure);
    void ask_at(tenure_ptr const& tenure, base::instant due_time);
    renewal_batches batches_to(effects& out) const { return {settings_.batch, out.renew, settings_.by_slot}; }
    void collect(tenure_ptr const& tenure, renewal_batches& into);
    void collect_all(std::span<tenure_ptr const> tenures, effects& out);
    void collect_soon(base::instant soon, renewal_batches& into);
    void ask_later(tenure_ptr const& tenure, base::instant now, base::milliseconds wait);

    settings settings_;
    base::random_source random_;
    tenure_timers timers_; ///< of those that are kept
};

} // namespace redlatch::locking
