#include "descriptor.hpp"

#include "system_error.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

namespace redlatch::cli {
namespace {

void drain(int number) noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] auto const got = ::read(number, &count, sizeof count); // nothing to read is fine
}

} // namespace

pipe_ends pipe_ends::make(int flags) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | flags) != 0) throw_errno("cannot make a pipe");
    return {descriptor{ends[0]}, descriptor{ends[1]}};
}

wake_descriptor::wake_descriptor() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!descriptor_) throw_errno("cannot make an eventfd");
}

void wake_descriptor::raise() const noexcept {
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const put =
        ::write(descriptor_.get(), &one, sizeof one); // cannot fail but for a full counter
}

void wake_descriptor::clear() const noexcept {
    drain(descriptor_.get());
}

timer_descriptor::timer_descriptor() : descriptor_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
    if (!descriptor_) throw_errno("cannot make a timer");
}

void timer_descriptor::fire_at(lease_clock::time_point due_time) const noexcept {
    auto const at = std::max<std::int64_t>(due_time.time_since_epoch().count(), 1); // zero would disarm it
    itimerspec setting{};
    setting.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
    setting.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
    ::timerfd_settime(descriptor_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void timer_descriptor::clear() const noexcept {
    drain(descriptor_.get());
}

} // namespace redlatch::cli
