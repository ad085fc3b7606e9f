// Answers that are lost, so that the request is sent again, and answers that come late.
#include "redisson_defects_test.hpp"
#include "support/byte_proxy.hpp"
#include "support/lock_helpers.hpp"

#include <algorithm>
#include <memory>

namespace redlatch::test {
namespace {

class redisson_defects_answers : public redisson_defects_test {
protected:
    static void TearDownTestSuite() {
        peer_.reset();
        proxy_.reset();
    }

    /// Between the server and both sides.
    static byte_proxy& proxy() {
        if (!proxy_) proxy_ = std::make_unique<byte_proxy>(server().address());
        return *proxy_;
    }
    /// What is not answered within 2 s is sent again, if Redisson does so with this request.
    static java_peer& peer() {
        if (!peer_)
            peer_ = std::make_unique<java_with_settings>(
                "singleServerConfig:\n  address: \"" + proxy().uri()
                + "\"\n  timeout: 2000\n  connectionMinimumIdleSize: 2\n  connectionPoolSize: 16\n");
        return *peer_;
    }

    /// EVAL or EVALSHA with this as its first key.
    static matcher a_script_on(std::string const& key) {
        return [any = any_script(), key](words const& command) {
            return any(command) && command.size() > 3 && command[3] == key;
        };
    }
    static matcher a_subscription_to(std::string const& channel) {
        return [subscribes = a_command("SUBSCRIBE"), channel](words const& command) {
            return subscribes(command) && std::ranges::find(command, channel) != command.end();
        };
    }
    /// That comes from now on.
    static matcher the_second(matcher which) {
        return [which = std::move(which), seen = 0](words const& command) mutable {
            return which(command) && ++seen == 2;
        };
    }

