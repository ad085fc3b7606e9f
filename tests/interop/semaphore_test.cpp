// Permits of one semaphore, taken and given by both languages.
#include "contest.hpp"
#include "counter_test.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <tuple>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// Through the asynchronous face in that variant.
void take(semaphore& from, int permits = 1) {
    permit_options const options{.permits = permits, .wait = patience};
    if (!asynchronously()) return from.acquire(options);
    ended<>([&](completion_ptr<>& done) { return from.start_acquire(options, done); }).must_succeed();
}

class shared_semaphore : public counter_test {
protected:
    semaphore of(client& user) const { return user.get_semaphore(name, {.exactly_once = GetParam()}); }

    std::string in_java(std::string const& command, java_peer::words arguments = {}) const {
        arguments.insert(arguments.begin(), name);
        return ask_java("semaphore/" + command, arguments);
    }
    void expect_both_see(std::int64_t permits) {
        EXPECT_EQ(ours.available_permits(), permits);
        EXPECT_EQ(in_java("availablePermits"), std::to_string(permits));
    }
    java_peer::ticket java_waits(std::string const& thread, int permits = 1) const {
        return counter_test::java_waits(channel, thread, "semaphore/acquire", {name, std::to_string(permits)});
    }
    std::future<long long> cpp_waits(client& user, int permits = 1) const {
        return counter_test::cpp_waits(channel, [from = of(user), permits]() mutable { take(from, permits); });
    }

    std::string const channel = "redisson_sc:{" + name + "}";
    semaphore ours = of(cpp);
};

INSTANTIATE_TEST_SUITE_P(of, shared_semaphore, ::testing::Bool(), request_form);

TEST_P(shared_semaphore, has_the_same_permits_on_both_sides) {
    EXPECT_TRUE(ours.try_set_permits(5));
    EXPECT_EQ(in_java("trySetPermits", {"9"}), "false");
    expect_both_see(5);
    in_java("acquire", {"2"});
    expect_both_see(3);
    take(ours, 3);
    expect_both_see(0);
    EXPECT_EQ(in_java("tryAcquire"), "false");
    EXPECT_FALSE(ours.try_acquire());

    in_java("release", {"4"});
    expect_both_see(4);
    ours.release(2);
    expect_both_see(6);
    EXPECT_EQ(in_java("tryAcquire", {"7"}), "false");
    EXPECT_FALSE(ours.try_acquire({.permits = 7}));
    EXPECT_EQ(in_java("tryAcquire", {"6"}), "true");
    expect_both_see(0);
}

TEST_P(shared_semaphore, gets_more_and_fewer_permits_from_either_side) {
    EXPECT_EQ(in_java("trySetPermits", {"2"}), "true");
    EXPECT_FALSE(ours.try_set_permits(9));
    ours.add_permits(3);
    expect_both_see(5);
    in_java("addPermits", {"2"});
    expect_both_see(7);
    in_java("addPermits", {"-5"});
    expect_both_see(2);
    ours.add_permits(-4);
    expect_both_see(-2);
    in_java("addPermits", {"-1"});
    expect_both_see(-3);
    EXPECT_EQ(in_java("tryAcquire"), "false");
    EXPECT_FALSE(ours.try_acquire());
    ours.release(4);
    expect_both_see(1);
    EXPECT_EQ(in_java("tryAcquire"), "true");
}

TEST_P(shared_semaphore, is_drained_by_either_side_for_both) {
    in_java("trySetPermits", {"4"});
    EXPECT_EQ(ours.drain_permits(), 4);
    expect_both_see(0);
    EXPECT_EQ(in_java("drainPermits"), "0");
    ours.release(3);
    EXPECT_EQ(in_java("drainPermits"), "3");
    expect_both_see(0);
    EXPECT_EQ(ours.drain_permits(), 0);
}

TEST_P(shared_semaphore, is_set_by_a_release_of_either_side_unless_it_is_only_for_one_that_exists) {
    EXPECT_FALSE(ours.release_if_exists());
    EXPECT_EQ(in_java("releaseIfExists", {"1"}), "false");
    EXPECT_FALSE(exists(name));
    in_java("release", {"2"});
    EXPECT_TRUE(ours.release_if_exists(3));
    expect_both_see(5);
    EXPECT_TRUE(ours.remove());
    expect_both_see(0);
    ours.release();
    EXPECT_EQ(in_java("releaseIfExists", {"4"}), "true");
    expect_both_see(5);
}

TEST_P(shared_semaphore, lets_a_waiter_of_either_side_go_without_a_permit_when_its_time_is_over) {
    EXPECT_TRUE(ours.try_set_permits(1));
    EXPECT_EQ(in_java("tryAcquire", {"2", "200"}), "false");
    in_java("acquire");
    std::error_code ec;
    EXPECT_FALSE(ours.try_acquire({.wait = 1s}, ec));
    EXPECT_EQ(ec, errc::timed_out);
    expect_both_see(0);
}

TEST_P(shared_semaphore, gives_java_what_ours_releases_in_milliseconds) {
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        auto const waits = java_waits("a");
        auto const released = wall_microseconds();
        ours.release();
        wake.add(end_of(waits) - released);
    }
    std::printf("C++ released -> Java has it: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
    expect_both_see(0);
}

