// What users rely on with every kind of lock, of the half that reads, which keeps no other reader out: waits that end, limits,
// lost replies, servers that are away, other keys, the end of the client, a fork. All else is in read_write_lock_test.cpp.
#include "behaviour/alike.hpp"
#include "behaviour/kinds.hpp"
#include "integration/child_of_fork.hpp"

namespace redlatch::test {
namespace {

class read_half_test : public with_server {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    any_lock reads_of(client& from) const { return from.get_read_write_lock(name).read_lock(); }
    any_lock writes_of(client& from) const { return from.get_read_write_lock(name).write_lock(); }

    client user{settings(server.uri())};
    client other{settings(server.uri())};
    any_lock lock = reads_of(user);
    any_lock they_write = writes_of(other);

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(read_half_test, ends_a_wait_at_its_deadline) {
    for (auto* from : {&user, &other}) {
        auto const writing = writes_of(*from).acquire({.owner = owner()});
        std::error_code ec;
        auto const start = test_clock::now();
        auto const got = lock.acquire({.wait = 1s, .owner = owner()}, ec);
        EXPECT_FALSE(got);
        EXPECT_EQ(ec, errc::timed_out);
        EXPECT_GE(since(start), 1s);
        EXPECT_TRUE(writing);
    }
}

TEST_F(read_half_test, ends_a_wait_that_is_cancelled_and_leaves_nothing) {
    for (auto* from : {&user, &other}) {
        auto writing = writes_of(*from).acquire({.owner = owner()});
        std::stop_source stop;
        auto waiter = in_thread([&] {
            std::error_code ec;
            auto const got = lock.acquire({.owner = owner(), .stop = stop.get_token()}, ec);
            EXPECT_FALSE(got);
            return ec;
        });
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
        stop.request_stop();
        EXPECT_EQ(waiter.get(), errc::cancelled);
        writing.release();
        EXPECT_TRUE(they_write.try_acquire()) << "nobody reads";
    }
}

TEST_F(read_half_test, is_lost_at_the_end_of_its_longest_time_and_keeps_nobody_out_any_more) {
    auto const start = test_clock::now();
    auto mine = lock.acquire({.max_hold = 2000ms});
    auto const beside = lock.acquire({.owner = owner()});
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    EXPECT_GE(since(start), 1500ms) << "it was renewed";
    EXPECT_LE(since(start), 3000ms);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(beside.status(), hold_status::held) << "another reader of its client";
    EXPECT_FALSE(they_write.try_acquire());
}

TEST_F(read_half_test, is_held_once_whatever_reply_is_lost) {
    byte_proxy proxy{server.address()};
    client through(settings(proxy.uri()));
    auto far = reads_of(through);
    far.acquire({.wait = 10s}).release();
    auto const acquiring = proxy.cut_after(any_lock_call());
    auto mine = far.acquire({.wait = 10s});
    EXPECT_TRUE(acquiring.sprung());
    auto const seen = lock.inspect();
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_EQ(seen.owners[0].owner, mine.owner_id());
    EXPECT_EQ(seen.owners[0].count, 1);
    auto const releasing = proxy.cut_after(any_lock_call());
    std::error_code ec;
    mine.release(ec);
    EXPECT_TRUE(releasing.sprung());
    EXPECT_TRUE(!ec || ec == errc::outcome_unknown) << ec.message();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_TRUE(they_write.acquire({.wait = 10s}));
    expect_idle(through);
}

TEST_F(read_half_test, says_that_the_server_is_away) {
    expect_to_say_that_the_server_is_away(server, lock);
}

TEST_F(read_half_test, refuses_a_key_that_is_no_lock) {
    expect_to_refuse_a_key_that_is_no_lock(server, lock, name);
}

TEST_F(read_half_test, is_lost_and_released_when_its_client_closes) {
    client closing(settings(server.uri()));
    auto mine = reads_of(closing).acquire();
    auto writer = in_thread([&] { return they_write.acquire({.wait = 20s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    closing.close();
    auto writing = writer.get();
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { auto const never = reads_of(closing).acquire(); }).reason, errc::closed);
    auto own = in_thread([&] {
        client second(settings(server.uri()));
        auto waits = in_thread([&] { return outcome_of([&] { auto const never = reads_of(second).acquire(); }); });
        EXPECT_TRUE(wait_until([&] { return second.stats().waiters == 1; }));
        second.close();
        return waits.get().reason;
    });
    EXPECT_EQ(own.get(), errc::closed) << "who waits to read";
    EXPECT_TRUE(writing);
}

TEST_F(read_half_test, is_refused_in_the_child_of_a_fork_and_stays_held_in_the_parent) {
    auto mine = lock.acquire();
    EXPECT_EQ(status_of_child([&] { return first_not_refused(lock, mine); }), 0) << "the number of the call";
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_FALSE(they_write.try_acquire());
}

} // namespace
} // namespace redlatch::test
