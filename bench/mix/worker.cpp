#include "mix/worker.hpp"

#include "mix/zipf.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

/// What is shorter is spent on the processor: a sleep would be longer by more than itself.
constexpr auto shortest_sleep = 100us;

void spend(std::chrono::microseconds time) {
    if (time >= shortest_sleep) {
        std::this_thread::sleep_for(time);
        return;
    }
    auto const until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
}

} // namespace

std::int64_t monotonic_now() {
    return std::chrono::steady_clock::now().time_since_epoch() / 1ns;
}

void work_in_mix(mix_shape const& shape, std::vector<party> const& locks, mix_board const& board, std::size_t place) {
    auto& heading = board.heading();
    auto& mine = board.worker(place);
    zipf const popularity(locks.size(), shape.zipf);
    std::mt19937_64 random(place);
    std::uniform_real_distribution<> share(0, 1);
    heading.ready.fetch_add(1);
    while (heading.phase == mix_phase::preparing) std::this_thread::sleep_for(1ms);
    while (heading.phase != mix_phase::stopping) {
        auto const which = popularity.at(share(random));
        auto const asked = monotonic_now();
        mine.waiting_since = asked;
        locks[which].acquire();
        auto const waited = monotonic_now() - asked;
        mine.waiting_since = 0;
        auto& inside = board.lock(which).inside;
        if (inside.fetch_add(1) != 0) heading.overlaps.fetch_add(1);
        if (heading.phase == mix_phase::measuring && waited > mine.longest_wait) mine.longest_wait = waited;
        spend(shape.hold);
        inside.fetch_sub(1);
        locks[which].release();
        mine.cycles.fetch_add(1);
        spend(shape.pause);
    }
}

std::int64_t longest_wait(mix_board const& board, std::size_t first, std::size_t count, std::int64_t now) {
    std::int64_t longest = 0;
    for (std::size_t place = first; place < first + count; ++place) {
        auto const& each = board.worker(place);
        // Who gets nothing at all must not look like one who never waits.
        if (auto const since = each.waiting_since.load(); since != 0) longest = std::max(longest, now - since);
        longest = std::max(longest, each.longest_wait.load());
    }
    return longest;
}

} // namespace redlatch::bench
