// The one wait loop: how an acquisition goes from its start to its end, for every type of lock and for blocking and
// asynchronous callers alike.
//
// | state    | event                                   | action, next                                                       |
// |----------|-----------------------------------------|--------------------------------------------------------------------|
// | start    | must not wait, or a re-entry            | attempt -> trying                                                  |
// | start    | may wait                                | enqueue -> queued                                                  |
// | queued   | head, and this process does not hold it | attempt -> trying                                                  |
// | queued   | deadline                                | finish(timed_out if it is known to be held, else disconnected)     |
// | pausing  | deadline                                | finish(timed_out if it is known to be held, else refused)          |
// | trying   | acquired, valid                         | finish(acquired)                                                   |
// | trying   | acquired, validity passed               | fresh id (the old one goes to the reaper), then as busy            |
// | trying   | re-entry: not held, or validity passed, | finish(lost)                                                       |
// |          | also that of the other levels           |                                                                    |
// | trying   | busy, must not wait or no time left     | finish(busy / timed_out)                                           |
// | trying   | busy                                    | wait for the channel's count to move off the sample that was taken |
// |          |                                         | before this attempt, subscribing if need be -> waiting             |
// | trying   | a plain attempt: a key exists, or plain  | attempt by script, at once -> trying                               |
// |          | commands are refused                    |                                                                    |
// | trying   | not executed (LOADING, BUSY, ...)       | pause, at most until the deadline -> pausing                       |
// | trying   | any other error                         | finish(refused / wrong_type)                                       |
// | trying   | deadline, cancelled, closed, outage     | finish: the caller returns now; the runner undoes what may come    |
// | waiting  | count moved, timer, released in process | attempt -> trying                                                  |
// | waiting  | released in process, but held back; or  | wait for a message, 5 ms at the most -> waiting                    |
// |          | it is the turn of other processes       |                                                                    |
// | waiting  | a message, soon after an attempt for a  | wait a moment, longer each time: of all who hear a message one can |
// |          | message that somebody else won          | have the lock, and a message comes with each release -> waiting    |
// | pausing  | timer                                   | attempt -> trying                                                  |
// | any      | cancelled, closed                       | finish                                                             |
// While this process holds the lock, its waiters are not told to go on: they get it within the process, or are told when it is
// released or lost (lock_table::look).
// The first attempt, unless it comes after a wait, may be a plain command: it takes a free lock and says nothing of another.
// An attempt whose connection breaks is repeated by the lane behind a fence; here it only takes longer.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"
#include "connection/server_error.hpp"
#include "locking/recipe.hpp"
#include "locking/wait_queue.hpp"

#include <cstdint>
#include <optional>

namespace redlatch::locking {

class acquire_op {
public:
    struct terms {
        base::instant deadline = base::never;
        bool may_wait = true;
        bool reentry = false;
        bool plain = false; ///< the first attempt is to be a plain command
        base::milliseconds lease{};
        base::milliseconds margin{};
        std::optional<base::milliseconds> max_hold{}; ///< it ends then, however long the lease
        base::milliseconds longest_wait{};            ///< ask again after this at the latest, whatever the server said
        std::uint64_t seed = 0;                       ///< so that those who wait a moment do not all wait the same
    };
    enum class act : std::uint8_t {
        enqueue, ///< take a place in the local queue; call on_head when it is the head
        attempt, ///< sample the channel, send the script
        wait,    ///< until the channel's count differs from the sample, a release in this process, or `until`
        pause,   ///< until `until`
        finish,
    };
    struct action {
        act what;
        base::instant until = base::never;
        bool subscribe = false; ///< of wait: the channel was not subscribed to when the sample was taken
        bool deaf = false;      ///< of wait: messages are of no interest until then
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

    explicit acquire_op(terms const& what) : terms_(what) {}

    action start();
    action on_head(base::instant now, bool held_back, channel_sample const& sample);
    action on_answer(acquire_answer const& answer, base::instant sent_at, base::instant now,
                     channel_sample const& before);
    /// To a plain attempt: the server, or the rights of this user, do not allow it.
    action on_plain_refused();
    /// `validity`: of the tenure, by its other levels.
    action on_count_answer(count_answer answer, base::instant sent_at, base::instant now, base::instant validity);
    action on_error(connection::verdict what, base::instant now);
    /// The end of a wait or pause, for whatever reason but those below. `held_back`: a release in this process, but other
    /// processes are to have a turn: a message first, or a short time.
    action on_woken(base::instant now, bool held_back, channel_sample const& sample, bool by_message = false);
    /// `known_busy`: somebody is known to hold the lock although no attempt of this operation said so.
    action on_deadline(bool known_busy);
    /// It got the lock within the process.
    action on_granted() { return finish(outcome::acquired); }
    action on_cancelled() { return finish(outcome::cancelled); }
    action on_closed() { return finish(outcome::closed); }
    action on_outage() { return finish(outcome::disconnected); }

    outcome result() const noexcept { return outcome_; }
    bool trying() const noexcept { return state_ == state::trying; }
    terms const& asked() const noexcept { return terms_; }

    /// Where a user may not subscribe, or while the server does nothing: how often to ask.
    static constexpr base::milliseconds poll_pause{100};
    /// How long a process that passed a lock on within itself for long enough leaves it to others.
    static constexpr base::milliseconds held_back_pause{5};
    /// The longest moment after the first race that was lost; it doubles with each, up to sixteen times this.
    static constexpr base::microseconds first_moment{250};

private:
    enum class state : std::uint8_t { start, queued, trying, waiting, pausing, finished };
    action attempt();
    action wait(base::instant until, channel_sample const& sample);
    action finish(outcome how);
    void lost_race(base::instant now);
    bool still_valid(base::instant sent_at, base::instant now) const noexcept;

    terms terms_;
    state state_ = state::start;
    outcome outcome_ = outcome::pending;
    bool server_said_busy_ = false;
    bool racing_ = false; ///< the attempt answers a message, that others hear too
    int races_lost_ = 0;
    base::instant next_race_ = base::instant::min();
    bool not_executed_ = false; ///< an answer said that the server does nothing now
};

} // namespace redlatch::locking
