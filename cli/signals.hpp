// The signals of the tool, in its three phases.
//
// | phase      | INT TERM HUP QUIT USR1 USR2              | TSTP CONT WINCH                      |
// |------------|------------------------------------------|--------------------------------------|
// | connecting | end the tool at once (nothing is held)   | as usual: stop, continue, nothing    |
// | waiting    | end the wait at once, then the tool      | as usual                             |
// | running    | reach the command's group                | reach the command's group            |
//
// Who started the tool may have ignored some. HUP stays ignored (nohup). A shell without job control lets its background jobs
// ignore INT and QUIT, because Ctrl-C at the terminal is not meant for them: from the terminal they stay ignored, but from
// kill(1) they count, and the command, which has a group of its own, gets their default.
#pragma once

#include "descriptor.hpp"

#include <atomic>
#include <csignal>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

namespace redlatch::cli {

/// What was ignored when the tool was started. Call it first.
struct inherited_signals {
    bool hangup_ignored = false;
    bool interrupt_ignored = false;
    static inherited_signals look() noexcept;
};

/// From now on these signals end the process as they do by default (see die_of_signal.hpp), whoever ignored them before.
/// SIGPIPE is ignored: a reader of our stderr that has gone must not end a tool that holds a lock. SIGCHLD has its default
/// again, so that children can be waited for.
void exit_on_signals(inherited_signals const& inherited) noexcept;

/// Those that end a wait; blocks them, so that they can be read from a signal_queue. Threads made later inherit it.
void block_ending_signals(inherited_signals const& inherited) noexcept;
/// Those of the running phase: the above, TSTP, CONT, WINCH and CHLD, and TTOU, so that the terminal can be handed over.
void block_all_signals(inherited_signals const& inherited) noexcept;

/// An ending signal that has arrived while they were blocked, taken out of the queue.
std::optional<int> take_pending_ending_signal(inherited_signals const& inherited) noexcept;

/// Blocked signals as a descriptor. Throws std::system_error.
class signal_queue {
public:
    enum class scope { ending, all };
    signal_queue(scope watched, inherited_signals const& inherited);
    int get() const noexcept { return descriptor_.get(); }
    /// The next one that counts; none: no more. Never blocks.
    std::optional<int> next() const noexcept;

private:
    descriptor descriptor_;
    bool terminal_ignored_;
};

/// Ends a wait when an ending signal comes. request_stop() may not be called in a signal handler, so a thread waits for the
/// signals; it exists only while the tool really waits.
class wait_interrupter {
public:
    /// `look`, if there is one, is called after `pause`, and again each time when twice as long has passed, at least once a
    /// minute.
    wait_interrupter(inherited_signals const& inherited, std::stop_source const& stop, std::function<void()> look = {},
                     duration pause = {});
    ~wait_interrupter();
    /// Signals that come from now on stay pending. The one that came before, or 0; asked without this, it might just have been
    /// read and not be known yet.
    int finish() noexcept;

private:
    void watch() noexcept;

    signal_queue queue_;
    wake_descriptor leave_;
    timer_descriptor timer_;
    std::stop_source stop_;
    std::function<void()> look_;
    duration pause_;
    std::atomic<int> signal_{0};
    std::thread thread_;
};

} // namespace redlatch::cli
