// What users rely on with every kind of lock: acquire, wait, deadline, cancellation, renewal, loss, lost replies, release,
// force, introspection, owners, close, fork. Each test runs with each kind, through both faces.
#include "behaviour/alike.hpp"
#include "behaviour/kinds.hpp"
#include "integration/child_of_fork.hpp"
#include "locking/names.hpp"
#include "locking/recipes/recipes.hpp"

#include <atomic>
#include <set>
#include <thread>

namespace redlatch::test {
namespace {

class behaviour : public with_server, public ::testing::WithParamInterface<lock_kind> {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    lock_kind const& kind() const { return GetParam(); }
    std::map<std::string, std::string> holders(redis_server const& of, std::string const& key) const {
        return kind().holders(of, key);
    }
    void hold_as_stranger(redis_server const& of, std::string const& key, std::chrono::milliseconds lease) const {
        kind().hold_as_stranger(of, key, lease, "00000000-0000-4000-8000-000000000000:1");
    }

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

INSTANTIATE_TEST_SUITE_P(of, behaviour, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST(kinds, are_all_in_the_suite) {
    std::set<std::string_view> tested;
    for (auto const& kind : lock_kinds) tested.insert(kind.name);
    std::set<std::string_view> shipped;
    for (auto const* recipe : locking::all_recipes)
        if (!recipe->shared) shipped.insert(recipe->kind); // read_half_test.cpp, read_write_lock_test.cpp
    EXPECT_EQ(tested, shipped);
}

// --- acquire and release

TEST_P(behaviour, is_held_with_a_lease_from_acquire_to_release) {
    EXPECT_EQ(lock.kind(), kind().name);
    EXPECT_EQ(lock.name(), name);
    auto mine = lock.acquire();
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(mine.lock_name(), name);
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    EXPECT_GT(pttl(server, name), 0);
    EXPECT_LE(pttl(server, name), 1500);
    EXPECT_EQ(mine.token().has_value(), kind().gives_tokens);
    mine.release();
    EXPECT_EQ(mine.status(), hold_status::released);
    EXPECT_FALSE(exists(name));
}

TEST_P(behaviour, is_released_when_the_hold_goes_out_of_scope) {
    {
        auto const mine = lock.acquire();
        EXPECT_TRUE(exists(name));
    }
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_P(behaviour, keeps_everybody_else_out) {
    auto mine = lock.acquire();
    EXPECT_FALSE(theirs.try_acquire());
    std::error_code ec;
    EXPECT_FALSE(theirs.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(lock.try_acquire({.owner = owner()})) << "another owner of the same client";
    EXPECT_FALSE(in_thread([&] { return lock.try_lock(); }).get());
    mine.release();
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(behaviour, is_not_unlocked_by_who_does_not_hold_it) {
    auto const mine = lock.acquire();
    auto const before = holders(server, name);
    EXPECT_EQ(outcome_of([&] { theirs.unlock(); }).reason, errc::not_owner);
    EXPECT_EQ(in_thread([&] { return outcome_of([&] { lock.unlock(); }).reason; }).get(), errc::not_owner);
    EXPECT_EQ(holders(server, name), before);
    EXPECT_EQ(mine.status(), hold_status::held);
}

TEST_P(behaviour, fits_the_guards_of_the_standard_library) {
    {
        std::scoped_lock const guard(lock);
        EXPECT_TRUE(lock.is_held());
        EXPECT_FALSE(in_thread([&] { return std::unique_lock(lock, 30ms).owns_lock(); }).get());
    }
    EXPECT_FALSE(lock.is_held());
    EXPECT_EQ(outcome_of([&] { lock.unlock(); }).reason, errc::not_owner);
}

TEST_P(behaviour, works_for_names_of_any_bytes) {
    for (std::string const& odd : {std::string("{tag}:x"), std::string("or{ders"), std::string("a\0b\xff", 4),
                                   std::string("\r\n $1"), std::string(1000, 'n')}) {
        auto mine = kind().get(user, odd).acquire();
        EXPECT_FALSE(kind().get(other, odd).try_acquire());
        mine.release();
        EXPECT_TRUE(kind().get(other, odd).try_acquire());
    }
}

// --- the second acquisition of one owner

TEST_P(behaviour, is_entered_again_by_its_owner_or_refuses_at_once) {
    owner const me;
    EXPECT_EQ(lock.hold_count(me), 0);
    auto outer = lock.acquire({.owner = me});
    EXPECT_EQ(lock.hold_count(me), 1);
    any_lock same = kind().get(user, name);
    if (kind().reentrant) {
        auto inner = same.acquire({.owner = me});
        EXPECT_EQ(lock.hold_count(me), 2);
        EXPECT_EQ(holders(server, name).begin()->second, "2");
        EXPECT_EQ(inner.owner_id(), outer.owner_id());
        EXPECT_EQ(inner.token(), outer.token());
        outer.release();
        EXPECT_EQ(holders(server, name).begin()->second, "1");
        EXPECT_EQ(lock.hold_count(me), 1);
        EXPECT_FALSE(theirs.try_acquire());
        EXPECT_TRUE(inner);
        inner.release();
        EXPECT_EQ(lock.hold_count(me), 0);
        return;
    }
    auto const refused = outcome_of([&] { auto const never = lock.acquire({.owner = me}); });
    EXPECT_EQ(refused.reason, errc::would_deadlock);
    EXPECT_NE(refused.message.find(outer.owner_id()), std::string::npos) << refused.message;
    EXPECT_EQ(outcome_of([&] { auto const never = lock.try_acquire({.owner = me}); }).reason, errc::would_deadlock);
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire({.wait = 1h, .owner = me}, ec));
    EXPECT_EQ(ec, std::errc::resource_deadlock_would_occur);
    EXPECT_EQ(outcome_of([&] { auto const never = same.acquire({.owner = me}); }).reason, errc::would_deadlock)
        << "another object of the same lock";
    EXPECT_EQ(lock.hold_count(me), 1);
    EXPECT_EQ(holders(server, name).begin()->second, "1");
    outer.release();
    EXPECT_TRUE(lock.try_acquire({.owner = me})) << "after its release it is as free for this owner as for others";
}

TEST_P(behaviour, belongs_to_an_owner_that_may_work_on_several_threads) {
    owner const job;
    auto mine = lock.acquire({.owner = job});
    EXPECT_TRUE(in_thread([&] { return lock.is_held(job); }).get());
    EXPECT_FALSE(lock.is_held());
    in_thread([&] { mine.release(); }).get();
    EXPECT_FALSE(exists(name));
}

// --- waiting

TEST_P(behaviour, is_acquired_by_a_waiter_of_another_client_when_it_is_released) {
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    ASSERT_TRUE(!kind().announces_releases || kind().queues_on_server
                || wait_until([&] { return somebody_listens(locking::prefixed(kind().channel, name)); }));
    mine.release();
    auto got = waiter.get();
    EXPECT_EQ(holders(server, name).count(got.owner_id()), 1U);
}

TEST_P(behaviour, is_acquired_by_a_waiter_of_the_same_client_when_it_is_released) {
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return lock.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    mine.release();
    auto got = waiter.get();
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{got.owner_id(), "1"}}));
}

TEST_P(behaviour, ends_a_wait_at_its_deadline) {
    auto mine = lock.acquire();
    for (auto* from : {&lock, &theirs}) {
        auto const wait = from == &lock ? 100ms : 500ms; // another client needs an answer within it
        std::error_code ec;
        auto const start = test_clock::now();
        auto const got = from->acquire({.wait = wait, .owner = owner()}, ec);
        EXPECT_FALSE(got);
        EXPECT_EQ(ec, errc::timed_out);
        EXPECT_GE(since(start), wait);
    }
    EXPECT_TRUE(mine);
}

TEST_P(behaviour, ends_a_wait_that_is_cancelled) {
    auto mine = lock.acquire();
    for (auto* from : {&lock, &theirs}) {
        std::stop_source stop;
        auto waiter = in_thread([&] {
            std::error_code ec;
            auto const got = from->acquire({.owner = owner(), .stop = stop.get_token()}, ec);
            EXPECT_FALSE(got);
            return ec;
        });
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters + other.stats().waiters == 1; }));
        stop.request_stop();
        EXPECT_EQ(waiter.get(), errc::cancelled);
    }
    EXPECT_TRUE(mine);
}

