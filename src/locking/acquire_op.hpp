// The one wait loop: how an acquisition goes from its start to its end, for every type of lock and for blocking and
// asynchronous callers alike.
//
// | state    | event                                   | action, next                                                       |
// |----------|-----------------------------------------|--------------------------------------------------------------------|
// | start    | must not wait, a re-entry, or waiters   | attempt -> trying                                                  |
// |          | queue on the server                     |                                                                    |
// | start    | waiters queue on the server, and it     | wait for the subscription, for a short time -> waiting             |
// |          | will probably have to wait              |                                                                    |
// | start    | may wait                                | queue -> queued                                                    |
// | queued   | not the head                            | queue; shortly before the deadline, once: hurry the head           |
// | queued   | head, and this process does not hold it | attempt -> trying                                                  |
// | queued   | head, and this process holds it         | watch: listen to the channel too, from 50 ms on                    |
// | queued   | head, and the one before it took the    | wait, as if it had been told busy itself -> waiting                |
// |          | last permits                            |                                                                    |
// | queued   | deadline                                | finish(timed_out if it is known to be held; refused if the head    |
// |          |                                         | pauses because the server executes no writes; timed_out if there   |
// |          |                                         | was no time for an answer; else disconnected)                      |
// | pausing  | deadline                                | finish(timed_out if others of this process know it held, else      |
// |          |                                         | refused): the server's last word counts                            |
// | trying   | acquired, valid                         | finish(acquired)                                                   |
// | trying   | acquired, validity passed               | fresh id (the old one goes to the reaper), then as busy            |
// | trying   | the same once more                      | fresh id; pause, longer each time: the lease is shorter than the   |
// |          |                                         | answers take -> pausing                                            |
// | trying   | re-entry: not held, or validity passed, | finish(lost)                                                       |
// |          | also that of the other levels           |                                                                    |
// | trying   | busy, must not wait or no time left     | finish(busy / timed_out)                                           |
// | trying   | busy                                    | wait for the channel's count to move off the sample that was taken |
// |          |                                         | before this attempt, subscribing if need be -> waiting             |
// | trying   | busy, a kind without a channel          | pause, longer after each attempt -> pausing                        |
// | trying   | a plain attempt: a key exists, or plain  | attempt by script, at once -> trying                               |
// |          | commands are refused                    |                                                                    |
// | trying   | not executed (LOADING, BUSY, ...)       | pause, at most until the deadline -> pausing; must not wait:       |
// |          |                                         | finish(refused)                                                    |
// | trying   | read-only: the connection is replaced   | as not executed; must not wait: asks the new one, once             |
// | trying   | it is for others to ask whether the     | pause -> pausing                                                   |
// |          | server works again (standstill.hpp)     |                                                                    |
// | trying   | any other error                         | finish(refused / wrong_type)                                       |
// | trying   | deadline, cancelled, closed, outage     | finish: the caller returns now; the runner undoes what may come    |
// | waiting  | count moved, timer, released in process | attempt -> trying                                                  |
// | waiting, | the same, and this process holds it     | watch -> waiting, without a channel pausing; from 50 ms on: ask    |
// | pausing  |                                         | whether the hold is still there                                    |
// | waiting  | released in process, but must yield; or | wait for a message, 5 ms at the most -> waiting; without a         |
// |          | it is the turn of other processes       | channel: pause for as long -> pausing                              |
// | queued,  | it is the turn of other processes, that | yield: they go first; then look at the channel -> yielding         |
// | waiting, | have waited for longer (turn_order.hpp) |                                                                    |
// | yielding |                                         |                                                                    |
// | queued,  | the same, a kind without a channel      | pause for as long -> pausing                                       |
// | waiting  | (polling_yield.hpp)                     |                                                                    |
// | yielding | their time is over, no further message  | attempt -> trying                                                  |
// | pausing  | timer, or the server executes writes    | attempt -> trying                                                  |
// |          | again (write_gate.hpp)                  |                                                                    |
// | any      | cancelled, closed                       | finish                                                             |
// While this process holds the lock, its waiters are not told to go on: they get it within the process, or are told when it is
// released or lost (lock_table::look).
// The first attempt, unless it comes after a wait, may be a plain command: it takes a free lock and says nothing of another.
// An attempt whose connection breaks is repeated by the lane behind a predecessor kill; here it only takes longer.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"
#include "connection/server_error.hpp"
#include "locking/precedence.hpp"
#include "locking/recipe.hpp"
#include "locking/wait_queue.hpp"

