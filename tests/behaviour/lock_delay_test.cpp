// lock_delay: nobody gets a lock that was lost for a while, and whoever has lost it knows before that.
#include "behaviour/kinds.hpp"

namespace redlatch::test {
namespace {

class lock_delay : public with_server, public ::testing::WithParamInterface<lock_kind> {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    lock_kind const& kind() const { return GetParam(); }

    client user{settings(server.uri())};
    client other{settings(server.uri())};
    any_lock lock = kind().get(user, name);
    any_lock theirs = kind().get(other, name);

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
};
INSTANTIATE_TEST_SUITE_P(of, lock_delay, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(lock_delay, keeps_the_key_for_longer_than_the_hold_is_valid) {
    auto mine = lock.acquire({.lock_delay = 60s});
    EXPECT_LE(mine.valid_until() - lease_clock::now(), 1500ms);
    EXPECT_GT(pttl(server, name), 60'000);
    auto const renewals = user.stats().renewals;
    ASSERT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 4; })) << "two seconds of a lease of 1.5 s";
    EXPECT_GT(pttl(server, name), 60'000) << "a renewal without the delay would not have prolonged it";
    EXPECT_TRUE(mine);
    mine.release();
    EXPECT_FALSE(exists(name)) << "what is released is free at once";
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(lock_delay, keeps_everybody_out_for_a_while_after_a_loss) {
    auto const start = test_clock::now();
    auto const mine = lock.acquire({.lease = 300ms, .lock_delay = 600ms});
    auto next = theirs.acquire({.wait = 20s});
    EXPECT_GE(since(start), 900ms);
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_TRUE(next);
}

TEST_P(lock_delay, counts_from_the_loss_of_a_hold_whose_client_lives_on) {
    client holding(settings(server.uri())); // its background has the key to release until the delay is over
    auto const mine = kind().get(holding, name).acquire({.max_hold = 100ms, .lock_delay = 60s});
    ASSERT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    auto const told = mine.lost();
    ASSERT_TRUE(wait_until([&] { return told.stop_requested(); }));
    EXPECT_FALSE(theirs.try_acquire({.wait = 500ms})) << "the background has released it too early";
    EXPECT_TRUE(theirs.force_unlock()) << "what an administrator does is not held up";
    EXPECT_TRUE(theirs.acquire({.wait = 10s}));
}

TEST_P(lock_delay, of_any_level_counts_for_all_that_an_owner_holds) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not re-entrant";
    owner const me;
    auto const outer = lock.acquire({.owner = me});
    auto inner = lock.acquire({.lock_delay = 60s, .owner = me});
    EXPECT_GT(pttl(server, name), 60'000);
    inner.release();
    auto const renewals = user.stats().renewals;
    ASSERT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 4; }));
    EXPECT_GT(pttl(server, name), 60'000);
    EXPECT_LE(outer.valid_until() - lease_clock::now(), 1500ms);
}

TEST_P(lock_delay, of_an_outer_hold_is_kept_by_a_re_entry_with_a_longer_lease) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not re-entrant";
    owner const me;
    auto const outer = lock.acquire({.lease = 30s, .lock_delay = 60s, .owner = me});
    auto const inner = lock.acquire({.lease = 600s, .owner = me});
    EXPECT_GT(pttl(server, name), 650'000);
}

TEST_P(lock_delay, of_a_shorter_inner_hold_begins_when_the_outer_one_ends) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not re-entrant";
    owner const me;
    auto const outer = lock.acquire({.lease = 300s, .owner = me});
    auto const inner = lock.acquire({.lease = 1s, .lock_delay = 60s, .owner = me});
    EXPECT_GT(pttl(server, name), 350'000) << "the outer one can be lost in five minutes, and the delay is behind that";
}

TEST_P(lock_delay, is_all_that_stays_of_a_hold_when_the_client_closes) {
    client holding(settings(server.uri()));
    auto const mine = kind().get(holding, name).acquire({.lease = 600s, .lock_delay = 30s});
    holding.close();
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_FALSE(theirs.try_acquire());
    auto const left = theirs.remaining_lease();
    ASSERT_TRUE(left);
    EXPECT_LE(*left, 40s) << "a hundredth of its lease is the margin before the delay";
    EXPECT_GT(*left, 20s);
    EXPECT_TRUE(theirs.force_unlock());
}

TEST_P(lock_delay, is_not_cut_short_where_the_client_is_closed_after_the_loss) {
    client holding(settings(server.uri()));
    auto const mine = kind().get(holding, name).acquire({.max_hold = 100ms, .lock_delay = 60s});
    ASSERT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    auto const told = mine.lost();
    ASSERT_TRUE(wait_until([&] { return told.stop_requested(); }));
    holding.close();
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_TRUE(theirs.force_unlock());
}

TEST_P(lock_delay, below_zero_is_refused) {
    auto const refused = outcome_of([&] { (void)lock.acquire({.lock_delay = -1ms}); });
    EXPECT_EQ(refused.reason, errc::invalid_argument);
    EXPECT_NE(refused.message.find("lock_delay must be zero or more"), std::string::npos) << refused.message;
    EXPECT_TRUE(lock.try_acquire({.lock_delay = 0ms}));
}

} // namespace
} // namespace redlatch::test
