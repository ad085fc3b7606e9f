// What a multi lock promises: all of its members or none.
#include "behaviour/multi_lock_fixture.hpp"
#include "integration/child_of_fork.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

class multi_lock_test : public multi_lock_fixture {};

TEST_F(multi_lock_test, acquires_all_members_and_releases_all) {
    auto held = mine().acquire();
    EXPECT_TRUE(held);
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_TRUE(exists(first) && exists(second) && exists(third));
    ASSERT_EQ(held.members().size(), 3U);
    EXPECT_EQ(held.members()[0].lock_name(), first);
    EXPECT_TRUE(mine().is_held());
    EXPECT_FALSE(mine().is_held(owner()));
    EXPECT_FALSE(other.get_lock(second).try_lock());
    held.release();
    EXPECT_EQ(held.status(), hold_status::released);
    EXPECT_FALSE(mine().is_held());
    EXPECT_TRUE(none_is_left());
    held.release(); // no effect
}

/// The first member's reply is held back, and the others are asked all the same.
TEST_F(multi_lock_test, asks_all_members_at_the_same_time) {
    byte_proxy way(server.address());
    client slow{quick(way.uri())};
    { auto const warm = slow.get_lock(first).acquire(); }
    auto const answer = way.hold_reply(an_acquisition());
    multi_lock all({slow.get_lock(first), user.get_lock(second), user.get_lock(third)});
    auto waiting = in_thread([&] { return static_cast<bool>(all.acquire()); });
    ASSERT_TRUE(answer.wait());
    EXPECT_TRUE(wait_until([&] { return exists(second) && exists(third); }));
    answer.deliver();
    EXPECT_TRUE(waiting.get());
}

TEST_F(multi_lock_test, takes_nothing_while_a_member_is_busy) {
    auto const theirs = other.get_lock(third).acquire();
    EXPECT_FALSE(mine().try_acquire());
    EXPECT_TRUE(wait_until([&] { return !exists(first) && !exists(second); }));
    std::error_code ec;
    EXPECT_FALSE(mine().try_acquire({.wait = 0ms}, ec));
    EXPECT_EQ(ec, errc::busy);
    auto const problem = outcome_of([&] { static_cast<void>(mine().acquire({.wait = 1s})); });
    EXPECT_EQ(problem.reason, errc::timed_out);
    EXPECT_NE(problem.message.find(third), std::string::npos) << problem.message;
    auto const all = "multi lock of '" + first + "', '" + second + "', '" + third + "' was";
    EXPECT_NE(problem.message.find(all), std::string::npos) << problem.message;
    EXPECT_TRUE(wait_until([&] { return !exists(first) && !exists(second); }));
}

/// Each member is given up a little later than the one before.
TEST_F(multi_lock_test, waiting_in_order_for_many_does_not_use_up_a_fixed_lease) {
    std::vector<basic_lock> members;
    std::vector<hold> theirs;
    for (int i = 1; i <= 8; ++i) {
        auto const member = name + "-in-order-" + std::to_string(i);
        members.push_back(user.get_lock(member));
        theirs.push_back(other.get_lock(member).acquire({.lease = 150ms * i}));
    }
    auto const problem = outcome_of([&] {
        auto const held = multi_lock(members, multi_lock_order::by_name).acquire({.wait = 30s, .lease = 800ms});
        EXPECT_TRUE(held);
    });
    EXPECT_EQ(problem.reason, errc{}) << problem;
}

/// A quarter of such a lease is no time to wait for a busy member: it is asked, and answers at once.
TEST_F(multi_lock_test, rests_between_rounds_that_fail_at_once) {
    auto const theirs = other.get_lock(second).acquire();
    auto const before = user.stats().commands;
    auto const problem =
        outcome_of([&] { static_cast<void>(mine(multi_lock_order::by_name).acquire({.wait = 500ms, .lease = 3ms})); });
    EXPECT_EQ(problem.reason, errc::timed_out) << problem;
    EXPECT_LT(user.stats().commands - before, 400U) << "some two for each millisecond where it does not rest";
}

