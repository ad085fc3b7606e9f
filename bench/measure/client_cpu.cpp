#include "measure/client_cpu.hpp"

#include <cerrno>
#include <ctime>
#include <sys/resource.h>
#include <system_error>

namespace redlatch::bench {

double own_cpu_seconds() {
    auto const seconds = [](timeval const& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    double result = 0;
    for (auto const who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        result += seconds(used.ru_utime) + seconds(used.ru_stime);
    }
    return result;
}

double cpu_seconds_of(pid_t process) {
    clockid_t clock = 0;
    timespec used{};
    if (int const problem = ::clock_getcpuclockid(process, &clock); problem != 0)
        throw std::system_error(problem, std::generic_category(), "the CPU time of a client");
    if (::clock_gettime(clock, &used) != 0)
        throw std::system_error(errno, std::generic_category(), "the CPU time of a client");
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

} // namespace redlatch::bench
