// Who is left of a process group whose leader has ended.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace redlatch::cli {

/// From now on orphans among our descendants become our children, so that SIGCHLD tells of their end.
void adopt_orphans() noexcept;

/// Reaps what was adopted into the group, and says whether other processes than its leader still run in it. Reads /proc; where
/// that cannot be read the answer is yes. The leader must not have been reaped.
bool others_live_in_group(pid_t leader) noexcept;

/// A process of the group that this one may not signal, because it runs as another user; 0: none. Reads /proc.
pid_t out_of_reach_in_group(pid_t leader) noexcept;

/// The two members of a line of /proc/PID/stat that matter; a name may contain blanks and parentheses. For tests, too.
struct process_state {
    char state = '?';
    pid_t group = 0;
};
process_state read_process_state(std::string_view line) noexcept;

} // namespace redlatch::cli
