// The queue of fair locks.
#include "lua/script_test.hpp"

#include <string>

namespace redlatch::test {
namespace {

using locking::scripts::fair_acquire;
using locking::scripts::fair_release;

class fair_script : public script_test {
protected:
    words const keys{"orders", "queue", "timeouts"};

    /// With a lease of 100 s; a waiter that does not ask keeps its place for 300 s.
    std::string acquire(std::string const& owner, bool may_wait = true) {
        return shown(call(fair_acquire, keys, {"100000", owner, "300000", may_wait ? "1" : "0"}));
    }
    std::string release(std::string const& owner) {
        return shown(call(fair_release, keys, {owner, "PUBLISH", "channel", "300000"}));
    }
    /// Of a waiter of Java's, or one that has died.
    void set_timeout(std::string const& owner, int seconds_from_now) {
        command({"ZADD", "timeouts", std::to_string(server_time() + seconds_from_now * 1'000), owner});
    }
    void queue(std::string const& owner, int seconds_from_now) {
        command({"RPUSH", "queue", owner});
        set_timeout(owner, seconds_from_now);
    }
};
REDLATCH_ON_EVERY_SERVER(fair_script);

TEST_P(fair_script, takes_a_free_lock_that_nobody_waits_for_and_knows_a_repeat) {
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(acquire("me:1"), "nil");
        EXPECT_EQ(state(), words{"orders {me:1=1} 100s"});
    }
}

TEST_P(fair_script, queues_in_the_order_of_the_calls_with_a_timeout_for_each_place) {
    acquire("holder:1");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(acquire("me:1"), "100s") << "a repeat has the same place";
    EXPECT_EQ(acquire("you:1"), "100s");
    EXPECT_EQ(state(), (words{"orders {holder:1=1} 100s", "queue [me:1 you:1] no expiry",
                              "timeouts <me:1=300s you:1=600s> no expiry"}));
}

TEST_P(fair_script, queues_nobody_who_may_not_wait) {
    acquire("holder:1");
    EXPECT_EQ(acquire("me:1", false), "100s");
    EXPECT_EQ(state(), words{"orders {holder:1=1} 100s"});
    release("holder:1");
    queue("you:1", 50);
    EXPECT_EQ(acquire("me:1", false), "50s") << "free, but somebody waits";
    EXPECT_EQ(acquire("you:1", false), "nil") << "the first of the queue itself";
}

TEST_P(fair_script, gives_a_free_lock_to_the_first_of_the_queue_only) {
    queue("me:1", 350);
    queue("you:1", 650);
    EXPECT_EQ(acquire("you:1"), "350s") << "until the first one would be passed over";
    EXPECT_EQ(acquire("new:1"), "350s");
    EXPECT_EQ(acquire("me:1"), "nil");
    EXPECT_EQ(state(), (words{"orders {me:1=1} 100s", "queue [you:1 new:1] no expiry",
                              "timeouts <you:1=350s new:1=600s> no expiry"}))
        << "each place that went on is a timeout nearer";
}

TEST_P(fair_script, passes_over_waiters_whose_timeout_is_over_or_missing) {
    queue("dead:1", -1);
    command({"RPUSH", "queue", "odd:1"});
    queue("me:1", 300);
    EXPECT_EQ(acquire("me:1"), "nil");
    EXPECT_EQ(state(), words{"orders {me:1=1} 100s"});
}

TEST_P(fair_script, keeps_the_place_of_a_waiter_that_asks_although_its_timeout_is_over) {
    queue("me:1", -1);
    queue("you:1", 600);
    command({"HSET", "orders", "holder:1", "1"});
    EXPECT_EQ(acquire("me:1"), "-1") << "a lock without expiry";
    EXPECT_EQ(state(), (words{"orders {holder:1=1} no expiry", "queue [me:1 you:1] no expiry",
                              "timeouts <me:1=300s you:1=600s> no expiry"}));
}

TEST_P(fair_script, queues_anew_whom_others_have_passed_over) {
    acquire("holder:1");
    acquire("you:1");
    EXPECT_EQ(acquire("me:1"), "100s");
    command({"LREM", "queue", "0", "me:1"});
    command({"ZREM", "timeouts", "me:1"});
    acquire("new:1");
    acquire("me:1");
    EXPECT_EQ(shown(command({"LRANGE", "queue", "0", "-1"})), "[\"you:1\" \"new:1\" \"me:1\"]");
}

TEST_P(fair_script, wakes_the_first_that_is_alive_when_it_is_released) {
    acquire("me:1");
    queue("dead:1", -1);
    queue("you:1", 300);
    queue("next:1", 600);
    listener ear(server());
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_EQ(release("me:1"), "0") << "a repeat";
    EXPECT_EQ(ear.heard(), (words{"channel:dead:1 0", "channel:you:1 0"}));
    EXPECT_EQ(state(), (words{"queue [you:1 next:1] no expiry", "timeouts <you:1=300s next:1=600s> no expiry"}));
}

TEST_P(fair_script, tells_who_is_passed_over_since_it_may_be_alive) {
    acquire("holder:1");
    queue("long:1", -1);
    command({"RPUSH", "queue", "java:1"}); // without a time: it has been passed over by others
    listener ear(server());
    EXPECT_EQ(release("holder:1"), "1");
    EXPECT_EQ(ear.heard(), words{"channel:long:1 0"});
    EXPECT_EQ(state(), words{});
}

TEST_P(fair_script, keeps_the_key_for_the_rest_of_a_minimum_hold_and_wakes_the_first) {
    acquire("me:1");
    queue("you:1", 300);
    listener ear(server());
    words const arguments{"me:1", "PUBLISH", "channel", "300000", "50000", "me:0"};
    EXPECT_EQ(shown(call(fair_release, keys, arguments)), "1");
    EXPECT_EQ(shown(call(fair_release, keys, arguments)), "0") << "a repeat";
    EXPECT_EQ(ear.heard(), words{"channel:you:1 0"});
    EXPECT_EQ(state(), (words{"orders {me:0=1} 50s", "queue [you:1] no expiry", "timeouts <you:1=300s> no expiry"}));
    EXPECT_EQ(acquire("you:1"), "50s") << "it is to be asked again then, and keeps its place";
}

TEST_P(fair_script, takes_who_gives_up_out_of_the_queue_and_wakes_the_next_one_if_the_lock_is_free) {
    acquire("holder:1");
    for (auto const* const who : {"a:1", "b:1", "c:1"}) acquire(who);
    listener ear(server());
    EXPECT_EQ(release("b:1"), "0");
    EXPECT_EQ(state(), (words{"orders {holder:1=1} 100s", "queue [a:1 c:1] no expiry",
                              "timeouts <a:1=300s c:1=600s> no expiry"}));
    EXPECT_EQ(ear.heard(), words{}) << "it is held";
    release("holder:1");
    EXPECT_EQ(release("a:1"), "0");
    EXPECT_EQ(ear.heard(), (words{"channel:a:1 0", "channel:c:1 0"})) << "a had been told, and did not ask";
    EXPECT_EQ(release("c:1"), "0");
    EXPECT_EQ(state(), words{});
}

TEST_P(fair_script, ends_by_force_whatever_holds_it_tells_the_holder_and_wakes_the_first) {
    EXPECT_EQ(release(""), "0") << "it is free";
    acquire("me:1");
    acquire("you:1");
    listener ear(server());
    EXPECT_EQ(release(""), "1");
    EXPECT_EQ(ear.heard(), (words{"channel:you:1 0", "channel 0"}));
    EXPECT_EQ(release(""), "0");
    EXPECT_EQ(shown(command({"EXISTS", "orders"})), "0");
}

TEST_P(fair_script, removes_the_first_of_the_queue_of_a_free_lock_by_force) {
    command({"RPUSH", "queue", "dead:1", "gone:1"});
    command({"ZADD", "timeouts", "1000", "dead:1"});
    EXPECT_EQ(release(""), "0");
    EXPECT_EQ(state(), words{});
    acquire("me:1");
    acquire("you:1");
    acquire("she:1");
    command({"DEL", "orders"});
    listener ear(server());
    EXPECT_EQ(release(""), "0");
    EXPECT_EQ(ear.heard(), (words{"channel:you:1 0", "channel:she:1 0"})) << "if it is alive it asks for another place";
    EXPECT_EQ(state(), (words{"queue [she:1] no expiry", "timeouts <she:1=600s> no expiry"}));
}

TEST_P(fair_script, changes_nothing_where_a_key_is_something_else) {
    for (auto const& [key, other] :
         {std::pair("orders", words{"SET", "orders", "x"}), std::pair("queue", words{"SET", "queue", "x"})}) {
        SCOPED_TRACE(key);
        command({"FLUSHALL"});
        if (key == std::string("queue")) command({"HSET", "orders", "me:1", "1"});
        command(other);
        auto const before = state();
        EXPECT_EQ(acquire("me:1"), "!WRONGTYPE");
        if (key == std::string("orders")) {
            EXPECT_EQ(release("me:1"), "!WRONGTYPE");
            EXPECT_EQ(release(""), "!WRONGTYPE");
        }
        EXPECT_EQ(state(), before);
    }
}

TEST_P(fair_script, leaves_no_lock_without_a_lease_and_says_what_this_user_may_not_do) {
    auto no_lease = restricted({"-pexpire"});
    EXPECT_EQ(shown(call(no_lease, fair_acquire, keys, {"100000", "me:1", "300000", "1"})).front(), '!');
    EXPECT_EQ(state(), words{});
    acquire("me:1");
    acquire("you:1");
    auto silent = restricted({"-publish"});
    EXPECT_EQ(shown(call(silent, fair_release, keys, {"me:1", "PUBLISH", "channel", "300000"})), "-1");
    EXPECT_EQ(shown(command({"EXISTS", "orders"})), "0");
}

} // namespace
} // namespace redlatch::test
