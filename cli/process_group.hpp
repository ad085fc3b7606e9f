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

/// Is there nobody who could continue this process's group if it was stopped from the terminal? That is a process of the same
/// session, in another group: a shell with job control. The kernel looks at the parent of each member, this at our own, and
/// where that is of our group (a script) at its parent, and so on. Reads /proc; where that cannot be read the answer is no.
bool own_group_is_orphaned() noexcept;

/// The members of a line of /proc/PID/stat that matter; a name may contain blanks and parentheses. For tests, too.
struct process_state {
    char state = '?';
    pid_t parent = 0;
    pid_t group = 0;
};
process_state read_process_state(std::string_view line) noexcept;

} // namespace redlatch::cli
