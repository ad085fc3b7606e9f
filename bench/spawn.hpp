// Programs started by the benchmark.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// In a process group of its own. The program first, searched in PATH. Its stdin is /dev/null, its stdout the given
/// descriptor (-1: /dev/null).
/// Throws std::system_error when it cannot be started.
pid_t spawn(std::vector<std::string> arguments, int output = -1);

/// Its exit status, or 128 + signal.
int wait_for(pid_t process);

} // namespace redlatch::bench
