// What the tool does while the command runs: it passes signals on, keeps the guard informed, and ends the command in time when
// the lock is lost.
//
// | state   | event                                            | action, next state                                         |
// |---------|--------------------------------------------------|------------------------------------------------------------|
// | running | the command ended                                | finish                                                     |
// | running | the lock is lost, or its end is a grace away     | on_lost: terminate: TERM, CONT -> ending; kill: KILL at    |
// |         |                                                  | the end -> killed; warn: a message -> warned              |
// | running | the lock is longer valid than we knew            | tell the guard                                             |
// | ending  | time for KILL                                    | KILL -> killed, also if not all may be killed              |
// | ending  | the command ended, others of its group run       | wait on for them; look each 50 ms                          |
// | ending  | the whole group ended                            | finish                                                     |
// | killed, warned | the command ended                         | finish; others of its group are not waited for             |
// | any     | the command was stopped (see stop_with_command)  | take the terminal back, stop as well; continue it where    |
// |         |                                                  | nobody could continue us                                   |
// | any     | CONT                                             | check the lock first, then continue the command            |
// | any     | another signal                                   | to the command's group                                     |
#pragma once

#include "child.hpp"
#include "command_hold.hpp"
#include "guard.hpp"
#include "loss_plan.hpp"
#include "report.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <redlatch/client.hpp>

#include <string>

namespace redlatch::cli {

struct supervised {
    client& owner;
    command_hold const& held;
    child& command;
    redlatch::cli::guard& guard;
    redlatch::cli::terminal& terminal;
    report const& reporter;
};

struct holding {
    instant latest_end = never; ///< the end of the longest hold that was asked for
    bool renewed = true;        ///< not a fixed lease
    /// When to start the client's threads; a command that ends sooner never needs them.
    duration start_after{};
};

/// Thread safety: for one thread. Throws std::system_error when descriptors run out, and std::bad_alloc.
class supervisor {
public:
    supervisor(supervised parts, loss_policy const& policy, holding const& holding, inherited_signals const& inherited);

    /// Until the command has ended; it is not reaped yet. True: the lock was lost while it ran.
    bool run();

private:
    enum class state { running, ending, killed, warned };

    bool is_lost() const noexcept;
    void look();
    void lose(instant now);
    void tell_of_loss(std::string const& message) const;
    void kill_group();
    void replace_guard();
    void pass_on(int signal);
    std::string but_out_of_reach() const;
    void arm(instant now);
    void start_threads();
    void receive_signals();
    void child_changed();
    void reap_adopted() const noexcept;
    void stop_with_command(int signal);
    void say_what_a_stop_means();
    void continue_command();
    bool finished();
    instant end_of_validity() noexcept;
    char const* why_it_ends(instant now) noexcept;

    supervised parts_;
    loss_policy policy_;
    instant latest_end_;
    instant valid_until_; ///< of the hold, as it was when it was last seen held
    bool renewed_;
    instant start_at_;
    signal_queue signals_;
    timer_descriptor timer_;
    wake_descriptor lost_;
    state state_ = state::running;
    schedule due_{};
    bool started_ = false;
    bool ended_ = false;
    instant guard_since_ = lease_clock::now();
    int short_guards_ = 0; ///< guards in a row that were soon killed
};

} // namespace redlatch::cli
