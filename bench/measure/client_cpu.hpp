// CPU time of clients, from the operating system.
#pragma once

#include <sys/types.h>

namespace redlatch::bench {

/// Of this process and of the children that it has waited for.
double own_cpu_seconds();

/// Of another process, with all its threads.
double cpu_seconds_of(pid_t process);

} // namespace redlatch::bench
