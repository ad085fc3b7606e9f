// hold_at_least: a lock that is released early stays locked for the rest of its minimum hold, whatever becomes of its process.
#include "behaviour/kinds.hpp"
#include "locking/names.hpp"

#include <redlatch/multi_lock.hpp>

namespace redlatch::test {
namespace {

constexpr auto minimum = 600ms;
constexpr auto time_to_look = 1200ms; ///< a minimum hold that several questions are asked within

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
    void expect_kept(std::string const& owner_id, std::chrono::milliseconds at_most) {
        EXPECT_EQ(holders_now(), (std::map<std::string, std::string>{{locking::kept_owner(owner_id), "1"}}));
        auto left = theirs.remaining_lease();
        ASSERT_TRUE(left);
        EXPECT_LE(*left, at_most);
    }
    std::map<std::string, std::string> holders_now() { return kind().holders(server, name); }
    bool is_kept(std::string const& owner_id) { return holders_now().count(locking::kept_owner(owner_id)) == 1; }
};
INSTANTIATE_TEST_SUITE_P(of, minimum_hold, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(minimum_hold, keeps_everybody_out_until_it_is_over) {
    auto const start = test_clock::now();
    owner const me;
    auto mine = lock.acquire({.hold_at_least = time_to_look, .owner = me});
    mine.release();
    EXPECT_EQ(mine.status(), hold_status::released);
    EXPECT_FALSE(lock.is_held(me));
    expect_kept(mine.owner_id(), time_to_look);
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(lock.try_acquire({.owner = me})) << "not for its last owner either";
    EXPECT_TRUE(theirs.inspect().held);
    auto const next = theirs.acquire({.wait = 10s});
    EXPECT_GE(since(start), time_to_look);
    EXPECT_TRUE(next);
}

TEST_P(minimum_hold, is_kept_by_a_waiter_that_another_one_of_its_process_was_before) {
    // That it waits is seen by its subscription to the channel of locks, and that it has asked again by what its script does.
    if (kind().queues_on_server || !kind().announces_releases || kind().name == "write"
        || kind().name == "faster_multi")
        GTEST_SKIP() << "it is not seen to wait";
    hold_as_stranger(server, name, 60s);
    auto waiter = in_thread([&] { return lock.acquire({.wait = 25s, .hold_at_least = 60s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name) && command_counts(server)["hexists"] == 2; }))
        << "not once more, listening";
    server.run("DEL", name); // and nobody is told
    auto another = lock.try_acquire({.owner = owner()});
    ASSERT_TRUE(another);
    another->release();
    auto mine = waiter.get();
    mine.release();
    expect_kept(mine.owner_id(), 60s);
    theirs.force_unlock();
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
    EXPECT_EQ(holders_now().count(next.owner_id()), 1U);
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
    ASSERT_TRUE(wait_until([&] { return is_kept(id); }));
    expect_kept(id, 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, is_kept_by_a_detached_release) {
    auto mine = lock.acquire({.hold_at_least = 60s});
    mine.release_detached();
    ASSERT_TRUE(wait_until([&] { return is_kept(mine.owner_id()); }));
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
    ASSERT_TRUE(wait_until([&] { return is_kept(mine.owner_id()); }));
    expect_idle(through);
    expect_kept(mine.owner_id(), 60s);
    theirs.force_unlock();
}

TEST_P(minimum_hold, leaves_nothing_where_the_lock_was_not_acquired) {
    auto const mine = lock.acquire();
    EXPECT_FALSE(theirs.try_acquire({.hold_at_least = 60s, .owner = owner()}));
    EXPECT_TRUE(still_busy(theirs, {.wait = 50ms, .hold_at_least = 60s, .owner = owner()}));
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
    auto as_long = lock.try_acquire({.lease = 60s, .hold_at_least = 60s});
    ASSERT_TRUE(as_long) << "and as long as the lease it may be";
    as_long->release();
    expect_kept(as_long->owner_id(), 60s);
    theirs.force_unlock();
}

// --- of several locks, and of who reads

struct minimum_hold_elsewhere : with_server {
    client user{quick(server.uri())};
    client other{quick(server.uri())};

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
    bool is_free(std::string const& lock) { return other.get_lock(lock).try_acquire().has_value(); }
};

TEST_F(minimum_hold_elsewhere, of_several_locks_keeps_each_of_them) {
    auto const start = test_clock::now();
    multi_lock several({user.get_lock("a"), user.get_fair_lock("b"), other.get_lock("c")});
    several.acquire({.hold_at_least = time_to_look}).release();
    for (auto const* const member : {"a", "b", "c"}) EXPECT_FALSE(is_free(member)) << member;
    auto const next = several.acquire({.wait = 10s});
    EXPECT_GE(since(start), time_to_look);
    EXPECT_TRUE(next);
}

TEST_F(minimum_hold_elsewhere, of_several_locks_counts_from_the_last_one_that_is_acquired) {
    auto busy = other.get_lock("b").acquire();
    multi_lock several({user.get_lock("a"), user.get_lock("b")}, multi_lock_order::by_name);
    auto waiter = in_thread([&] { return several.acquire({.wait = 25s, .hold_at_least = 1s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return exists("a") && somebody_waits("b"); }));
    ASSERT_TRUE(wait_until([until = lease_clock::now() + 1s] { return lease_clock::now() > until; }));
    busy.release();
    waiter.get().release();
    for (auto const* const member : {"a", "b"}) EXPECT_FALSE(is_free(member)) << member;
    EXPECT_TRUE(several.acquire({.wait = 10s}));
}

TEST_F(minimum_hold_elsewhere, of_several_locks_leaves_free_what_was_acquired_in_vain) {
    auto const busy = other.get_lock("b").acquire();
    multi_lock several({user.get_lock("a"), user.get_lock("b")});
    EXPECT_FALSE(several.try_acquire({.hold_at_least = 60s}));
    ASSERT_TRUE(wait_until([&] { return !exists("a"); }));
    EXPECT_TRUE(still_busy(several, {.wait = 50ms, .hold_at_least = 60s}));
    ASSERT_TRUE(wait_until([&] { return !exists("a"); }));
}

TEST_F(minimum_hold_elsewhere, of_an_outer_hold_outlasts_several_locks_that_were_acquired_in_vain) {
    owner const me;
    auto outer = user.get_lock("a").acquire({.hold_at_least = 60s, .owner = me});
    auto const busy = other.get_lock("b").acquire();
    multi_lock several({user.get_lock("a"), user.get_lock("b")});
    EXPECT_FALSE(several.try_acquire({.hold_at_least = 30s, .owner = me}));
    ASSERT_TRUE(wait_until([&] {
        return holders(server, "a") == std::map<std::string, std::string>{{outer.owner_id(), "1"}};
    }));
    outer.release();
    EXPECT_GT(pttl(server, "a"), 50'000);
    other.get_lock("a").force_unlock();
}

TEST_F(minimum_hold_elsewhere, of_several_locks_is_refused_where_a_member_cannot_keep_it) {
    multi_lock several({user.get_lock("a"), user.get_lock("b")});
    auto const end = outcome_of([&] { (void)several.acquire({.lease = 1s, .hold_at_least = 2s}); });
    EXPECT_EQ(end.reason, errc::invalid_argument);
    EXPECT_NE(end.message.find("hold_at_least must be no longer than lease"), std::string::npos) << end.message;
    EXPECT_FALSE(exists("a") || exists("b"));
}

TEST_F(minimum_hold_elsewhere, of_who_reads_keeps_writers_out_and_lets_readers_in) {
    auto const start = test_clock::now();
    auto mine = user.get_read_write_lock(name);
    auto theirs = other.get_read_write_lock(name);
    auto held = mine.read_lock().acquire({.hold_at_least = time_to_look, .owner = owner()});
    held.release();
    auto const seen = any_lock(theirs.read_lock()).inspect();
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_TRUE(seen.owners[0].released);
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    EXPECT_TRUE(theirs.read_lock().try_acquire());
    EXPECT_TRUE(theirs.write_lock().acquire({.wait = 10s}));
    EXPECT_GE(since(start), time_to_look);
}

TEST_F(minimum_hold_elsewhere, of_who_reads_is_kept_by_readers_that_come_and_go) {
    auto mine = user.get_read_write_lock(name);
    auto theirs = other.get_read_write_lock(name);
    auto const reads = theirs.read_lock().acquire({.owner = owner()});
    mine.read_lock().acquire({.hold_at_least = 60s, .owner = owner()}).release();
    mine.read_lock().acquire({.hold_at_least = 1ms, .owner = owner()}).release();
    EXPECT_EQ(holders(server, name).size(), 2U) << "the reader, and one that is kept";
    theirs.read_lock().acquire({.owner = owner()}).release();
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    EXPECT_TRUE(theirs.read_lock().force_unlock());
    EXPECT_FALSE(reads);
}

TEST_F(minimum_hold_elsewhere, of_who_goes_on_reading_lets_readers_in_and_keeps_writers_out) {
    auto mine = user.get_read_write_lock(name);
    auto theirs = other.get_read_write_lock(name);
    owner const me;
    auto writes = mine.write_lock().acquire({.hold_at_least = 60s, .owner = me});
    auto reads = mine.read_lock().acquire({.owner = me});
    EXPECT_FALSE(theirs.read_lock().try_acquire());
    writes.release();
    EXPECT_TRUE(theirs.read_lock().try_acquire());
    reads.release();
    EXPECT_TRUE(theirs.read_lock().try_acquire());
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    EXPECT_GT(pttl(server, name), 50'000);
    EXPECT_TRUE(theirs.read_lock().force_unlock());
}

TEST_F(minimum_hold_elsewhere, of_who_reads_and_writes_on_is_left_when_the_writer_leaves) {
    auto mine = user.get_read_write_lock(name);
    auto theirs = other.get_read_write_lock(name);
    owner const me;
    auto writes = mine.write_lock().acquire({.owner = me});
    mine.read_lock().acquire({.hold_at_least = 60s, .owner = me}).release();
    EXPECT_FALSE(theirs.read_lock().try_acquire()) << "it writes";
    writes.release();
    EXPECT_TRUE(theirs.read_lock().try_acquire());
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    EXPECT_TRUE(theirs.read_lock().force_unlock());
}

TEST_F(minimum_hold_elsewhere, of_values_leaves_other_values_alone) {
    auto const start = test_clock::now();
    user.get_faster_multi_lock(name, {"a", "b"}).acquire({.hold_at_least = time_to_look}).release();
    EXPECT_FALSE(other.get_faster_multi_lock(name, {"b", "c"}).try_acquire());
    EXPECT_TRUE(other.get_faster_multi_lock(name, {"c", "d"}).try_acquire());
    EXPECT_TRUE(other.get_faster_multi_lock(name, {"a", "b", "c"}).acquire({.wait = 10s}));
    EXPECT_GE(since(start), time_to_look);
    EXPECT_FALSE(exists(name)) << "and what was kept is cleared away by who takes it over";
}

} // namespace
} // namespace redlatch::test
