// How a release goes from its start to its end, for blocking, asynchronous and detached callers alike. What it releases, and
// that it is to be sent at all, lock_table::plan_release has said before.
//
// | state   | event                                   | action, next                                                          |
// |---------|-----------------------------------------|-----------------------------------------------------------------------|
// | start   | other levels stay                       | write the count -> calling                                            |
// | start   | the last level                          | send the release: plain, or by script -> calling                      |
// | calling | released                                | finish(released); where the message may not have been sent, the       |
// |         |                                         | reaper sends it                                                       |
// | calling | not held; a copy of the call may have   | an earlier copy released it: finish(released)                         |
// |         | run before, and the hold is still valid |                                                                       |
// | calling | not held                                | finish(lost); the reaper makes sure                                   |
// | calling | the count is written                    | finish(released)                                                      |
// | calling | the count belongs to nobody             | finish(lost): so are the other levels                                 |
// | calling | plain commands are refused              | send the script, at once -> calling                                   |
// | calling | not executed (LOADING, READONLY, ...)   | pause, at most until the deadline -> pausing                          |
// | calling | another error                           | finish(refused / wrong_type); the last level goes to the reaper       |
// | calling | no answer by the deadline, or none that | the last level: the reaper goes on, finish(unknown); others: the      |
// |         | can be understood; the client closes    | local count is the truth, finish(released)                            |
// | pausing | timer                                   | send it again -> calling                                              |
// | pausing | the deadline; the client closes         | send it again -> calling, where the deadline is looked at             |
#pragma once

#include "base/time.hpp"
#include "connection/server_error.hpp"
#include "locking/recipe.hpp"

#include <cstdint>

namespace redlatch::locking {

class release_op {
public:
    struct terms {
        bool last = true;         ///< of the owner's levels
        bool unattended = false;  ///< nobody waits for the answer
        bool head_yields = false; ///< the next local waiter leaves the lock to other processes
    };
    /// What the server of the lock takes now.
    struct commands {
        bool plain = false;        ///< a last release without a script
        bool script_known = false; ///< the release script by its SHA-1
    };
    enum class form : std::uint8_t { count, plain, script, script_text };
    enum class act : std::uint8_t { call, pause, finish };
    enum class outcome : std::uint8_t { pending, released, lost, unknown, refused, wrong_type, bad_reply };
    /// What becomes of the tenure.
    enum class effect : std::uint8_t {
        none,
        confirmed, ///< the count: its lease counts from this call on
        released,
        lost,   ///< with all its levels; of a last one the reaper makes sure
        reaped, ///< the reaper goes on releasing it
    };
    struct action {
        act what;
        form how = form::count;            ///< of call
        base::instant until = base::never; ///< of pause
        effect then = effect::none;        ///< of finish
        bool tell_head = false;            ///< of finish: the next local waiter is to ask, again
    };

    explicit release_op(terms const& options) noexcept : terms_(options) {}

    action start(commands const& taken) { return call(taken); }
    /// Of a last release. `repeated`: a copy of the call may have run before the one that was answered. `by_text`: the script
    /// had to be sent again by its text. `others`: how many connections of others heard the message.
    action on_release_answer(release_answer const& answer, bool repeated, bool by_text, std::int64_t others,
                             base::instant now, base::instant validity);
    action on_count_answer(count_answer answer);
    /// Of a plain release: this server, or this user, has none.
    action on_plain_refused(commands const& taken);
    /// `again`: when the server may execute it.
    action on_error(connection::verdict verdict, base::instant now, base::instant again, base::instant deadline);
    /// A copy of the call may have run, although what came is an error.
    void note_repeated() noexcept { may_have_run_ = true; }
    action on_pause_over(commands const& taken);
    /// No answer by the deadline, none that can be understood, or the client closes.
    action on_no_answer() { return give_up(outcome::unknown); }

    outcome result() const noexcept { return outcome_; }
    bool is_plain() const noexcept { return form_ == form::plain; }

private:
    action call(commands const& taken);
    action finish(outcome result, effect then, bool tell_head = false);
    action give_up(outcome result);

    terms const terms_;
    form form_ = form::count;
    outcome outcome_ = outcome::pending;
    bool called_before_ = false; ///< and what is under way is another attempt
    bool may_have_run_ = false;
};

} // namespace redlatch::locking