    client user{as_variant(config{.address = proxy().uri()})};
    /// So that the server knows the script, and one request is one command.
    std::string const before = name + ": before";

private:
    static inline std::unique_ptr<byte_proxy> proxy_{};
    static inline std::unique_ptr<java_with_settings> peer_{};
};

TEST_F(redisson_defects_answers, java_holds_a_value_twice_whose_acquisition_it_has_sent_again) {
    peer().value("a", "faster_multi/lock", {before + "|a"});
    peer().value("a", "faster_multi/unlock", {before + "|a"});
    auto const lost = proxy().cut_after(a_script_on(name));
    peer().value("a", "faster_multi/lock", {name + "|a"});
    EXPECT_TRUE(lost.sprung());
    peer().value("a", "faster_multi/unlock", {name + "|a"});
    EXPECT_TRUE(java().yes("b", "faster_multi/isLocked", {name + "|a"})) << "locked once, unlocked once";
    peer().value("a", "faster_multi/unlock", {name + "|a"});
}

TEST_F(redisson_defects_answers, ours_holds_a_value_once_whose_acquisition_it_has_sent_again) {
    user.get_faster_multi_lock(before, {"a"}).acquire().release();
    any_lock lock{user.get_faster_multi_lock(name, {"a"})};
    auto const lost = proxy().cut_after(a_script_on(name));
    hold held = lock.acquire({.wait = patience});
    EXPECT_TRUE(lost.sprung());
    held.release();
    EXPECT_FALSE(lock.is_locked());
}

TEST_F(redisson_defects_answers, java_adds_permits_twice_whose_addition_it_has_sent_again) {
    peer().value("a", "semaphore/addPermits", {before, "1"});
    server().run("SET", name, "3");
    auto const lost = proxy().cut_after(a_script_on(name));
    peer().value("a", "semaphore/addPermits", {name, "2"});
    EXPECT_TRUE(lost.sprung());
    EXPECT_EQ(server().run("GET", name).text, "7");
    server().run("DEL", name, before);
}

TEST_F(redisson_defects_answers, java_loses_the_permits_that_it_drains_when_it_sends_that_again) {
    peer().value("a", "semaphore/drainPermits", {before});
    server().run("SET", name, "3");
    auto const lost = proxy().cut_after(a_script_on(name));
    EXPECT_EQ(peer().number("a", "semaphore/drainPermits", {name}), 0);
    EXPECT_TRUE(lost.sprung());
    EXPECT_EQ(server().run("GET", name).text, "0") << "and the caller knows nothing of three";
    server().run("DEL", name);
}

TEST_F(redisson_defects_answers, ours_adds_and_drains_permits_once_that_it_has_sent_again) {
    server().run("SET", name, "3");
    auto permits = user.get_semaphore(name, {.exactly_once = true});
    auto earlier = user.get_semaphore(before, {.exactly_once = true});
    earlier.add_permits(1);
    earlier.drain_permits();
    auto const added = proxy().cut_after(a_script_on(name));
    permits.add_permits(2);
    EXPECT_TRUE(added.sprung());
    EXPECT_EQ(server().run("GET", name).text, "5");
    auto const drained = proxy().cut_after(a_script_on(name));
    EXPECT_EQ(permits.drain_permits(), 5);
    EXPECT_TRUE(drained.sprung());
    EXPECT_EQ(server().run("GET", name).text, "0");
    server().run("DEL", name, before);
}

TEST_F(redisson_defects_answers, java_says_that_it_has_not_set_a_latch_which_it_has) {
    peer().value("a", "latch/trySetCount", {before, "1"});
    auto const lost = proxy().cut_after(a_script_on(name));
    EXPECT_FALSE(peer().yes("a", "latch/trySetCount", {name, "2"}));
    EXPECT_TRUE(lost.sprung());
    EXPECT_EQ(server().run("GET", name).text, "2") << "and nobody else wanted it";
    server().run("DEL", name, before);
}

TEST_F(redisson_defects_answers, ours_says_that_it_has_set_a_latch_which_it_has) {
    EXPECT_TRUE(user.get_count_down_latch(before, {.exactly_once = true}).try_set_count(1));
    auto const lost = proxy().cut_after(a_script_on(name));
    EXPECT_TRUE(user.get_count_down_latch(name, {.exactly_once = true}).try_set_count(2));
    EXPECT_TRUE(lost.sprung());
    EXPECT_EQ(server().run("GET", name).text, "2");
    server().run("DEL", name, before);
}

TEST_F(redisson_defects_answers, ours_renews_what_is_left_of_a_hold_whose_inner_release_it_has_sent_again) {
    client brief(as_variant(config{.address = proxy().uri(), .lock_watchdog_timeout = brief_watchdog}));
    auto const acquired_twice = [&](std::string const& lock, owner const& by) {
        return std::pair(brief.get_lock(lock).acquire({.owner = by}), brief.get_lock(lock).acquire({.owner = by}));
    };
    acquired_twice(before, owner());
    auto held = acquired_twice(name, owner());
    auto const lost = proxy().cut_after(a_script_on(name));
    held.second.release();
    EXPECT_TRUE(lost.sprung());
    EXPECT_TRUE(renewed(4)) << "beyond its first lease";
    held.first.ensure_held();
}

TEST_F(redisson_defects_answers, java_leaves_a_subscription_behind_when_it_is_interrupted_while_it_subscribes) {
    hold_as_stranger(server(), name, 60s);
    auto const late = proxy().hold_reply(a_subscription_to(channel_of(name)));
    auto const call = peer().start("a", "tryLock", {name, "15000"});
    ASSERT_TRUE(late.wait());
    interrupt(peer(), "a");
    EXPECT_EQ(peer().end_of(call).exception_class, "InterruptedException");
    late.deliver();
    EXPECT_FALSE(peer().yes("b", "tryLock", {name, "1000"})) << "it shares the subscription, and leaves it";
    EXPECT_TRUE(stays([&] { return subscribers(name) == 1; }, 500ms)) << "nobody waits any more";
    release_as_stranger(server(), name);
}

TEST_F(redisson_defects_answers, ours_leaves_no_subscription_behind_when_it_is_cancelled_while_it_subscribes) {
    hold_as_stranger(server(), name, 60s);
    auto const late = proxy().hold_reply(a_subscription_to(channel_of(name)));
    std::stop_source stop;
    auto call = in_thread(
        [&] { return user.get_lock(name).acquire({.wait = patience, .owner = owner(), .stop = stop.get_token()}); });
    ASSERT_TRUE(late.wait());
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(call.get()), error);
    late.deliver();
    EXPECT_TRUE(wait_until([&] { return subscribers(name) == 0; })) << "it may linger for a second";
    release_as_stranger(server(), name);
}

TEST_F(redisson_defects_answers, java_sleeps_beside_a_lock_that_it_may_read_when_its_refusal_comes_late) {
    any_lock reads{cpp.get_read_write_lock(name).read_lock()};
    hold writing = any_lock(cpp.get_read_write_lock(name).write_lock()).acquire();
    auto const sleeps = java_waits("a", name, "read/lock", peer());
    EXPECT_TRUE(still_waits(sleeps, peer()));
    auto const late = proxy().hold_reply(the_second(a_script_on(name)));
    auto const refused = peer().start("b", "read/lock", {name});
    ASSERT_TRUE(late.wait()) << "the answer before its sleep";
    writing.release();
    EXPECT_TRUE(peer().end_of(sleeps).ok) << "Java has heard of the release";
    late.deliver();
    EXPECT_FALSE(peer().reply_if_any(refused, 1s)) << "it sleeps for as long as the lease was, 30 s";
    EXPECT_TRUE(reads.try_acquire({.owner = owner()})) << "anybody may read";
    EXPECT_TRUE(wait_until([&] {
        server().run("PUBLISH", "redisson_rwlock:{" + name + "}", "1");
        return peer().reply_if_any(refused, 10ms).has_value();
    }));
    for (auto const* const thread : {"a", "b"}) peer().value(thread, "read/unlock", {name});
}

TEST_F(redisson_defects_answers, ours_reads_at_once_when_its_refusal_comes_late) {
    java().value("w", "write/lock", {name});
    auto const late = proxy().hold_reply(the_second(a_script_on(name)));
    any_lock reads{user.get_read_write_lock(name).read_lock()};
    auto reader = in_thread([&] { return reads.acquire({.wait = patience, .owner = owner()}); });
    ASSERT_TRUE(late.wait()) << "the answer before its sleep";
    java().value("w", "write/unlock", {name});
    EXPECT_FALSE(is_ready(reader));
    late.deliver();
    EXPECT_EQ(reader.wait_for(10s), std::future_status::ready) << "the lease was 30 s";
}

} // namespace
} // namespace redlatch::test
