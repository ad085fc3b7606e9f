// Fair locks: dead waiters at the head of the queue, waiters that give up.
#include "redisson_defects_test.hpp"

namespace redlatch::test {
namespace {

class redisson_defects_fair : public redisson_defects_test {
protected:
    /// Somebody at the head of the queue who will never ask again, and is passed over after that time.
    void queue_a_dead_waiter(std::chrono::milliseconds passed_over_after) const {
        server().run("RPUSH", queue, "dead:1");
        server().run("ZADD", deadlines, std::to_string(server_milliseconds() + passed_over_after.count()), "dead:1");
    }
    bool queue_becomes(std::int64_t length) const {
        return wait_until([&] { return server().run("LLEN", queue).integer == length; });
    }
    /// How far the time after which the second in the queue is passed over lies ahead, in ms.
    long long deadline_ahead(std::string const& waiter) const {
        return std::stoll(server().run("ZSCORE", deadlines, waiter).text) - server_milliseconds();
    }
    /// A waiter in the second place, that may wait for 20 s.
    struct second_waiter {
        java_peer::ticket ticket = 0;
        std::string entry{};
    };
    second_waiter java_is_second() const {
        auto const ticket = java().start("second", "fair/tryLock", {name, "20000", "5000"});
        EXPECT_TRUE(queue_becomes(2));
        return {ticket, server().run("LINDEX", queue, "1").text};
    }
    void take_away(second_waiter const& waiter) const {
        interrupt(java(), "second");
        java().end_of(waiter.ticket);
        server().run("DEL", queue, deadlines);
    }

    any_lock ours{cpp.get_fair_lock(name)};
    std::string const queue = "redisson_lock_queue:{" + name + "}";
    std::string const deadlines = "redisson_lock_timeout:{" + name + "}";
};

TEST_F(redisson_defects_fair, java_asks_without_a_pause_for_a_free_lock_behind_a_dead_waiter) {
    java(); // which may take its time to start
    queue_a_dead_waiter(1s);
    auto const before = script_calls();
    auto const waits = java().start("a", "fair/lock", {name});
    EXPECT_TRUE(java().end_of(waits).ok);
    EXPECT_GT(script_calls() - before, 200) << "in a second";
    java().value("a", "fair/unlock", {name});
}

TEST_F(redisson_defects_fair, ours_sleeps_until_a_dead_waiter_before_it_is_passed_over) {
    queue_a_dead_waiter(1s);
    auto const before = script_calls();
    EXPECT_TRUE(ours.acquire({.wait = patience}));
    EXPECT_LT(script_calls() - before, 15);
}

TEST_F(redisson_defects_fair, java_that_gives_up_an_asynchronous_wait_ends_the_time_of_those_behind_it) {
    hold const mine = ours.acquire();
    auto const gives_up = java().start("first", "fair/tryLockAsync", {name, "400", "5000", "77"});
    ASSERT_TRUE(queue_becomes(1));
    auto const second = java_is_second();
    EXPECT_GT(deadline_ahead(second.entry), 0);
    EXPECT_EQ(java().end_of(gives_up).value, "false");
    EXPECT_LT(deadline_ahead(second.entry), -200'000)
        << "five minutes: the next one who comes throws it out of the queue";
    take_away(second);
}

TEST_F(redisson_defects_fair, ours_that_gives_up_leaves_those_behind_it_their_time) {
    hold const mine = ours.acquire();
    auto gives_up = in_thread([&] { return ours.try_acquire({.wait = 400ms, .owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    auto const second = java_is_second();
    EXPECT_FALSE(gives_up.get());
    EXPECT_TRUE(queue_becomes(1));
    EXPECT_GT(deadline_ahead(second.entry), 0);
    take_away(second);
}

TEST_F(redisson_defects_fair, java_that_is_interrupted_leaves_its_entry_in_the_queue) {
    hold const mine = ours.acquire();
    auto const waits = java().start("a", "fair/lockInterruptibly", {name});
    ASSERT_TRUE(queue_becomes(1));
    interrupt(java(), "a");
    EXPECT_FALSE(java().end_of(waits).ok);
    EXPECT_EQ(server().run("LLEN", queue).integer, 1);
    server().run("DEL", queue, deadlines);
}

TEST_F(redisson_defects_fair, ours_that_is_cancelled_takes_its_entry_out_of_the_queue) {
    hold const mine = ours.acquire();
    std::stop_source stop;
    auto waits =
        in_thread([&] { return ours.try_acquire({.wait = patience, .owner = owner(), .stop = stop.get_token()}); });
    ASSERT_TRUE(queue_becomes(1));
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(waits.get()), error);
    EXPECT_TRUE(queue_becomes(0));
}

} // namespace
} // namespace redlatch::test
