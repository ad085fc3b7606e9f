// Semaphores and latches: waiters whose connection broke, latches that are removed, expiries.
#include "counter_test.hpp"

#include <set>
#include <sstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// Of counter_test it has the waiters; our requests are sent once.
class redisson_defects_counters : public counter_test {
protected:
    using ids = std::set<std::string>;
    /// The connections that listen to something.
    static ids listening_connections() {
        ids result;
        std::istringstream lines(server().run("CLIENT", "LIST", "TYPE", "pubsub").text);
        for (std::string line; std::getline(lines, line);)
            result.insert(line.substr(3, line.find(' ') - 3)); // id=7 ...
        return result;
    }
    /// Breaks the connections that listen since then, and releases a permit before they can listen again.
    void release_in_a_gap_of_those_who_listen_since(ids const& before) const {
        std::string commands;
        int replies = 2;
        for (auto const& id : listening_connections())
            if (!before.contains(id)) {
                commands += resp::command("CLIENT", "KILL", "ID", id);
                ++replies;
            }
        commands += resp::command("INCRBY", name, "1") + resp::command("PUBLISH", permits_channel, "1");
        auto admin = server().admin();
        admin.send(commands);
        while (replies-- > 0) static_cast<void>(admin.receive());
    }
    long long expiry() const { return server().run("PTTL", name).integer; }

    std::string const permits_channel = "redisson_sc:{" + name + "}";
    std::string const latch_channel = "redisson_countdownlatch__channel__{" + name + "}";
};

INSTANTIATE_TEST_SUITE_P(of, redisson_defects_counters, ::testing::Values(false), request_form);

TEST_P(redisson_defects_counters, java_sleeps_beside_a_free_permit_that_was_released_while_its_connection_was_away) {
    java_peer own(built_peer().folder, server().uri(),
                  30s); // which may not find its way back to a connection that works
    server().run("SET", name, "0");
    auto const before = listening_connections();
    auto const waits = java_waits(permits_channel, "a", "semaphore/acquire", {name}, own);
    release_in_a_gap_of_those_who_listen_since(before);
    EXPECT_TRUE(wait_until([&] { return listeners(permits_channel) == 1; })) << "it listens again";
    EXPECT_FALSE(own.reply_if_any(waits, 500ms));
    EXPECT_EQ(server().run("GET", name).text, "1");
    server().run("PUBLISH", permits_channel, "1");
    EXPECT_TRUE(own.end_of(waits).ok) << "nothing but the next message wakes it";
}

TEST_P(redisson_defects_counters, ours_takes_a_permit_that_was_released_while_its_connection_was_away) {
    server().run("SET", name, "0");
    auto const before = listening_connections();
    auto waits = cpp_waits(permits_channel, [from = cpp.get_semaphore(name)]() mutable { from.acquire(); });
    release_in_a_gap_of_those_who_listen_since(before);
    EXPECT_EQ(waits.wait_for(patience), std::future_status::ready);
    server().run("PUBLISH", permits_channel, "1"); // so that it ends in any case
}

TEST_P(redisson_defects_counters, java_goes_on_waiting_for_a_latch_that_java_deletes) {
    ask_java("latch/trySetCount", {name, "1"});
    auto const waits = java_waits(latch_channel, "a", "latch/await", {name});
    ask_java("latch/delete", {name});
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(java().reply_if_any(waits, 500ms));
    server().run("PUBLISH", latch_channel, "0");
    EXPECT_TRUE(java().end_of(waits).ok);
}

TEST_P(redisson_defects_counters, ours_goes_on_when_the_latch_that_it_waits_for_is_deleted) {
    ask_java("latch/trySetCount", {name, "1"});
    auto waits = cpp_waits(latch_channel, [gate = cpp.get_count_down_latch(name)]() mutable { gate.wait(); });
    ask_java("latch/delete", {name});
    EXPECT_EQ(waits.wait_for(patience), std::future_status::ready);
    server().run("PUBLISH", latch_channel, "0"); // so that it ends in any case
}

TEST_P(redisson_defects_counters, java_takes_the_expiry_from_a_semaphore_when_it_adds_or_drains_permits) {
    server().run("SET", name, "3", "PX", "60000");
    ask_java("semaphore/addPermits", {name, "1"});
    EXPECT_EQ(expiry(), -1);
    server().run("PEXPIRE", name, "60000");
    ask_java("semaphore/drainPermits", {name});
    EXPECT_EQ(expiry(), -1);
}

TEST_P(redisson_defects_counters, ours_leaves_a_semaphore_its_expiry_when_it_adds_or_drains_permits) {
    server().run("SET", name, "3", "PX", "60000");
    auto ours = cpp.get_semaphore(name);
    ours.add_permits(1);
    EXPECT_GT(expiry(), 0);
    EXPECT_EQ(ours.drain_permits(), 4);
    EXPECT_GT(expiry(), 0);
}

TEST_P(redisson_defects_counters, java_makes_a_semaphore_of_what_it_releases_after_the_expiry) {
    ask_java("semaphore/trySetPermits", {name, "3"});
    ask_java("semaphore/acquire", {name});
    server().run("PEXPIRE", name, "1");
    ASSERT_TRUE(wait_until([&] { return !exists(name); }));
    ask_java("semaphore/release", {name});
    EXPECT_EQ(server().run("GET", name).text, "1") << "there were three";
    EXPECT_EQ(expiry(), -1);
}

TEST_P(redisson_defects_counters, java_leaves_a_subscription_behind_when_it_may_not_wait_for_a_latch) {
    // What it leaves shall be no test's whose peer waits.
    brief_java().value("a", "latch/trySetCount", {name, "1"});
    // A wait of zero leaves it unless it was confirmed at once: so again, until one was left.
    EXPECT_TRUE(wait_until([&] {
        EXPECT_FALSE(brief_java().yes("a", "latch/await", {name, "0"}));
        EXPECT_FALSE(brief_java().yes("a", "latch/await", {name, "100"}))
            << "which subscribes and unsubscribes in its time";
        return stays([&] { return listeners(latch_channel) == 1; }, 300ms);
    })) << "nobody waits for it any more";
}

TEST_P(redisson_defects_counters, ours_leaves_no_subscription_behind_when_it_may_not_wait_for_a_latch) {
    auto gate = cpp.get_count_down_latch(name);
    EXPECT_TRUE(gate.try_set_count(1));
    for (auto const wait : {0s, 1s}) {
        std::error_code ec;
        gate.wait({.wait = wait}, ec);
        EXPECT_EQ(ec, wait == 0s ? errc::busy : errc::timed_out);
    }
    EXPECT_TRUE(wait_until([&] { return listeners(latch_channel) == 0; }));
}

} // namespace
} // namespace redlatch::test
