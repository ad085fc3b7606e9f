// Memory of a process, from /proc.
#pragma once

#include <string>
#include <sys/types.h>

namespace redlatch::bench {

/// A field of /proc/PID/FILE in bytes; "status" has VmRSS, "smaps_rollup" has Pss. 0: this process.
double memory_of(pid_t process, std::string const& file = "status", std::string const& field = "VmRSS");

} // namespace redlatch::bench
