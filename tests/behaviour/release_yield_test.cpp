// Whoever releases and asks again at once comes after those that have waited, or leaves them time to come.
#include "behaviour/kinds.hpp"
#include "integration/fixture.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

using std::chrono::steady_clock;

/// Half of this is the longest time that is left to others.
constexpr auto work = 12ms;
constexpr auto left_to_others = 5ms;

class release_yield : public with_server {
protected:
    static config settings(std::string address) { return quick(std::move(address)); }

    client user{settings(server.uri())};
    client other{settings(server.uri())};

    /// Each call gets in, and out by release() of what it returns. `channel`: where releases are told.
    template <class Ours, class Theirs> void expect_to_let_in(std::string const& channel, Ours enter, Theirs wait) {
        std::atomic<bool> came{false};
        auto mine = enter();
        auto waiter = in_thread([&] {
            auto in = wait();
            came = true;
            in.release();
        });
        ASSERT_TRUE(wait_until([&] { return server.run("PUBSUB", "NUMSUB", channel).items.at(1).integer > 0; }));
        std::this_thread::sleep_for(work); // sleeps because work takes time
        auto const released = steady_clock::now();
        mine.release();
        auto again = enter();
        EXPECT_TRUE(came || steady_clock::now() - released >= left_to_others) << "the one that waited had no chance";
        again.release();
        waiter.get();
    }
};

class release_yield_of_lock : public release_yield, public ::testing::WithParamInterface<lock_kind> {};

/// Not those whose waiters hear of no release, nor those whose waiters have a queue on the server: fair_lock_test.cpp.
std::vector<lock_kind> kinds_without_a_queue() {
    std::vector<lock_kind> some;
    std::copy_if(std::begin(lock_kinds), std::end(lock_kinds), std::back_inserter(some),
                 [](lock_kind const& one) { return one.announces_releases && !one.queues_on_server; });
    return some;
}

INSTANTIATE_TEST_SUITE_P(of, release_yield_of_lock, ::testing::ValuesIn(kinds_without_a_queue()),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(release_yield_of_lock, lets_in_who_has_waited) {
    auto ours = GetParam().get(user, name);
    auto theirs = GetParam().get(other, name);
    expect_to_let_in(
        std::string(GetParam().channel) + ":{" + name + "}", [&] { return ours.acquire(); },
        [&] { return theirs.acquire(); });
}

/// What is given back by the semaphore itself.
struct taken {
    semaphore& from;
    void release() const { from.release(); }
};

TEST_F(release_yield, lets_in_who_has_waited_for_a_permit) {
    auto ours = user.get_semaphore(name);
    auto theirs = other.get_semaphore(name);
    EXPECT_TRUE(ours.try_set_permits(1));
    auto const take = [](semaphore& from) {
        from.acquire();
        return taken{from};
    };
    expect_to_let_in(
        "redisson_sc:{" + name + "}", [&] { return take(ours); }, [&] { return take(theirs); });
    EXPECT_TRUE(ours.remove());
}

TEST_F(release_yield, lets_in_who_has_waited_for_a_permit_with_an_id) {
    auto ours = user.get_permit_semaphore(name);
    auto theirs = other.get_permit_semaphore(name);
    EXPECT_TRUE(ours.try_set_permits(1));
    expect_to_let_in(
        "redisson_sc:{" + name + "}", [&] { return ours.acquire(); }, [&] { return theirs.acquire(); });
    EXPECT_TRUE(ours.remove());
}

TEST_F(release_yield, lets_in_who_has_waited_for_several_locks) {
    auto const second = name + ", another";
    multi_lock ours({user.get_lock(name), user.get_lock(second)});
    multi_lock theirs({other.get_lock(name), other.get_lock(second)});
    expect_to_let_in(
        channel_of(name), [&] { return ours.acquire(); }, [&] { return theirs.acquire(); });
}

/// Each of them would end before the time is over that is left to others.
TEST_F(release_yield, does_not_use_up_a_short_wait) {
    auto lock = user.get_lock(name);
    multi_lock several({lock, user.get_lock(name + ", another")});
    auto deaf = server.admin();
    deaf.command("SUBSCRIBE", channel_of(name));
    int alone = 0;
    int with_others = 0;
    for (int round = 0; round < 10; ++round) { // a busy machine may use one up
        for (bool const whole : {false, true}) {
            auto mine = lock.acquire();
            std::this_thread::sleep_for(work); // sleeps because work takes time
            mine.release();
            acquire_options const soon{.wait = left_to_others - 1ms};
            if (whole)
                with_others += several.try_acquire(soon) ? 1 : 0;
            else
                alone += lock.try_acquire(soon) ? 1 : 0;
        }
    }
    EXPECT_GT(alone, 0);
    EXPECT_GT(with_others, 0);
}

} // namespace
} // namespace redlatch::test
