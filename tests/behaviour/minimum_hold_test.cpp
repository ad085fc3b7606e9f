// hold_at_least: a lock that is released early stays locked for the rest of its minimum hold, whatever becomes of its process.
#include "behaviour/kinds.hpp"
#include "locking/names.hpp"

#include <redlatch/multi_lock.hpp>

namespace redlatch::test {
namespace {

constexpr auto minimum = 600ms;

class minimum_hold : public with_server, public ::testing::WithParamInterface<lock_kind> {
protected:
    lock_kind const& kind() const { return GetParam(); }

    client user{quick(server.uri())};
    client other{quick(server.uri())};
    any_lock lock = kind().get(user, name);
    any_lock theirs = kind().get(other, name);

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
    /// Of a hold that was released before its minimum hold was over.
    void expect_kept(std::string const& owner_id, std::chrono::milliseconds at_most) const {
        EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{locking::kept_owner(owner_id), "1"}}));
        EXPECT_GT(pttl(server, name), 0);
        EXPECT_LE(pttl(server, name), at_most.count());
    }
};

std::vector<lock_kind> kinds_with_one_key_for_each_hold() {
    std::vector<lock_kind> some;
    for (auto const& one : lock_kinds)
        if (one.minimum_hold) some.push_back(one);
    return some;
}
INSTANTIATE_TEST_SUITE_P(of, minimum_hold, ::testing::ValuesIn(kinds_with_one_key_for_each_hold()),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(minimum_hold, keeps_everybody_out_until_it_is_over) {
    auto const start = test_clock::now();
    owner const me;
    auto mine = lock.acquire({.hold_at_least = minimum, .owner = me});
    mine.release();
    EXPECT_EQ(mine.status(), hold_status::released);
    EXPECT_FALSE(lock.is_held(me));
    expect_kept(mine.owner_id(), minimum);
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(lock.try_acquire({.owner = me})) << "not for its last owner either";
    EXPECT_TRUE(theirs.inspect().held);
    auto const next = theirs.acquire({.wait = 10s});
    EXPECT_GE(since(start), minimum);
    EXPECT_TRUE(next);
}

TEST_P(minimum_hold, is_kept_by_a_waiter_that_another_one_of_its_process_was_before) {
    if (kind().queues_on_server || !kind().announces_releases) return; // that it waits is seen by its subscription
    hold_as_stranger(server, name, 60s);
    auto waiter = in_thread([&] { return lock.acquire({.wait = 25s, .hold_at_least = minimum, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name) && command_counts(server)["hexists"] == 2; }))
        << "not once more, listening";
    server.run("DEL", name); // and nobody is told
    auto another = lock.try_acquire({.owner = owner()});
    ASSERT_TRUE(another);
    another->release();
    auto mine = waiter.get();
    mine.release();
    expect_kept(mine.owner_id(), minimum);
}

TEST_P(minimum_hold, tells_those_who_wait_that_the_lease_is_shorter_now) {
    auto const start = test_clock::now();
    auto mine = lock.acquire({.hold_at_least = minimum}); // with a lease of 30 s
    auto waiter = in_thread([&] { return theirs.acquire({.wait = 25s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    mine.release();
    auto const next = waiter.get();
    EXPECT_GE(since(start), minimum);
    EXPECT_LT(since(start), 20s) << "it waited for the lease that was there before";
    EXPECT_EQ(holders(server, name).count(next.owner_id()), 1U);
}

TEST_P(minimum_hold, is_not_handed_off_to_a_waiter_of_the_same_client) {
    auto const start = test_clock::now();
    auto mine = lock.acquire({.hold_at_least = minimum, .owner = owner()});
    auto waiter = in_thread([&] { return lock.acquire({.wait = 25s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    mine.release();
    auto const next = waiter.get();
    EXPECT_GE(since(start), minimum);
    EXPECT_NE(next.owner_id(), mine.owner_id());
}

TEST_P(minimum_hold, costs_nothing_where_the_lock_is_held_for_longer) {
    auto mine = lock.acquire({.hold_at_least = 1ms});
    EXPECT_TRUE(wait_until([until = lease_clock::now() + 2ms] { return lease_clock::now() > until; }));
    mine.release();
    EXPECT_FALSE(exists(name));
}

TEST_P(minimum_hold, outlives_a_holder_that_dies) {
    auto brief = quick(server.uri());
    brief.lock_watchdog_timeout = 1500ms;
    client dying(brief);
    auto mine = kind().get(dying, name).acquire({.hold_at_least = 60s});
    auto const renewals = dying.stats().renewals;
    ASSERT_TRUE(wait_until([&] { return dying.stats().renewals > renewals; }));
    EXPECT_GT(pttl(server, name), 50'000) << "what is left when its process is killed now";
    EXPECT_LE(mine.valid_until() - lease_clock::now(), 60s);
    dying.close();
    EXPECT_EQ(mine.status(), hold_status::lost);
    expect_kept(mine.owner_id(), 60s);
    EXPECT_GT(pttl(server, name), 50'000);
    EXPECT_TRUE(theirs.force_unlock()) << "what an administrator does is not held up";
    EXPECT_FALSE(exists(name));
}

TEST_P(minimum_hold, is_kept_by_a_hold_that_goes_out_of_scope) {
    std::string id;
    {
        auto const mine = lock.acquire({.hold_at_least = 60s});
        id = mine.owner_id();
    }
    ASSERT_TRUE(wait_until([&] { return holders(server, name).count(locking::kept_owner(id)) == 1; }));
    expect_kept(id, 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, is_kept_by_a_detached_release) {
    auto mine = lock.acquire({.hold_at_least = 60s});
    mine.release_detached();
    ASSERT_TRUE(wait_until([&] { return holders(server, name).count(locking::kept_owner(mine.owner_id())) == 1; }));
    expect_kept(mine.owner_id(), 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, is_kept_whatever_reply_to_the_release_is_lost) {
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    auto mine = kind().get(through, name).acquire({.wait = 10s, .hold_at_least = 60s});
    auto const releasing = proxy.cut_after(any_lock_call());
    std::error_code ec;
    mine.release(ec);
    EXPECT_TRUE(releasing.sprung());
    EXPECT_TRUE(!ec || ec == errc::outcome_unknown) << ec.message();
    ASSERT_TRUE(wait_until([&] { return holders(server, name).count(locking::kept_owner(mine.owner_id())) == 1; }));
    expect_idle(through);
    expect_kept(mine.owner_id(), 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, leaves_nothing_where_the_lock_was_not_acquired) {
    auto const mine = lock.acquire();
    EXPECT_FALSE(theirs.try_acquire({.hold_at_least = 60s, .owner = owner()}));
    EXPECT_FALSE(theirs.try_acquire({.wait = 50ms, .hold_at_least = 60s, .owner = owner()}));
    EXPECT_TRUE(mine);
}

TEST_P(minimum_hold, of_any_level_counts_for_all_that_an_owner_holds) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not re-entrant";
    owner const me;
    auto outer = lock.acquire({.owner = me});
    lock.acquire({.hold_at_least = 60s, .owner = me}).release();
    EXPECT_GT(pttl(server, name), 50'000);
    outer.release();
    expect_kept(outer.owner_id(), 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, is_refused_where_it_cannot_be_kept) {
    auto const too_long = outcome_of([&] { (void)lock.acquire({.lease = 1s, .hold_at_least = 2s}); });
    EXPECT_EQ(too_long.reason, errc::invalid_argument);
    EXPECT_NE(too_long.message.find("hold_at_least must be no longer than lease"), std::string::npos)
        << too_long.message;
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire({.hold_at_least = 0ms}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire({.hold_at_least = -1ms}); }).reason, errc::invalid_argument);
    EXPECT_FALSE(exists(name));
    EXPECT_TRUE(lock.try_acquire({.lease = 50ms, .hold_at_least = 50ms})) << "and as long as the lease it may be";
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

using minimum_hold_elsewhere = with_server;

TEST_F(minimum_hold_elsewhere, is_refused_by_read_write_locks_and_by_several_locks_as_one) {
    client user{quick(server.uri())};
    auto both = user.get_read_write_lock(name);
    for (any_lock half : {any_lock(both.read_lock()), any_lock(both.write_lock())}) {
        auto const refused = outcome_of([&] { (void)half.acquire({.hold_at_least = 1s}); });
        EXPECT_EQ(refused.reason, errc::invalid_argument);
        EXPECT_NE(refused.message.find(name), std::string::npos) << refused.message;
    }
    multi_lock several({user.get_lock("a"), user.get_lock("b")});
    EXPECT_EQ(outcome_of([&] { (void)several.acquire({.hold_at_least = 1s}); }).reason, errc::invalid_argument);
    EXPECT_FALSE(exists("a") || exists("b") || exists(name));
}

} // namespace
} // namespace redlatch::test
