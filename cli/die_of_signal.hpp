// The end of the tool by a signal, so that whoever waits for it sees what ended it and not only a number.
#pragma once

namespace redlatch::cli {

/// Thrown by a command when a signal ended its wait, or the process that it ran: everything that is held is given back on the
/// way to main(), which then calls die_of().
struct ended_by_signal {
    int number;
};

/// Ends this process as the signal does by default, without a core dump. A shell then knows that a Ctrl-C was not dealt with
/// and ends its script too; its $? is 128 + number. Where the signal cannot end it (process 1 of a container), it exits with
/// that status. Async-signal-safe.
[[noreturn]] void die_of(int number) noexcept;

} // namespace redlatch::cli