TEST_P(behaviour, lets_in_one_at_a_time) {
    constexpr int threads = 3;
    constexpr int rounds = 15;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> done{0};
    auto const work = [&](any_lock from) {
        for (int round = 0; round < rounds; ++round) {
            auto mine = from.acquire({.owner = owner()});
            most = std::max(most.load(), ++inside);
            std::this_thread::yield();
            --inside;
            mine.release();
            ++done;
        }
    };
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i) {
            all.emplace_back(work, lock);
            all.emplace_back(work, theirs);
        }
    }
    EXPECT_EQ(most, 1);
    EXPECT_EQ(done, 2 * threads * rounds);
}

// --- leases

TEST_P(behaviour, is_renewed_for_as_long_as_it_is_held) {
    auto mine = lock.acquire();
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 4; }))
        << "two seconds with a lease of 1.5 s";
    EXPECT_TRUE(mine);
    EXPECT_TRUE(exists(name));
    EXPECT_FALSE(theirs.try_acquire());
}

TEST_P(behaviour, ends_by_itself_with_a_fixed_lease) {
    auto mine = lock.acquire({.lease = 150ms});
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    EXPECT_TRUE(mine.lost().stop_requested() || wait_until([&] { return mine.lost().stop_requested(); }));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    auto next = theirs.acquire({.wait = 5s});
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(next) << "what was lost is not taken from the next one";
    EXPECT_EQ(holders(server, name).count(next.owner_id()), 1U);
}

