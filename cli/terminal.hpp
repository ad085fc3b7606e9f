// The controlling terminal, and whose turn it is.
//
// The command has a process group of its own, so it must be made the terminal's foreground group, or it could not read from
// it and Ctrl-C would not reach it. That is done at once when the tool is the whole foreground job. In a pipeline (stdin or
// stdout is a pipe) other members of the job may need the terminal, so the command gets it when it asks: when it was stopped
// by TTIN or TTOU.
#pragma once

#include "descriptor.hpp"

#include <optional>
#include <sys/types.h>
#include <termios.h>

namespace redlatch::cli {

/// TTOU must be blocked while members are called. Thread safety: distinct objects: safe. Shared objects: not safe.
class terminal {
public:
    /// `background`: a shell without job control started us with `&`; the terminal is not ours then, whatever it says.
    explicit terminal(bool background) noexcept;

    /// For the command's process: the descriptor with which it makes itself the foreground group; -1: it should not.
    int for_command() noexcept;

    /// Makes the command's group the foreground group, if ours is. Did it?
    bool give_to(pid_t group) noexcept;
    /// As above, unless the terminal is better shared within a pipeline.
    void give_back_to(pid_t group) noexcept;
    /// Makes our group the foreground group again, if the command got it.
    void take_back() noexcept;
    bool given() const noexcept { return given_; }
    /// Sets the modes that it had when the command got it first: a command that was killed could not do that itself. Nothing
    /// if it never did, or if another group has the terminal now.
    void restore_modes() noexcept;

private:
    bool is_ours() const noexcept;
    void save_modes() noexcept;

    descriptor descriptor_{};
    bool in_pipeline_ = false;
    bool given_ = false;
    std::optional<termios> modes_{};
};

} // namespace redlatch::cli