/// A quarter of 292 million years is more than a clock of nanoseconds counts to.
TEST_F(multi_lock_test, does_not_poll_with_the_longest_lease) {
    auto const theirs = other.get_lock(second).acquire();
    auto const before = user.stats().commands;
    auto const problem = outcome_of(
        [&] { static_cast<void>(mine(multi_lock_order::by_name).acquire({.wait = 1s, .lease = duration::max()})); });
    EXPECT_EQ(problem.reason, errc::timed_out) << problem;
    EXPECT_LT(user.stats().commands - before, 100U);
}

TEST_F(multi_lock_test, keeps_its_members_for_the_longest_minimum_hold) {
    mine().acquire({.hold_at_least = duration::max()}).release();
    for (auto const& member : {first, second, third}) {
        EXPECT_FALSE(other.get_lock(member).try_acquire()) << member;
        server.run("DEL", member);
    }
}

TEST_F(multi_lock_test, asks_nothing_where_its_token_is_stopped_already) {
    std::stop_source stop;
    stop.request_stop();
    user.ping();
    auto const before = user.stats().commands;
    for (int i = 0; i < 100; ++i) {
        std::error_code ec;
        auto const held = mine().acquire({.stop = stop.get_token()}, ec);
        ASSERT_EQ(ec, errc::cancelled);
        ASSERT_FALSE(held);
    }
    EXPECT_EQ(user.stats().commands, before);
}

TEST_F(multi_lock_test, waits_on_when_a_renewed_member_is_lost_meanwhile) {
    auto settings = quick(server.uri());
    settings.lock_watchdog_timeout = 600ms; // a loss is noticed at the next renewal
    client by(settings);
    multi_lock all({by.get_lock(first), by.get_lock(second)}, multi_lock_order::by_name);
    auto theirs = other.get_lock(second).acquire();
    auto waiting = in_thread([&] { return outcome_of([&] { static_cast<void>(all.acquire({.wait = 30s})); }); });
    ASSERT_TRUE(wait_until([&] { return exists(first) && somebody_waits(second); }));
    server.run("DEL", first);
    ASSERT_TRUE(wait_until([&] { return by.stats().lost > 0; }));
    theirs.release();
    auto const end = waiting.get();
    EXPECT_EQ(end.reason, errc{}) << end;
    expect_idle(by);
}

class multi_lock_order_test : public multi_lock_test, public ::testing::WithParamInterface<multi_lock_order> {};
INSTANTIATE_TEST_SUITE_P(of, multi_lock_order_test,
                         ::testing::Values(multi_lock_order::none, multi_lock_order::by_name),
                         [](auto const& about) { return order_name(about.param); });

TEST_P(multi_lock_order_test, is_woken_when_the_busy_member_is_released) {
    auto theirs = other.get_lock(second).acquire();
    auto waiting = in_thread([this] { return static_cast<bool>(mine(GetParam()).acquire()); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(second); }));
    theirs.release();
    EXPECT_TRUE(waiting.get());
}

TEST_P(multi_lock_order_test, ends_at_its_deadline) {
    auto const theirs = other.get_lock(second).acquire();
    auto const start = test_clock::now();
    EXPECT_TRUE(still_busy(mine(GetParam()), {.wait = 200ms}));
    EXPECT_GE(since(start), 195ms);
    EXPECT_LT(since(start), 2s);
}

TEST_P(multi_lock_order_test, is_cancelled_at_once_and_leaves_nothing) {
    auto const theirs = other.get_lock(second).acquire();
    std::stop_source stop;
    auto waiting = in_thread([&] {
        std::error_code ec;
        static_cast<void>(mine(GetParam()).acquire({.stop = stop.get_token()}, ec));
        return ec;
    });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(second); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get(), errc::cancelled);
    EXPECT_TRUE(wait_until([&] { return !exists(first) && !exists(third); }));
}

