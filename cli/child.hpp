// The command that runs under the lock, in a process group of its own.
#pragma once

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
    /// To its whole group.
    void signal(int number) const noexcept;

    /// The signal that stopped it, once for each time.
    std::optional<int> take_stop() const noexcept;
    /// It has ended, and waits to be reaped.
    bool has_ended() const noexcept;
    /// Does any other process of its group still run? It must have ended, and this process must be the subreaper.
    bool group_has_others() const noexcept;
    /// As a shell shows it: its exit status, or 128 + the signal that ended it.
    int reap() noexcept;

private:
    pid_t pid_ = -1;
    int failure_ = 0;
};

} // namespace redlatch::cli
