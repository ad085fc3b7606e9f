#include "measure/affinity.hpp"

#include <cerrno>
#include <filesystem>
#include <sched.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::bench {

std::vector<int> usable_cores() {
    // Asked once: after pinning only the pinned core would be left.
    static std::vector<int> const cores = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        std::vector<int> result;
        for (int core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(static_cast<std::size_t>(core), &set)) result.push_back(core);
        return result;
    }();
    return cores;
}

std::vector<placement> placements() {
    auto const cores = usable_cores();
    if (cores.size() == 1) return {{"together", cores, cores}};
    return {{"apart", {cores[0]}, {cores[1]}}, {"together", {cores[1]}, {cores[1]}}, {"free", cores, cores}};
}

void pin(pid_t process, std::vector<int> const& cores) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int const core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
    auto const owner = process == 0 ? ::getpid() : process;
    for (auto const& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(owner) + "/task")) {
        auto const id = static_cast<pid_t>(std::stol(thread.path().filename()));
        // A thread may have ended since it was listed.
        if (::sched_setaffinity(id, sizeof set, &set) != 0 && errno != ESRCH)
            throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
    }
}

} // namespace redlatch::bench