TEST_P(behaviour, is_not_shortened_by_a_shorter_lease_inside) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not entered again";
    owner const me;
    auto const outer = lock.acquire({.lease = 60s, .owner = me});
    {
        auto const inner = lock.acquire({.lease = 1s, .owner = me});
        EXPECT_GT(pttl(server, name), 50'000);
    }
    EXPECT_TRUE(wait_until([&] { return holders(server, name).begin()->second == "1"; }));
    EXPECT_GT(pttl(server, name), 50'000);
}

TEST_P(behaviour, keeps_the_longest_lease_of_its_owner_also_when_that_level_has_been_released) {
    if (!kind().reentrant) GTEST_SKIP() << "it is not entered again";
    owner const me;
    auto const outer = lock.acquire({.lease = 20s, .owner = me});
    lock.acquire({.lease = 60s, .owner = me}).release();
    EXPECT_EQ(lock.hold_count(me), 1);
    EXPECT_GT(pttl(server, name), 40'000);
    EXPECT_GT(outer.valid_until() - lease_clock::now(), 40s) << "as the server sees it";
}

TEST_P(behaviour, is_lost_when_somebody_deletes_its_key) {
    auto mine = lock.acquire();
    auto const told = mine.lost();
    server.run("DEL", name);
    EXPECT_TRUE(wait_until([&] { return told.stop_requested(); }));
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { mine.ensure_held(); }).reason, errc::lease_lost);
    std::error_code ec;
    mine.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(behaviour, is_acquired_by_a_waiter_of_the_same_client_when_somebody_deletes_its_key) {
    auto mine = lock.acquire({.lease = 60s}); // never renewed, so that only a question tells
    auto waiter = in_thread([&] { return lock.acquire({.wait = 30s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    server.run("DEL", name);
    auto got = waiter.get();
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{got.owner_id(), "1"}}));
    EXPECT_EQ(mine.status(), hold_status::lost);
}

TEST_P(behaviour, is_taken_over_when_its_holder_is_silent_until_the_lease_ends) {
    hold_as_stranger(server, name, 300ms);
    auto got = theirs.acquire({.wait = 10s});
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{got.owner_id(), "1"}}));
}

// --- force, and what can be seen

TEST_P(behaviour, can_be_ended_by_force_by_anybody) {
    EXPECT_FALSE(theirs.force_unlock()) << "it is free";
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    client administrator(settings(server.uri()));
    EXPECT_TRUE(kind().get(administrator, name).force_unlock());
    auto got = waiter.get();
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    EXPECT_LE(mine.valid_until(), lease_clock::now()) << "who works until then ends at once";
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(got);
    EXPECT_EQ(holders(server, name).count(got.owner_id()), 1U);
}

