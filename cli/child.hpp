// The command that runs under the lock, in a process group of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::cli {

struct child_setup {
    std::vector<std::string> const* command = nullptr;
    int guard_pipe = -1; ///< told of the group before the command begins
    int terminal = -1;   ///< made the foreground group of; -1: none
    bool hangup_ignored = false;
    /// The kernel sends it to the command (not to its group) when this thread ends, whatever ended it: if the guard was killed
    /// too, nobody else would tell the command. 0: none. A program that gives itself other rights (sudo) does not get it.
    int death_signal = 0;
};

/// How a command ended.
struct command_end {
    int status = 0; ///< as a shell shows it: its exit status, or 128 + the signal that ended it
    int signal = 0; ///< which ended it; 0: it exited
};

/// Thread safety: distinct objects: safe. Shared objects: not safe. It is not ended nor reaped by the destructor: until reap()
/// the number of its group is taken, and signals cannot reach strangers.
class child {
public:
    /// Starts it, with this process's environment, stdin, stdout and stderr; all signals have their default action and none is
    /// blocked. Throws std::system_error when there can be no process. When there is one that could not become the command,
    /// failure() says why.
    explicit child(child_setup const& setup);
    child(child const&) = delete;
    child& operator=(child const&) = delete;

    /// An errno, or 0.
    int failure() const noexcept { return failure_; }
    /// Also the number of its group.
    pid_t pid() const noexcept { return pid_; }
    /// To its whole group. 0, or an errno: EPERM when it reached none of them, because all run as somebody else. Strangers are
    /// safe also when somebody else has reaped the command and its number may be anybody's.
    int signal(int number) noexcept;
    /// Was the signal sent to it by us? From its terminal it comes without us.
    bool was_sent(int number) const noexcept { return number < 64 && (sent_ >> number & 1U) != 0; }

    /// The signal that stopped it, once for each time.
    std::optional<int> take_stop() const noexcept;
    /// It has ended, and waits to be reaped; or somebody else has reaped it.
    bool has_ended() const noexcept;
    /// Does any other process of its group still run? It must have ended, and this process must be the subreaper.
    bool group_has_others() const noexcept;
    /// Waits for its end, and does not reap it. Status 70 when somebody else has reaped it.
    command_end wait() const noexcept;
    /// The status of its end, as above.
    int reap() noexcept;

private:
    pid_t pid_ = -1;
    int failure_ = 0;
    std::uint64_t sent_ = 0; ///< one bit for each signal
};

} // namespace redlatch::cli
