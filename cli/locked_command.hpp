// A command that runs while a lock is held: what `run` and `elect` have in common.
#pragma once

#include "command_line.hpp"
#include "loss_plan.hpp"
#include "options.hpp"

#include <optional>
#include <string>

namespace redlatch::cli {

struct locked_command {
    lock_options lock{};
    loss_policy on_loss{};
    std::string on_loss_action = "term";
    std::optional<duration> grace{};
    arguments command{};
};

/// For the help of both.
extern char const* const locked_command_exit_status;

/// The command line "VERB NAME [FLAGS] -- COMMAND", whose flags `line` knows already but for --on-lost and --grace.
class locked_command_line {
public:
    /// `verb`: "run" or "elect".
    locked_command_line(command_line& line, std::string verb, locked_command& into);

    /// The words before the first `--` are ours. A name that begins with a dash, and no other one, goes behind it:
    /// VERB -- -NAME COMMAND.
    /// Throws usage_error, or help_requested.
    void parse(arguments words);
    /// Throws usage_error if there is none.
    void require_command() const;

private:
    command_line& line_;
    std::string verb_;
    locked_command& into_;
    std::optional<std::string> name_{};
};

/// Takes the lock, runs the command, gives the lock back: the tool's exit status.
int run_locked(locked_command& options);

} // namespace redlatch::cli
