// A program on a terminal of its own, as its session's leader, and the person who types.
#pragma once

#include "support/descriptor.hpp"
#include "support/wait_until.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::test {

/// Thread safety: distinct objects: safe. Shared objects: not safe.
class pty_session {
public:
    explicit pty_session(std::vector<std::string> arguments, std::vector<std::string> environment);
    ~pty_session(); ///< hangs up, kills, reaps

    pid_t pid() const noexcept { return pid_; }
    /// Keys as a person presses them; "\x03" is Ctrl-C, "\x1a" Ctrl-Z.
    void type(std::string const& keys) const;
    /// Reads until the text has been shown, and forgets what was shown before its end; false: it does not come.
    bool shows(std::string const& text, std::chrono::milliseconds limit = patience);
    /// All that was shown since then.
    std::string const& shown() const noexcept { return shown_; }
    pid_t foreground_group() const;
    /// Are keys shown, and lines edited, as at a prompt?
    bool has_usual_modes() const;

    std::optional<int> wait(); ///< its wait status

private:
    bool read_more(std::chrono::milliseconds limit);

    pid_t pid_ = -1;
    bool reaped_ = false;
    descriptor master_{};
    std::string shown_{};
};

} // namespace redlatch::test
