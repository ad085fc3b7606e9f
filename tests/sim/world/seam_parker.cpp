// A thread's sleep as a fiber's: linked instead of src/io/parker.cpp.
#include "base/assert.hpp"
#include "io/parker.hpp"
#include "sim/world/network.hpp"
#include "sim/world/seams.hpp"
#include "sim/world/shortage.hpp"
#include "sim/world/world.hpp"

namespace redlatch::io {

base::nanoseconds time_left(base::instant until) noexcept {
    if (until == base::never) return base::nanoseconds(-1);
    return std::max(until - lease_clock::now(), base::nanoseconds::zero());
}

parker& parker::of_this_thread() {
    auto* const me = sim::fiber::current();
    REDLATCH_ASSERT(me != nullptr); // nothing may block on one of the library's own threads
    return me->its_parker();
}

void parker::wake() noexcept {
    sim::memory_of_the_world const own;
    auto const before = word_.exchange(told);
    if (before != parked && before != polling) return;
    if (auto* const who = sim::fiber::of(this)) sim::world::the().wake(*who);
}

void parker::park(base::instant until) noexcept {
    sim::memory_of_the_world const own;
    auto& in = sim::world::the();
    if (word_.load() == awake) {
        word_.store(parked);
        in.rest_until(in.current()->reaches(until, in.now()));
    }
    word_.store(awake);
}

short parker::poll(int fd, short events, int, base::instant until) noexcept {
    sim::memory_of_the_world const own;
    auto& in = sim::world::the();
    auto* const net = sim::network_in_use();
    if (word_.exchange(polling) == told) {
        word_.store(awake);
        return 0;
    }
    if (net->ready(fd, events) == 0) {
        net->watch(fd, sim::fiber::current());
        in.rest_until(in.current()->reaches(until, in.now()));
        net->watch(fd, nullptr);
    }
    word_.store(awake);
    return net->ready(fd, events);
}

} // namespace redlatch::io