#include <cstdint>
#include <optional>

namespace redlatch::locking {

/// The pauses of a waiter that hears of no releases: from `first` on, multiplied after each attempt and a little longer by
/// chance, up to `longest`.
struct retry_backoff {
    base::milliseconds first{1};
    base::milliseconds longest{128};
    int multiplier = 2;
};

class acquire_op {
public:
    enum class state : std::uint8_t { start, queued, trying, waiting, yielding, pausing, finished };
    struct terms {
        base::instant began{};
        base::instant deadline = base::never;
        bool may_wait = true;
        bool queues_here = true; ///< only the first waiter of the process asks the server
        /// Of waiters that queue on the server: subscribe first, and ask then at the latest. Who asks first asks again when it
        /// has subscribed, for what was published before it did not hear.
        base::instant listens_until = base::instant::min();
        bool reentry = false;
        bool plain = false; ///< the first attempt is to be a plain command
        base::milliseconds lease{};
        base::milliseconds margin{};
        std::optional<base::milliseconds> max_hold{}; ///< it ends then, however long the lease
        base::milliseconds longest_wait{};            ///< ask again after this at the latest, whatever the server said
        std::optional<retry_backoff> backoff{};       ///< of a kind of lock without a channel
        std::uint64_t seed = 0;                       ///< of its chance
    };
    enum class act : std::uint8_t {
        queue,   ///< wait in the local queue until it is the head, or `until`
        watch,   ///< another one of this process has it: until its end, the channel's count, or `until`
        attempt, ///< sample the channel, send the script
        wait,    ///< until the channel's count differs from the sample, a release in this process, or `until`
        yield,   ///< until `until`, then look at the channel
        pause,   ///< until `until`
        finish,
    };
    struct action {
        act what;
        base::instant until = base::never;
        bool hurry = false;     ///< of queue: the head is to ask, if it has left the lock to others
        bool subscribe = false; ///< of wait: the channel was not subscribed to when the sample was taken
        bool listen = false;    ///< of yield: unless the end of a turn is heard before; of watch: to the channel
        bool verify = false;    ///< of watch: ask whether the hold of this process is still there
        bool plain = false;     ///< of attempt: without a script
        bool fresh_id = false;  ///< give the tenure a new id first, the old one goes to the reaper
    };
    enum class outcome : std::uint8_t {
        pending,
        acquired,
        busy,
        timed_out,
        cancelled,
        closed,
        lost,
        disconnected,
        refused,
        wrong_type,
        bad_reply
    };

    explicit acquire_op(terms const& options) : terms_(options), random_(options.seed) {
        if (options.backoff) retry_pause_ = options.backoff->first;
    }

    action start();
    /// Queued, and others of this process are before it.
    action on_behind_head(base::instant now);
    /// As the head: another one of this process has the lock, until `until` at the latest. `news`: something was published on
    /// the channel since, or the time is over.
    action on_held_here(base::instant now, base::instant until, bool news);
    /// An operation that has not asked yet does so in time for an answer, whatever `must_yield` and `others_first` say.
    action on_head(base::instant now, bool must_yield, channel_sample const& sample,
                   precedence const& others_first = {});
    /// As the head, of a counter of which the one before it has taken what was left; `heard`: sampled before that; `until`:
    /// some come back by themselves then.
    action on_head_of_none(base::instant now, base::instant until, channel_sample const& heard);
    action on_answer(acquire_answer const& answer, base::instant sent_at, base::instant now,
                     channel_sample const& before);
    /// To a plain attempt: the server, or the rights of this user, do not allow it.
    action on_plain_refused();
    /// `validity`: of the tenure, by its other levels.
    action on_count_answer(count_answer answer, base::instant sent_at, base::instant now, base::instant validity);
    /// `again`: when to try again at the earliest.
    action on_error(connection::verdict verdict, base::instant now, base::instant again = base::instant::min());
    /// In place of an attempt: the server refuses all writes, and another one asks it for all.
    action on_held_up(base::instant until);
    /// The end of a wait, yield or pause, for whatever reason but those below. `must_yield`: a release in this process, but
    /// other processes are to have a turn: a message first, or a short time. `others_first`: as of on_head().
    action on_woken(base::instant now, bool must_yield, channel_sample const& sample,
                    precedence const& others_first = {});
    /// What is known at the deadline beside the server's last word to this operation: others of this process have the lock or
    /// have heard of it meanwhile; or the one that asks for all of them pauses, as the server executes no writes; or the server
    /// is there, and there was no time for an answer; or it is away, and what it said before may no longer be so.
    enum class knowledge : std::uint8_t { nothing, lock_is_held, server_refuses, server_is_there, server_is_away };
    action on_deadline(knowledge of_others);
    /// It got the lock within the process.
    action on_granted() { return finish(outcome::acquired); }
    action on_cancelled() { return finish(outcome::cancelled); }
    action on_closed() { return finish(outcome::closed); }
    /// `refuses`: the server answers and executes nothing.
    action on_outage(bool refuses = false) { return finish(refuses ? outcome::refused : outcome::disconnected); }

