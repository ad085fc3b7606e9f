// Whoever releases and asks again at once leaves time first to those that heard of the release.
#include "behaviour/kinds.hpp"
#include "integration/fixture.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
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
    client user{quick(server.uri())};

    /// Each call gets in, and out by release() of what it returns. Somebody hears what is said on that channel, and does
    /// nothing.
    template <class Enter> void expect_to_leave_time(std::string const& channel, Enter enter) {
        auto deaf = server.admin();
        deaf.command("SUBSCRIBE", channel);
        auto mine = enter();
        std::this_thread::sleep_for(work); // sleeps because work takes time
        auto const released = steady_clock::now();
        mine.release();
        auto again = enter();
        EXPECT_GE(steady_clock::now() - released, left_to_others);
        again.release();
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

TEST_P(release_yield_of_lock, leaves_time_to_those_that_heard_of_it) {
    auto lock = GetParam().get(user, name);
    expect_to_leave_time(std::string(GetParam().channel) + ":{" + name + "}", [&] { return lock.acquire(); });
}

/// What is given back by the semaphore itself.
struct taken {
    semaphore& from;
    void release() const { from.release(); }
};

TEST_F(release_yield, of_a_permit_leaves_time_to_those_that_heard_of_it) {
    auto counter = user.get_semaphore(name);
    EXPECT_TRUE(counter.try_set_permits(1));
    expect_to_leave_time("redisson_sc:{" + name + "}", [&] {
        counter.acquire();
        return taken{counter};
    });
    EXPECT_TRUE(counter.remove());
}

TEST_F(release_yield, of_a_permit_with_an_id_leaves_time_to_those_that_heard_of_it) {
    auto counter = user.get_permit_semaphore(name);
    EXPECT_TRUE(counter.try_set_permits(1));
    expect_to_leave_time("redisson_sc:{" + name + "}", [&] { return counter.acquire(); });
    EXPECT_TRUE(counter.remove());
}

/// A client whose waiters never cease to wait, and one that has a single thread. `enter(client)` takes the only permit.
template <class Enter> void expect_a_part_for_another_client(redis_server const& server, Enter enter) {
    constexpr int entries = 60;
    std::atomic<int> left{entries};
    std::atomic<int> of_the_other{0};
    auto const takes_part = [&](client& user, bool is_other) {
        for (;;) {
            auto const mine = enter(user);
            bool const counts = left-- > 0;
            if (counts && is_other) ++of_the_other;
            if (counts) std::this_thread::sleep_for(3ms); // sleeps because work takes time
            mine.release();
            if (!counts) return;
        }
    };
    client many(quick(server.uri()));
    client single(quick(server.uri()));
    std::vector<std::thread> threads;
    threads.emplace_back([&] { takes_part(single, true); });
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { takes_part(many, false); });
    for (auto& one : threads) one.join();
    EXPECT_GE(of_the_other, entries / 4);
}

TEST_F(release_yield, waiters_of_a_client_leave_permits_to_another_one) {
    EXPECT_TRUE(user.get_semaphore(name).try_set_permits(1));
    struct with_its_own {
        semaphore from;
        void release() const { semaphore(from).release(); }
    };
    expect_a_part_for_another_client(server, [&](client& one) {
        auto counter = one.get_semaphore(name);
        counter.acquire();
        return with_its_own{counter};
    });
}

TEST_F(release_yield, waiters_of_a_client_leave_permits_with_ids_to_another_one) {
    EXPECT_TRUE(user.get_permit_semaphore(name).try_set_permits(1));
    struct of_permits {
        std::shared_ptr<permits> mine;
        void release() const { mine->release(); }
    };
    expect_a_part_for_another_client(server, [&](client& one) {
        return of_permits{std::make_shared<permits>(one.get_permit_semaphore(name).acquire())};
    });
}

TEST_F(release_yield, of_several_locks_leaves_time_to_those_that_heard_of_one) {
    multi_lock several({user.get_lock(name), user.get_lock(name + ", another")});
    expect_to_leave_time(channel_of(name), [&] { return several.acquire(); });
}

/// It does not show that nobody would have come.
TEST_F(release_yield, of_several_locks_leaves_time_also_behind_a_try_that_left_none) {
    multi_lock several({user.get_lock(name), user.get_lock(name + ", another")});
    several.acquire().release();
    auto deaf = server.admin();
    deaf.command("SUBSCRIBE", channel_of(name));
    several.acquire().release();
    auto mine = several.try_acquire();
    ASSERT_TRUE(mine);
    std::this_thread::sleep_for(work); // sleeps because work takes time
    auto const released = steady_clock::now();
    mine->release();
    auto again = several.acquire();
    EXPECT_GE(steady_clock::now() - released, left_to_others);
    again.release();
}

/// The wait would end before the time is over that is left to others.
TEST_F(release_yield, does_not_use_up_a_short_wait) {
    auto deaf = server.admin();
    acquire_options const soon{.wait = left_to_others - 1ms};
    int alone = 0;
    int with_others = 0;
    std::error_code ec;
    for (int round = 0; round < 10; ++round) { // a busy machine may use one up
        for (bool const whole : {false, true}) {
            auto const fresh = name + std::to_string(round) + (whole ? ", whole" : "");
            deaf.command("SUBSCRIBE", channel_of(fresh));
            auto lock = user.get_lock(fresh);
            auto mine = lock.acquire();
            std::this_thread::sleep_for(work); // sleeps because work takes time
            mine.release();
            if (whole)
                with_others += multi_lock({lock, user.get_lock(name + ", another")}).try_acquire(soon, ec) ? 1 : 0;
            else
                alone += lock.try_acquire(soon, ec) ? 1 : 0;
        }
    }
    EXPECT_GT(alone, 0);
    EXPECT_GT(with_others, 0);
}

/// Nothing is left of a millisecond when its half is over, as waits are counted.
TEST_F(release_yield, of_several_locks_that_takes_all_of_the_wait_is_no_loss) {
    auto deaf = server.admin();
    for (int round = 0; round < 3; ++round) {
        auto const fresh = name + std::to_string(round);
        deaf.command("SUBSCRIBE", channel_of(fresh));
        auto lock = user.get_lock(fresh);
        auto mine = lock.acquire();
        std::this_thread::sleep_for(work); // sleeps because work takes time
        mine.release();
        multi_lock several({lock, user.get_lock(fresh + ", another")});
        std::error_code ec;
        EXPECT_TRUE(several.try_acquire({.wait = 1ms}, ec) || in_vain(ec))
            << "whether it is acquired or not: " << ec.message();
    }
}

} // namespace
} // namespace redlatch::test
