// Fair locks: dead waiters at the head of the queue, waiters that give up, waiters with different times.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

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

    std::string in_place(int place) const { return server().run("LINDEX", queue, std::to_string(place)).text; }
    /// As by its release.
    void hand_to(std::string const& waiter) const {
        server().run("DEL", name);
        server().run("PUBLISH", channel_of(name) + ":" + waiter, "0");
    }
    /// Behind a waiter of Java that may keep its place for five minutes there is one, which `begin_to_wait` begins, that has
    /// less time. Java has the lock now, and so has taken five minutes from the other one, whose entry this is.
    template <class Wait> std::string java_is_followed_by_one_with_less_time(Wait begin_to_wait) const {
        java(); // which may take its time to start
        hold_as_stranger(server(), name, 4s);
        auto const first = java().start("first", "fair/lock", {name});
        EXPECT_TRUE(queue_becomes(1));
        server().run("PEXPIRE", name, "600000"); // which the second one is told
        begin_to_wait();
        EXPECT_TRUE(queue_becomes(2));
        auto const second = in_place(1);
        // Its time begins where that of the first one ends. Now less than five minutes are left of both.
        EXPECT_TRUE(wait_until([&] { return deadline_ahead(second) < 299'000; }));
        hand_to(in_place(0));
        EXPECT_TRUE(java().end_of(first).ok);
        return second;
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

TEST_F(redisson_defects_fair,
       java_that_waits_with_less_time_than_others_is_thrown_out_and_sleeps_beside_the_free_lock) {
    java_peer brief(built_peer().folder, server().uri(), 30s, 500ms); // of fairLockWaitTimeout
    java_peer::ticket waits = 0;
    auto const second = java_is_followed_by_one_with_less_time([&] { waits = brief.start("a", "fair/lock", {name}); });
    EXPECT_LT(deadline_ahead(second), 0);
    auto const third = java().start("third", "fair/lock", {name});
    EXPECT_TRUE(wait_until([&] { return in_place(0) != second; })) << "the next one who comes throws it out";
    java().value("first", "fair/unlock", {name});
    EXPECT_TRUE(java().end_of(third).ok);
    java().value("third", "fair/unlock", {name});
    EXPECT_FALSE(exists(name));
    EXPECT_TRUE(still_waits(waits, brief)) << "for ten minutes, as it was told, and nobody wakes it";
    hand_to(second);
    EXPECT_TRUE(brief.end_of(waits).ok);
    brief.value("a", "fair/unlock", {name});
}

TEST_F(redisson_defects_fair, ours_that_waits_with_less_time_than_others_keeps_its_place) {
    client brief(as_variant(config{.address = server().uri(), .fair_lock_wait_timeout = 1s}));
    std::future<hold> waits;
    auto const second = java_is_followed_by_one_with_less_time([&] {
        waits = in_thread(
            [lock = any_lock(brief.get_fair_lock(name))]() mutable { return lock.acquire({.owner = owner()}); });
    });
    EXPECT_TRUE(wait_until([&] { return deadline_ahead(second) > 0; })) << "it asks, and so is alive";
    auto const third = java().start("third", "fair/lock", {name});
    EXPECT_TRUE(queue_becomes(2));
    java().value("first", "fair/unlock", {name});
    ASSERT_EQ(waits.wait_for(10s), std::future_status::ready);
    EXPECT_FALSE(java().reply_if_any(third));
    waits.get().release();
    EXPECT_TRUE(java().end_of(third).ok);
    java().value("third", "fair/unlock", {name});
}

TEST_F(redisson_defects_fair, java_changes_the_time_of_each_waiter_when_it_acquires) {
    constexpr int waiters = 10;
    hold mine = ours.acquire();
    auto const waits = java().start("a", "fair/lock", {name});
    ASSERT_TRUE(queue_becomes(1));
    for (int i = 0; i < waiters; ++i) {
        auto const entry = "other:" + std::to_string(i);
        server().run("RPUSH", queue, entry);
        server().run("ZADD", deadlines, std::to_string(server_milliseconds() + 1'000'000), entry);
    }
    auto const before = command_counts(server())["zincrby"];
    mine.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    EXPECT_EQ(command_counts(server())["zincrby"] - before, unsigned(waiters)) << "one by one";
    java().value("a", "fair/unlock", {name});
    server().run("DEL", queue, deadlines);
}

} // namespace
} // namespace redlatch::test