TEST_P(shared_semaphore, gives_ours_what_java_releases_in_milliseconds) {
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        auto waits = cpp_waits(cpp);
        auto const released = std::stoll(in_java("release"));
        wake.add(waits.get() - released);
    }
    std::printf("Java released -> C++ has it: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
    expect_both_see(0);
}

TEST_P(shared_semaphore, lets_a_waiter_for_three_in_when_the_other_side_has_released_three) {
    auto const theirs = java_waits("a", 3);
    ours.release();
    EXPECT_TRUE(still_waits(theirs));
    ours.release();
    EXPECT_TRUE(still_waits(theirs));
    auto released = wall_microseconds();
    ours.release();
    EXPECT_LT(end_of(theirs) - released, woken_by_message);
    expect_both_see(0);

    auto mine = cpp_waits(cpp, 3);
    in_java("release", {"1"});
    EXPECT_TRUE(still_waits(mine));
    in_java("release", {"1"});
    EXPECT_TRUE(still_waits(mine));
    released = std::stoll(in_java("release", {"2"}));
    EXPECT_LT(mine.get() - released, woken_by_message);
    expect_both_see(1);
}

TEST_P(shared_semaphore, lets_as_many_waiters_of_the_other_side_in_as_one_release_has_permits) {
    auto const first = java_waits("a");
    auto const second = java_waits("b");
    auto released = wall_microseconds();
    ours.release(2);
    EXPECT_LT(end_of(first) - released, woken_by_message);
    EXPECT_LT(end_of(second) - released, woken_by_message) << "the message says how many";

    client other{as_variant(config{.address = server().uri()})};
    auto mine = cpp_waits(cpp);
    auto another = cpp_waits(other);
    auto behind = std::async(std::launch::async, [from = of(cpp)]() mutable {
        take(from);
        return wall_microseconds();
    });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 2; }));
    released = std::stoll(in_java("release", {"3"}));
    EXPECT_LT(mine.get() - released, woken_by_message);
    EXPECT_LT(another.get() - released, woken_by_message);
    EXPECT_LT(behind.get() - released, woken_by_message) << "it was in line behind another of its process";
    expect_both_see(0);
}

TEST_P(shared_semaphore, lets_waiters_in_when_the_other_side_sets_it_or_adds_permits) {
    auto theirs = java_waits("a");
    auto changed = wall_microseconds();
    EXPECT_TRUE(ours.try_set_permits(1));
    EXPECT_LT(end_of(theirs) - changed, woken_by_message);
    theirs = java_waits("a", 2);
    changed = wall_microseconds();
    ours.add_permits(2);
    EXPECT_LT(end_of(theirs) - changed, woken_by_message);

    EXPECT_TRUE(ours.remove());
    auto mine = cpp_waits(cpp);
    changed = wall_microseconds();
    EXPECT_EQ(in_java("trySetPermits", {"1"}), "true");
    EXPECT_LT(mine.get() - changed, woken_by_message);
    mine = cpp_waits(cpp, 2);
    changed = wall_microseconds();
    in_java("addPermits", {"2"});
    EXPECT_LT(mine.get() - changed, woken_by_message);
    expect_both_see(0);
}

TEST_P(shared_semaphore, keeps_its_waiters_while_there_are_fewer_permits_than_none) {
    auto const theirs = java_waits("a");
    ours.add_permits(-2);
    auto mine = cpp_waits(cpp);
    in_java("addPermits", {"-2"});
    ours.release(3);
    expect_both_see(-1);
    EXPECT_TRUE(still_waits(theirs));
    EXPECT_TRUE(still_waits(mine));
    auto const released = std::stoll(in_java("release", {"3"}));
    EXPECT_LT(end_of(theirs) - released, woken_by_message);
    EXPECT_LT(mine.get() - released, woken_by_message);
    expect_both_see(0);
}

TEST_P(shared_semaphore, gives_waiters_of_both_sides_their_turn_whoever_releases) {
    client other{as_variant(config{.address = server().uri()})};
    for (bool const java_releases : {true, false}) {
        auto const first_java = java_waits("a");
        auto const second_java = java_waits("b");
        auto first_cpp = cpp_waits(cpp);
        auto second_cpp = cpp_waits(other);
        EXPECT_EQ(listeners(channel), 3) << "two threads of one Java, and two clients";
        // Whoever gets one does not give it back.
        for (int permits = 0; permits < 4; ++permits) {
            if (java_releases)
                in_java("release");
            else
                ours.release();
        }
        end_of(first_java);
        end_of(second_java);
        first_cpp.get();
        second_cpp.get();
        expect_both_see(0);
    }
}