    state now_in() const noexcept { return state_; }
    outcome result() const noexcept { return outcome_; }
    /// What has been published since `before` ends the wait.
    bool is_news(channel_sample const& now, channel_sample const& before) const noexcept;
    /// It is woken by messages.
    bool listens() const noexcept { return state_ == state::waiting || (state_ == state::yielding && listens_); }
    /// Queued behind a hold of this process for so long that a message, or silence, is a reason to ask whether it is there.
    bool doubts() const noexcept { return doubts_; }
    void end_doubts() noexcept { doubts_ = false; }
    /// The server has not executed what was asked last.
    bool was_refused() const noexcept { return said_ == word::not_executed; }
    /// Somebody had the lock, by the server's last word or at the deadline.
    bool found_held() const noexcept { return said_ == word::busy; }
    bool trying() const noexcept { return state_ == state::trying; }
    terms const& asked() const noexcept { return terms_; }

    /// Where a user may not subscribe, or while the server does nothing: how often to ask.
    static constexpr base::milliseconds poll_pause{100};
    /// How long a process that handed a lock off to itself for long enough leaves it to others.
    static constexpr base::milliseconds yield_pause{5};
    /// How long a waiter relies on a hold of its own process before it listens to the channel as well: hand-offs are quicker.
    static constexpr base::milliseconds trusts_own_hold{50};
    /// Before a wait ends without an answer from the server, the head of the queue asks: time enough for that. Of shorter
    /// waits half of their time.
    static constexpr base::milliseconds before_deadline{8};
    /// For how long a waiter that subscribes first waits for that before it asks all the same.
    static constexpr base::milliseconds longest_subscribing{20};

private:
    action attempt();
    enum class awaited : std::uint8_t { any, messages, turns };
    action wait(base::instant until, channel_sample const& sample, awaited expected);
    action pause(base::instant until);
    base::milliseconds next_retry_pause();
    /// So that an answer may come before the deadline; never: it has asked, or may wait for ever.
    base::instant last_moment_to_ask() const noexcept;
    action yield(base::instant now, channel_sample const& sample, precedence const& others_first);
    action attempt_after(precedence const& others_first, base::instant now);
    action finish(outcome result);
    bool still_valid(base::instant sent_at, base::instant now) const noexcept;

    terms terms_;
    state state_ = state::start;
    outcome outcome_ = outcome::pending;
    enum class word : std::uint8_t { none, busy, not_executed };
    word said_ = word::none; ///< the server's last one
    bool asked_ = false;     ///< at least once
    bool was_read_only_ = false;
    base::milliseconds stale_pause_{0}; ///< after one more answer that comes when the validity is over; 0: none has
    awaited expected_ = awaited::any; ///< must yield: messages of others, no confirmations; yielding: the ends of turns
    bool listens_ = false;            ///< while it yields
    bool hurried_head_ = false;
    bool doubts_ = false;
    base::instant held_here_since_ = base::never;
    base::milliseconds retry_pause_{}; ///< after the next attempt that finds the lock busy
    base::random_source random_;
};

} // namespace redlatch::locking
