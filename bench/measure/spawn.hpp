// Programs started by the benchmark.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// Runs a command, the program first, searched in PATH; its stdin and stdout are /dev/null. Returns its exit status, or
/// 128 + signal. Throws std::system_error when it cannot be started. With a log its stdout and stderr go there.
int run_command(std::vector<std::string> arguments, std::string const& log = {});

/// Descriptors for a program; -1: /dev/null, for errors ours.
struct standard_streams {
    int input = -1;
    int output = -1;
    int errors = -1;
};

/// A program that runs for a while. It is ended with SIGTERM by the destructor, and also when the benchmark is killed.
///
/// Thread safety: distinct objects: safe, all made by the main thread (the kernel ends them with the thread that made them).
class background_program {
public:
    explicit background_program(std::vector<std::string> arguments, standard_streams streams = {});
    background_program(background_program const&) = delete;
    background_program& operator=(background_program const&) = delete;
    ~background_program();

    pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_;
};

} // namespace redlatch::bench
