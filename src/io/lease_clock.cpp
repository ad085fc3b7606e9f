#include <redlatch/lease_clock.hpp>

#include <ctime>

namespace redlatch {

lease_clock::time_point lease_clock::now() noexcept {
    std::timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time); // cannot fail: the clock exists since Linux 2.6.39
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

} // namespace redlatch
