// A program started by a test, which ends with the test even when the test crashes.
#pragma once

#include "support/descriptor.hpp"
#include "support/wait_until.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::test {

struct child_options {
    std::vector<std::string> arguments;     ///< the program first; searched in PATH
    std::vector<std::string> environment{}; ///< "NAME=value", added to this process's own
    std::filesystem::path output_file{};    ///< stdout and stderr go there; empty: pipes, see the members below
    /// In a process group of its own. One whose parent is in another group of the session is not orphaned, whatever started
    /// the test: SIGTSTP stops it.
    bool own_group = false;
    /// Orphans among its descendants become its children: a "subreaper".
    bool adopts_orphans = false;
};

/// Thread safety: distinct objects: safe. Shared objects: pid() and signal() are safe.
///
/// A parent-death signal belongs to the thread that forked, not to its process; so all children are forked by one
/// thread that lives as long as the process. It reaches only the direct child.
class child_process {
public:
    explicit child_process(child_options const& options);
    child_process(child_process&&) = delete;
    ~child_process(); ///< kills and reaps

    pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;

    /// Its wait status if it has ended within the limit.
    std::optional<int> wait(std::chrono::milliseconds limit = patience);
    bool ended() { return wait(std::chrono::milliseconds(0)).has_value(); }

    void write(std::string const& text);
    void close_input() { input_.reset(); }
    /// One line of its stdout, without the line feed; none: the end, or nothing within the limit.
    std::optional<std::string> read_line(std::chrono::milliseconds limit = patience);
    /// All of its stderr so far.
    std::string error_text();

private:
    pid_t pid_ = -1;
    std::optional<int> status_{};
    descriptor input_{};
    descriptor output_{};
    descriptor error_{};
    std::string output_buffer_{};
    std::string error_buffer_{};
};

} // namespace redlatch::test