TEST_P(multi_lock_order_test, ends_with_its_client) {
    auto const theirs = other.get_lock(second).acquire();
    client closing{quick(server.uri())};
    multi_lock both({closing.get_lock(first), closing.get_lock(second)}, GetParam());
    auto waiting = in_thread([&] { return outcome_of([&] { static_cast<void>(both.acquire()); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(second); }));
    closing.close();
    auto const end = waiting.get();
    EXPECT_EQ(end.reason, errc::closed) << end;
    EXPECT_FALSE(exists(first));
}

TEST_P(multi_lock_order_test, ends_with_the_client_of_any_member) {
    auto const theirs = other.get_lock(second).acquire();
    for (bool const blocking : {true, false}) {
        client closing{quick(server.uri())};
        multi_lock both({user.get_lock(second), closing.get_lock(first)}, GetParam());
        std::promise<std::error_code> told;
        auto ended = blocking ? in_thread([&] {
            std::error_code ec;
            static_cast<void>(both.acquire({}, ec));
            return ec;
        })
                              : told.get_future();
        if (!blocking) both.async_acquire({}, {}, [&](std::error_code ec, multi_hold) { told.set_value(ec); });
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters > 0 && somebody_waits(second); }));
        closing.close();
        ASSERT_EQ(ended.wait_for(patience), std::future_status::ready) << "the other one is still held";
        EXPECT_EQ(ended.get(), errc::closed);
        EXPECT_FALSE(exists(first));
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 0; }));
    }
}

/// Who takes them in opposite orders gets through, and never with another one inside.
TEST_P(multi_lock_order_test, opposite_orders_do_not_deadlock) {
    constexpr int rounds = 40;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    auto const work = [&](client& by, bool forward) {
        std::vector<basic_lock> members{by.get_lock(first), by.get_lock(second), by.get_lock(third)};
        if (!forward) std::reverse(members.begin(), members.end());
        multi_lock all(members, GetParam());
        for (int i = 0; i < rounds; ++i) {
            auto const held = all.acquire({.wait = 60s});
            most = std::max(most.load(), ++inside);
            --inside;
        }
    };
    {
        std::jthread const a([&] { work(user, true); });
        std::jthread const b([&] { work(user, false); });
        std::jthread const c([&] { work(other, false); });
        std::jthread const d([&] { work(other, true); });
    }
    EXPECT_EQ(most, 1);
}

/// Without an order each of them may get a part, and then none gets all.
TEST_P(multi_lock_order_test, is_acquired_by_one_at_most_of_ten_that_try_at_once) {
    std::atomic<bool> go{false};
    std::vector<std::future<std::optional<multi_hold>>> all;
    for (int i = 0; i < 10; ++i)
        all.push_back(in_thread([&, tries = mine(GetParam())]() mutable {
            go.wait(false);
            return tries.try_acquire({.lease = 60s, .owner = owner()});
        }));
    go = true;
    go.notify_all();
    std::vector<multi_hold> got;
    for (auto& one : all)
        if (auto held = one.get()) got.push_back(*std::move(held));
    EXPECT_LE(got.size(), 1U);
    if (GetParam() == multi_lock_order::by_name) {
        EXPECT_EQ(got.size(), 1U);
    }
    for (auto& held : got) {
        EXPECT_TRUE(held);
        held.release();
    }
}

TEST_P(multi_lock_order_test, a_fixed_lease_is_not_eaten_up_by_waiting) {
    auto theirs = other.get_lock(third).acquire();
    auto waiting = in_thread([this] {
        auto held = mine(GetParam()).acquire({.lease = 2s});
        return held.valid_until() - lease_clock::now();
    });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(third); }));
    theirs.release();
    EXPECT_GT(waiting.get(), 1s);
}

TEST_F(multi_lock_test, a_member_that_is_lost_ends_the_whole) {
    auto held = mine().acquire({.lease = 60s});
    auto const lost = held.lost();
    EXPECT_FALSE(lost.stop_requested());
    auto brief = multi_lock({user.get_lock(first), user.get_lock(second)}).acquire({.lease = 60s});
    brief.release();
    server.run("DEL", second);
    EXPECT_TRUE(held) << "a fixed lease is not asked about";
    held.release_detached();

    auto short_one = mine().acquire({.lease = 1s});
    auto const ends = short_one.lost();
    EXPECT_TRUE(wait_until([&] { return ends.stop_requested(); }));
    EXPECT_EQ(short_one.status(), hold_status::lost);
    auto const problem = outcome_of([&] { short_one.ensure_held(); });
    EXPECT_EQ(problem.reason, errc::lease_lost);
    EXPECT_NE(problem.message.find(first), std::string::npos) << problem.message;
    EXPECT_EQ(outcome_of([&] { short_one.release(); }).reason, errc::lease_lost);
}

