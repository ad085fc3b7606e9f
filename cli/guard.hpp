// The guard: a small process that ends the command when the tool cannot.
//
// It is forked after the lock was taken and before the command starts, lives in a session of its own (no signal of a terminal
// reaches it, no hang-up), and holds nothing but the reading end of a pipe: neither the command's stdin, stdout and stderr nor
// the connection to the server. What comes through the pipe:
//
// | message          | from                                       | meaning                                                |
// |------------------|--------------------------------------------|--------------------------------------------------------|
// | command_started  | the command's process, before it becomes   | the group to guard; so there is no moment in which     |
// |                  | the command                                | the command runs and the guard does not know it        |
// | deadlines        | the tool, whenever they move               | TERM and KILL are due then (not when on_lost is warn)  |
// | done             | the tool, when the command has ended       | nothing to do any more                                 |
// | end of file      | the kernel                                 | the tool is dead: nobody renews, so the command ends:  |
// |                  |                                            | TERM now and KILL after the grace, or KILL now         |
//
// A process group may not be signalled when its number could belong to strangers. A number stays taken while any process of
// the group exists, also as a zombie. The tool reaps the command only when the guard is
// certain to do nothing more (finish()), so as long as the tool lives,
// stopped or not, the number is ours. When the tool is dead, init reaps the command; so the guard looks through a pidfd, which
// is never mistaken, whether the command still runs right before it signals. If it has ended, by the
// signal that the kernel sends it at the end of its parent or within the grace, the rest of its group is killed in the same
// moment: their number is taken while one of them lives.
//
// Who kills the guard alone gets another one (replace()). Who kills both leaves the command with the signal
// that the kernel sends it at the end of its parent: see child_setup::death_signal.
//
// With on_lost = warn a missed deadline is the tool's business (it warns when it is continued), but at end of file the command
// is ended all the same: with the tool dead, nobody is left who could warn, and nobody who reports 79.
#pragma once

#include "descriptor.hpp"
#include "loss_plan.hpp"

#include <cstdint>
#include <sys/types.h>

namespace redlatch::cli {

/// One write to the pipe, below PIPE_BUF and so never torn.
struct guard_message {
    enum class kind : std::int32_t { command_started, deadlines, done };
    kind what{};
    std::int32_t group = 0;
    std::int64_t term_at = 0; ///< CLOCK_BOOTTIME, in nanoseconds
    std::int64_t kill_at = 0;
};

/// Thread safety: distinct objects: safe. Shared objects: not safe.
class guard {
public:
    /// A guard with the tool's own memory starts five times as fast as one with a copy of it: for a short command that is as
    /// much as the lock costs. But what kills all who share a memory (the kernel's, when there is too little of it) would kill
    /// both. So a command starts under the quick one, and if it runs on, harden() puts a lasting one in its place.
    enum class memory { own, shared };

    /// Starts it. Throws std::system_error. The new process makes system calls only, all of which are async-signal-safe; with
    /// shared memory no thread may ever have been started in this process, nor may one start before harden().
    guard(loss_policy const& policy, schedule const& first, memory kind = memory::own);
    guard(guard const&) = delete;
    guard& operator=(guard const&) = delete;
    ~guard(); ///< as done() and finish()

    pid_t pid() const noexcept { return pid_; }
    /// For the command's process.
    int pipe() const noexcept { return pipe_.get(); }

    void tell(schedule const& due) noexcept;
    /// From now on the guard has a memory of its own. There is no moment without one. Throws std::system_error; nothing has
    /// changed then.
    void harden(pid_t command);
    /// The command has ended; not waited for.
    void done() noexcept;
    /// After done(): when it returns, the guard will not signal any more, and is reaped: who started the tool may be process 1
    /// of a container that reaps nobody. True: it had to signal the command. If no deadline has ever passed it is killed, be it
    /// stopped or not yet begun: a guard that reads `done` before its deadline does nothing, and whatever it decided before
    /// it read that was decided before the deadline.
    bool finish() noexcept;
    /// Did it end without being told to? Reaps it then; says so once.
    bool has_died() noexcept;
    /// After that: another one, with a memory of its own. Throws std::system_error.
    void replace(pid_t command);

private:
    void start(schedule const& first);
    void send(guard_message const& message) noexcept;

    loss_policy policy_;
    memory kind_;
    pid_t pid_ = -1;
    descriptor pipe_{};
    schedule told_{};
    bool late_ = false; ///< a deadline of the guard may have passed
    bool acted_ = false;
};

/// What the guard's process does; returns its exit status: 0, or 1 when it had to signal the command. For tests, too.
int watch_over_command(int pipe, loss_policy const& policy, schedule due) noexcept;

} // namespace redlatch::cli