TEST_P(behaviour, can_be_looked_at_by_anybody) {
    EXPECT_FALSE(theirs.is_locked());
    EXPECT_EQ(theirs.remaining_lease(), std::nullopt);
    EXPECT_FALSE(theirs.inspect().held);
    owner const me;
    auto mine = lock.acquire({.owner = me});
    EXPECT_TRUE(theirs.is_locked());
    EXPECT_TRUE(lock.is_locked());
    EXPECT_LE(theirs.remaining_lease().value_or(0ms), 1500ms);
    EXPECT_GT(theirs.remaining_lease().value_or(0ms), 0ms);
    auto const seen = theirs.inspect();
    EXPECT_TRUE(seen.held);
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_EQ(seen.owners[0].owner, mine.owner_id());
    EXPECT_EQ(seen.owners[0].count, 1);
    EXPECT_TRUE(lock.is_held(me));
    EXPECT_FALSE(theirs.is_held(me));
    EXPECT_EQ(lock.current_hold(me).owner_id(), mine.owner_id());
    EXPECT_EQ(lock.current_hold(me).token(), mine.token());
    EXPECT_EQ(other.list_locks(name).size(), 1U);
    mine.release();
    EXPECT_FALSE(theirs.is_locked());
    EXPECT_FALSE(lock.is_locked());
    EXPECT_FALSE(lock.is_held(me));
    EXPECT_EQ(theirs.remaining_lease(), std::nullopt);
}

// --- lost replies, other keys, the end of the client

TEST_P(behaviour, is_held_once_whatever_reply_is_lost) {
    byte_proxy proxy{server.address()};
    client through(settings(proxy.uri()));
    auto far = kind().get(through, name);
    far.acquire({.wait = 10s}).release();
    auto const acquiring = proxy.cut_after(any_lock_call());
    auto mine = far.acquire({.wait = 10s});
    EXPECT_TRUE(acquiring.sprung());
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    EXPECT_EQ(mine.token().has_value(), kind().gives_tokens);
    auto const releasing = proxy.cut_after(any_lock_call());
    std::error_code ec;
    mine.release(ec);
    EXPECT_TRUE(releasing.sprung());
    EXPECT_TRUE(!ec || ec == errc::outcome_unknown) << ec.message();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_TRUE(theirs.acquire({.wait = 10s}));
    expect_idle(through);
}

TEST_P(behaviour, says_that_the_server_is_away) {
    expect_to_say_that_the_server_is_away(server, lock);
}

TEST_P(behaviour, refuses_a_key_that_is_no_lock) {
    expect_to_refuse_a_key_that_is_no_lock(server, lock, name);
}

TEST_P(behaviour, is_lost_and_released_when_its_client_closes) {
    client closing(settings(server.uri()));
    auto mine = kind().get(closing, name).acquire();
    auto waiter = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    auto own = in_thread([&] {
        std::error_code ec;
        auto const got = kind().get(closing, name).acquire({.owner = owner()}, ec);
        EXPECT_FALSE(got);
        return ec;
    });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1 && closing.stats().waiters == 1; }));
    closing.close();
    EXPECT_EQ(own.get(), errc::closed);
    EXPECT_TRUE(waiter.get());
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { auto const never = kind().get(closing, name).acquire(); }).reason, errc::closed);
}

TEST_P(behaviour, is_refused_in_the_child_of_a_fork_and_stays_held_in_the_parent) {
    auto mine = lock.acquire();
    EXPECT_EQ(status_of_child([&] { return first_not_refused(lock, mine); }), 0) << "the number of the call";
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_FALSE(theirs.try_acquire());
}

/// One of this kind by one that is held.
bool kept_out(lock_kind const& one, lock_kind const& by) {
    return one.kept_out_by_other_kinds || one.name == by.name;
}

TEST_P(behaviour, excludes_the_other_kinds_with_its_name) {
    auto mine = lock.acquire();
    for (auto const& another : lock_kinds) {
        if (!kept_out(another, kind())) continue;
        EXPECT_FALSE(another.get(other, name).try_acquire()) << another.name;
        EXPECT_FALSE(another.get(user, name).try_acquire({.owner = owner()})) << another.name << " of the same client";
    }
    mine.release();
    for (auto const& another : lock_kinds) {
        auto taken = another.get(user, name).try_acquire();
        ASSERT_TRUE(taken) << another.name;
        if (kept_out(kind(), another)) {
            EXPECT_FALSE(theirs.try_acquire()) << another.name;
        }
        taken->release();
    }
}

} // namespace
} // namespace redlatch::test