TEST_F(multi_lock_test, is_a_timed_lockable) {
    auto all = mine();
    {
        std::unique_lock guard(all);
        EXPECT_TRUE(all.is_held());
        EXPECT_FALSE(other.get_lock(first).try_lock());
        std::unique_lock again(all, 10s); // re-entrant, as its members are
        EXPECT_TRUE(again);
    }
    EXPECT_TRUE(none_is_left());
    EXPECT_EQ(outcome_of([&] { all.unlock(); }).reason, errc::not_owner);
    auto const theirs = other.get_lock(second).acquire();
    EXPECT_FALSE(all.try_lock());
    EXPECT_FALSE(all.try_lock_for(1s));
    EXPECT_FALSE(all.try_lock_until(std::chrono::steady_clock::now() - 1s));
}

TEST_F(multi_lock_test, gives_back_what_it_has_locked_when_its_last_copy_goes) {
    {
        auto all = mine();
        {
            auto copy = all;
            copy.lock();
            copy.lock();
        }
        EXPECT_TRUE(all.is_held());
        all.unlock();
        EXPECT_TRUE(all.is_held());
    }
    EXPECT_FALSE(mine().is_held());
    EXPECT_TRUE(none_is_left());
}

TEST_F(multi_lock_test, what_has_locked_may_go_after_its_client) {
    {
        client closing{quick(server.uri())};
        multi_lock all({closing.get_lock(first), closing.get_lock(second)});
        all.lock();
        closing.close();
    }
    EXPECT_TRUE(none_is_left());
}

TEST_F(multi_lock_test, says_who_holds_its_members) {
    auto both = mine();
    owner const me;
    auto const held = both.acquire({.owner = me});
    auto const looks = both.inspect();
    ASSERT_EQ(looks.size(), 3U);
    EXPECT_EQ(looks[0].name, first);
    EXPECT_EQ(looks[2].name, third);
    for (auto const& one : looks) {
        ASSERT_EQ(one.owners.size(), 1U) << one.name;
        EXPECT_EQ(one.owners[0].count, 1) << one.name;
    }
}

TEST_F(multi_lock_test, is_forced_open_and_its_holder_is_told) {
    auto both = mine();
    auto const held = both.acquire({.owner = owner()});
    multi_lock theirs({other.get_lock(first), other.get_lock(second), other.get_lock(third)});
    auto waiter = in_thread([&] { return theirs.acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return somebody_waits(first); }));
    auto const forced_at = test_clock::now();
    EXPECT_TRUE(multi_lock({other.get_lock(first), other.get_lock(second), other.get_lock(third)}).force_unlock());
    auto const got = waiter.get();
    EXPECT_EQ(got.status(), hold_status::held);
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_LT(since(forced_at), 8s) << "before a renewal would have found it";
}

TEST_F(multi_lock_test, that_nobody_holds_is_not_forced_open) {
    auto both = mine();
    EXPECT_FALSE(both.force_unlock());
    auto const alone = user.get_lock(second).acquire({.owner = owner()});
    EXPECT_TRUE(both.force_unlock()) << "one of its members was held";
}

TEST_F(multi_lock_test, names_the_member_that_cannot_be_asked) {
    std::string const set = second;
    server.run("SADD", set, "x");
    auto both = mine();
    auto const held = user.get_lock(first).acquire({.owner = owner()});
    auto const how = outcome_of([&] { both.force_unlock(); });
    EXPECT_EQ(how.reason, errc::wrong_type);
    EXPECT_THAT(how.message, ::testing::HasSubstr(second));
    EXPECT_FALSE(exists(first)) << "the others are gone all the same";
    server.run("DEL", set);
}

TEST_F(multi_lock_test, is_asked_about_by_handlers) {
    auto both = mine();
    auto const held = both.acquire({.owner = owner()});
    std::promise<std::size_t> looked;
    both.async_inspect(
        {}, [&](std::error_code ec, std::vector<lock_info> const& all) { looked.set_value(ec ? 0 : all.size()); });
    EXPECT_EQ(looked.get_future().get(), 3U);
    std::promise<bool> forced;
    both.async_force_unlock({}, [&](std::error_code ec, bool was_held) { forced.set_value(!ec && was_held); });
    EXPECT_TRUE(forced.get_future().get());
    EXPECT_TRUE(none_is_left());
}