/// Java takes one each time, ours every fourth time both.
TEST_P(shared_semaphore, never_lets_more_in_than_it_has_permits_and_everybody_in_at_last) {
    constexpr int permits = 2;
    constexpr int threads = 3;
    constexpr int rounds = 400;
    auto const taken = name + ":taken";
    server().run("SET", taken, "0");
    EXPECT_TRUE(ours.try_set_permits(permits));
    std::vector<java_peer::ticket> tickets;
    for (int thread = 0; thread < threads; ++thread)
        tickets.push_back(
            java().start("c" + std::to_string(thread), "semaphore/contend", {name, taken, std::to_string(rounds)}));
    std::atomic<std::int64_t> most = 0;
    std::atomic<int> entries = 0;
    client other{as_variant(config{.address = server().uri()})};
    {
        std::vector<std::jthread> workers;
        for (int thread = 0; thread < threads; ++thread) {
            workers.emplace_back([&, from = of(thread == 0 ? other : cpp)]() mutable {
                raw_client redis = server().admin();
                for (int round = 0; round < rounds; ++round) {
                    auto const mine = round % 4 == 3 ? permits : 1;
                    take(from, mine);
                    auto const seen = redis.command("INCRBY", taken, std::to_string(mine)).integer;
                    for (auto known = most.load(); seen > known && !most.compare_exchange_weak(known, seen);) {
                    }
                    redis.command("DECRBY", taken, std::to_string(mine));
                    from.release(mine);
                    ++entries;
                }
            });
        }
    }
    for (auto const ticket : tickets) {
        auto const answer = java().end_of(ticket, 60s);
        EXPECT_TRUE(answer.ok) << answer.exception_class << ": " << answer.value;
        EXPECT_LE(std::stoll(answer.value), permits) << "the largest number of permits taken";
    }
    EXPECT_LE(most.load(), permits);
    EXPECT_EQ(entries.load(), threads * rounds);
    EXPECT_EQ(server().run("GET", taken).text, "0");
    expect_both_see(permits);
    server().run("DEL", taken);
}

struct taken {
    semaphore& from;
    void release() const { from.release(); }
};

TEST_P(shared_semaphore, of_one_permit_lets_one_in_at_a_time_and_starves_neither_side) {
    EXPECT_TRUE(ours.try_set_permits(1));
    expect_one_at_a_time_and_a_tenth_each(up_to_three([&] {
        return contest(server(), java(), "semaphore/contest", name, {100}, [&] {
            take(ours);
            return taken{ours};
        });
    }));
    expect_both_see(1);
}

TEST_P(shared_semaphore, of_two_permits_lets_two_in_and_starves_neither_side) {
    EXPECT_TRUE(ours.try_set_permits(2));
    auto const end = up_to_three([&] {
        return contest(server(), java(), "semaphore/contest", name, {150, 3}, [&] {
            take(ours);
            return taken{ours};
        });
    });
    EXPECT_EQ(end.most_inside, 2);
    expect_a_tenth_each(end);
    expect_both_see(2);
}

TEST_P(shared_semaphore, looks_the_same_whoever_uses_it) {
    using steps = std::vector<std::function<void()>>;
    auto const by_cpp =
        trace(name, channel,
              steps{[&] { EXPECT_TRUE(ours.try_set_permits(5)); }, [&] { take(ours, 2); }, [&] { ours.release(); },
                    [&] { ours.add_permits(3); }, [&] { ours.add_permits(-9); },
                    [&] { EXPECT_TRUE(ours.release_if_exists(4)); }, [&] { EXPECT_EQ(ours.drain_permits(), 2); }});
    ours.remove();
    auto const by_java = trace(name, channel,
                               steps{[&] { in_java("trySetPermits", {"5"}); }, [&] { in_java("acquire", {"2"}); },
                                     [&] { in_java("release"); }, [&] { in_java("addPermits", {"3"}); },
                                     [&] { in_java("addPermits", {"-9"}); }, [&] { in_java("releaseIfExists", {"4"}); },
                                     [&] { in_java("drainPermits"); }});
    EXPECT_EQ(by_cpp, by_java);
    std::vector<std::string> const expected{"5", "3",         "4",         "7",         "-2",         "2",
                                            "0", "message 5", "message 4", "message 7", "message -2", "message 2"};
    EXPECT_EQ(by_cpp, expected);
}

TEST_P(shared_semaphore, has_one_channel_for_both_sides_whatever_its_name) {
    for (std::string const key : counter_names) {
        SCOPED_TRACE(key);
        auto const heard_on = "redisson_sc:" + (key.find('{') == std::string::npos ? "{" + key + "}" : key);
        auto shared = cpp.get_semaphore(key, {.exactly_once = GetParam()});
        server().run("DEL", key);
        for (bool const java_releases : {true, false}) {
            auto const theirs = counter_test::java_waits(heard_on, "a", "semaphore/acquire", {key});
            auto mine = counter_test::cpp_waits(heard_on, [&] { take(shared); });
            EXPECT_EQ(listeners(heard_on), 2);
            auto const released = wall_microseconds();
            if (java_releases)
                ask_java("semaphore/release", {key, "2"});
            else
                shared.release(2);
            EXPECT_LT(end_of(theirs) - released, woken_by_message);
            EXPECT_LT(mine.get() - released, woken_by_message);
        }
        EXPECT_EQ(ask_java("semaphore/availablePermits", {key}), "0");
        EXPECT_TRUE(shared.remove());
    }
}

} // namespace
} // namespace redlatch::test
