// Who runs on which core. Without it the figures of a small machine have two values, by chance.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// Where the server and the clients run.
struct placement {
    std::string name; ///< "apart": a core each; "together": both on one; "free": the scheduler decides
    std::vector<int> server_cores;
    std::vector<int> client_cores;
};

/// The cores that this process may use.
std::vector<int> usable_cores();

/// What can be measured here; a machine with one core has only "together".
std::vector<placement> placements();

/// All threads that the process has now; 0: this process. Threads and children made later inherit it.
void pin(pid_t process, std::vector<int> const& cores);

} // namespace redlatch::bench