TEST_F(multi_lock_test, tells_handlers) {
    std::promise<std::error_code> ended;
    mine().async_acquire({}, {}, [&](std::error_code ec, multi_hold held) {
        held.release_detached();
        ended.set_value(ec);
    });
    EXPECT_FALSE(ended.get_future().get());

    auto const theirs = other.get_lock(second).acquire();
    std::promise<bool> tried;
    mine().async_try_acquire({}, {}, [&](std::error_code ec, std::optional<multi_hold> held) {
        tried.set_value(ec == errc::busy && !held);
    });
    EXPECT_TRUE(tried.get_future().get());
    EXPECT_EQ(outcome_of([&] { mine().async_acquire({}, {}, nullptr); }).reason, errc::invalid_argument);
}

TEST_F(multi_lock_test, handlers_may_not_block) {
    std::promise<errc> ended;
    mine().async_acquire({}, {}, [&](std::error_code, multi_hold held) {
        auto const refused = outcome_of([&] { static_cast<void>(mine().acquire()); });
        auto const kept = outcome_of([&] { held.release(); });
        EXPECT_EQ(kept.reason, errc::wrong_thread);
        ended.set_value(refused.reason);
    });
    EXPECT_EQ(ended.get_future().get(), errc::wrong_thread);
}

TEST_F(multi_lock_test, refuses_what_makes_no_sense) {
    EXPECT_EQ(outcome_of([] { multi_lock const none({}); }).reason, errc::invalid_argument);
    auto gone = user.get_lock(first);
    auto const moved_to = std::move(gone);
    EXPECT_EQ(outcome_of([&] { multi_lock const with_it({gone}); }).reason, errc::invalid_argument); // NOLINT
    auto all = mine();
    EXPECT_EQ(outcome_of([&] { static_cast<void>(all.acquire({.wait = -1ms})); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { static_cast<void>(all.acquire({.lease = 0ms})); }).reason, errc::invalid_argument);
    auto const kept = std::move(all);
    EXPECT_EQ(outcome_of([&] { static_cast<void>(all.acquire()); }).reason, errc::invalid_argument); // NOLINT
    EXPECT_TRUE(all.members().empty());                                                              // NOLINT
    multi_hold empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(outcome_of([&] { empty.ensure_held(); }).reason, errc::lease_lost);
    empty.release();
}

TEST_F(multi_lock_test, is_lost_in_the_child_of_a_fork) {
    auto held = mine().acquire();
    auto const status = status_of_child([&] {
        bool const lost = held.status() == hold_status::lost && held.lost().stop_requested() && held.members().empty();
        bool const refused = outcome_of([&] { held.release(); }).reason == errc::forked
                             && outcome_of([&] { static_cast<void>(mine().try_acquire()); }).reason == errc::forked;
        return lost && refused ? 0 : 1;
    });
    ASSERT_EQ(status, 0);
    EXPECT_TRUE(held);
}

TEST_F(multi_lock_test, cannot_be_unlocked_in_the_child_of_a_fork) {
    auto all = mine();
    all.lock();
    auto const status = status_of_child([&] {
        if (outcome_of([&] { all.unlock(); }).reason != errc::forked) return 1;
        if (outcome_of([&] { all.lock(); }).reason != errc::forked) return 2;
        if (outcome_of([&] { static_cast<void>(all.try_lock()); }).reason != errc::forked) return 3;
        if (outcome_of([&] { static_cast<void>(all.try_lock_for(1s)); }).reason != errc::forked) return 4;
        if (all.is_held()) return 5;
        { auto const goes = std::move(all); }
        return 0;
    });
    EXPECT_EQ(status, 0) << "the number of the call that did not say so";
    EXPECT_TRUE(all.is_held());
    all.unlock();
}

TEST_F(multi_lock_test, a_key_of_another_type_is_named_and_nothing_is_kept) {
    server.run("SET", second, "text");
    auto const problem = outcome_of([&] { static_cast<void>(mine().acquire({.wait = 5s})); });
    EXPECT_EQ(problem.reason, errc::wrong_type);
    EXPECT_NE(problem.message.find(second), std::string::npos) << problem.message;
    EXPECT_TRUE(wait_until([&] { return !exists(first) && !exists(third); }));
    server.run("DEL", second);
}

} // namespace
} // namespace redlatch::test
