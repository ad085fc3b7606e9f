// Locks on values of a group: which exclude each other, all values or none, what is lost with one of them, what is seen of a
// group. What they have in common with other kinds is in behaviour_test.cpp.
#include "behaviour/kinds.hpp"

#include <array>
#include <atomic>
#include <thread>

namespace redlatch::test {
namespace {

using values = std::vector<std::string>;

class faster_multi_lock_test : public with_server {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    client user{settings(server.uri())};
    client other{settings(server.uri())};

    any_lock mine(values const& which) { return user.get_faster_multi_lock(name, which); }
    any_lock theirs(values const& which) { return other.get_faster_multi_lock(name, which); }
    std::string field(std::string const& value) const { return locking::faster_multi::field_of(value); }
    std::string owner_of(std::string const& value) const { return server.run("HGET", name, field(value)).text; }

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(faster_multi_lock_test, excludes_exactly_those_that_have_a_value_in_common) {
    auto const held = mine({"a", "b"}).acquire();
    for (auto const& overlapping : {values{"a"}, values{"b", "c"}, values{"c", "a", "d"}, values{"b", "a"}}) {
        EXPECT_FALSE(theirs(overlapping).try_acquire());
        EXPECT_FALSE(mine(overlapping).try_acquire({.owner = owner()}));
    }
    for (auto const& disjoint :
         {values{"c"}, values{"ab"}, values{"c", "d"}, values{""}, values{std::string("a\0", 2)}}) {
        EXPECT_TRUE(theirs(disjoint).try_acquire());
        EXPECT_TRUE(mine(disjoint).try_acquire());
    }
    EXPECT_TRUE(other.get_faster_multi_lock(name + "2", {"a"}).try_acquire()) << "another group";
}

TEST_F(faster_multi_lock_test, is_the_same_lock_whatever_the_order_of_its_values_and_however_often_one_is_named) {
    owner const me;
    auto const outer = mine({"a", "b"}).acquire({.owner = me});
    auto const inner = mine({"b", "a", "b"}).acquire({.owner = me});
    EXPECT_EQ(inner.owner_id(), outer.owner_id());
    EXPECT_EQ(mine({"a", "b"}).hold_count(me), 2);
    EXPECT_EQ(server.run("HLEN", name).integer, 6);
}

TEST_F(faster_multi_lock_test, takes_all_values_or_none) {
    auto first = theirs({"b"}).acquire();
    auto const second = theirs({"c"}).acquire({.owner = owner()});
    EXPECT_TRUE(still_busy(mine({"a", "b", "c"}), {.wait = 50ms}));
    EXPECT_EQ(owner_of("a"), "") << "nobody holds some and waits for others";
    first.release();
    EXPECT_FALSE(mine({"a", "b", "c"}).try_acquire());
    EXPECT_EQ(owner_of("b"), "");
    EXPECT_TRUE(mine({"a", "b"}).try_acquire());
}

TEST_F(faster_multi_lock_test, is_acquired_by_a_waiter_when_the_last_value_that_it_waits_for_is_released) {
    client holder(quick(server.uri())); // with leases of 30 s
    client another(quick(server.uri()));
    for (auto* from : {&holder, &another}) {
        auto first = any_lock(holder.get_faster_multi_lock(name, {"a"})).acquire({.owner = owner()});
        auto second = any_lock(holder.get_faster_multi_lock(name, {"b", "x"})).acquire({.owner = owner()});
        auto waiter = in_thread([&] {
            return any_lock(from->get_faster_multi_lock(name, {"a", "b", "c"})).acquire({.owner = owner()});
        });
        ASSERT_TRUE(wait_until([&] { return from->stats().waiters == 1; }));
        first.release();
        EXPECT_FALSE(is_ready(waiter));
        auto const start = test_clock::now();
        second.release();
        auto const got = waiter.get();
        EXPECT_LT(since(start), 1000ms) << "not with the end of a lease";
        EXPECT_EQ(owner_of("b"), got.owner_id());
    }
}

TEST_F(faster_multi_lock_test, lets_each_waiter_of_a_process_in_by_the_message_that_is_for_it) {
    client holder(quick(server.uri())); // with leases of 30 s
    client waiting(quick(server.uri()));
    auto const values_of = [&](client& whose, values const& which) {
        return any_lock(whose.get_faster_multi_lock(name, which));
    };
    auto first = values_of(holder, {"a"}).acquire();
    auto second = values_of(holder, {"b"}).acquire({.owner = owner()});
    auto for_first = in_thread([&] { return values_of(waiting, {"a"}).acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return waiting.stats().waiters == 1; }));
    auto for_second = in_thread([&] { return values_of(waiting, {"b", "c"}).acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return waiting.stats().waiters == 2; }));
    auto const start = test_clock::now();
    second.release();
    EXPECT_TRUE(for_second.get());
    EXPECT_LT(since(start), 1000ms);
    EXPECT_FALSE(is_ready(for_first));
    first.release();
    EXPECT_TRUE(for_first.get());
}

TEST_F(faster_multi_lock_test, lets_one_at_a_time_have_each_value_whatever_else_they_ask_for) {
    constexpr std::size_t many = 4;
    constexpr int rounds = 20;
    std::array<std::atomic<int>, many> inside{};
    std::atomic<bool> alone{true};
    std::atomic<int> done{0};
    auto const work = [&](client& from, unsigned seed) {
        for (int round = 0; round < rounds; ++round) {
            // 1 to 14: no two threads in step, and each value wanted with each other one, in either order
            auto const wanted = 1 + (seed * 7 + static_cast<unsigned>(round) * 5) % 14;
            values which;
            for (std::size_t i = 0; i < many; ++i)
                if ((wanted >> i & 1U) != 0)
                    which.insert(seed % 2 == 0 ? which.begin() : which.end(), std::to_string(i));
            auto const held = any_lock(from.get_faster_multi_lock(name, which)).acquire({.owner = owner()});
            for (auto const& one : which)
                if (++inside.at(std::stoul(one)) != 1) alone = false;
            std::this_thread::yield();
            for (auto const& one : which) --inside.at(std::stoul(one));
            ++done;
        }
    };
    {
        std::vector<std::jthread> all;
        for (unsigned i = 0; i < 3; ++i) {
            all.emplace_back([&, i] { work(user, 2 * i); });
            all.emplace_back([&, i] { work(other, 2 * i + 1); });
        }
    }
    EXPECT_TRUE(alone);
    EXPECT_EQ(done, 6 * rounds);
}

TEST_F(faster_multi_lock_test, comes_to_whoever_waits_beside_a_crowd_that_wants_other_values_too) {
    for (auto* from : {&user, &other}) {
        std::atomic<bool> enough{false};
        std::atomic<int> inside{0};
        std::vector<std::jthread> crowd;
        for (int i = 0; i < 3; ++i)
            crowd.emplace_back([&] {
                while (!enough) {
                    auto const held = mine({"a", "b"}).acquire({.owner = owner()});
                    ++inside;
                }
            });
        ASSERT_TRUE(wait_until([&] { return inside > 10; }));
        for (int round = 0; round < 3; ++round) {
            any_lock lock(from->get_faster_multi_lock(name, {"b", "c"}));
            EXPECT_TRUE(lock.try_acquire({.wait = 20s})) << (from == &user ? "of the same process" : "of another one");
        }
        enough = true;
    }
}

TEST_F(faster_multi_lock_test, tells_an_owner_that_it_would_wait_for_itself) {
    owner const me;
    auto held = mine({"a", "b"}).acquire({.owner = me});
    auto const refused = outcome_of([&] { auto const never = mine({"b", "c"}).acquire({.owner = me}); });
    EXPECT_EQ(refused.reason, errc::would_deadlock);
    EXPECT_NE(refused.message.find(held.owner_id()), std::string::npos) << refused.message;
    EXPECT_TRUE(mine({"c"}).try_acquire({.owner = me})) << "beside it is room";
    EXPECT_FALSE(mine({"b", "c"}).try_acquire({.owner = owner()})) << "another owner waits";
    held.release();
    EXPECT_TRUE(mine({"b", "c"}).try_acquire({.owner = me}));
}

TEST_F(faster_multi_lock_test, ends_with_its_own_lease_in_a_group_that_lives_on) {
    auto const others = theirs({"b"}).acquire();
    auto brief = theirs({"a"}).acquire({.lease = 200ms, .owner = owner()});
    EXPECT_LE(mine({"a"}).remaining_lease().value_or(0ms), 200ms);
    auto const got = mine({"a", "c"}).acquire({.wait = 5s});
    EXPECT_EQ(owner_of("a"), got.owner_id());
    EXPECT_EQ(owner_of("b"), others.owner_id());
    EXPECT_EQ(outcome_of([&] { brief.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(wait_until([&] { return other.stats().unresolved == 0; }));
    EXPECT_EQ(server.run("HLEN", name).integer, 9) << "nothing is left of it";
}

TEST_F(faster_multi_lock_test, is_lost_as_a_whole_when_one_value_is_ended_by_force_and_gives_the_rest_back) {
    auto held = mine({"a", "b"}).acquire();
    auto const told = held.lost();
    EXPECT_TRUE(theirs({"b", "c"}).force_unlock()) << "c is free";
    EXPECT_TRUE(theirs({"b"}).try_acquire());
    auto const rest = theirs({"a"}).acquire({.wait = 10s});
    EXPECT_TRUE(told.stop_requested() || wait_until([&] { return told.stop_requested(); }));
    EXPECT_EQ(outcome_of([&] { held.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(owner_of("a"), rest.owner_id());
}

TEST_F(faster_multi_lock_test, is_lost_at_its_release_when_another_owner_has_a_value_of_it) {
    auto held = mine({"a", "b"}).acquire({.lease = 60s}); // not asked about
    server.run("HSET", name, field("a"), "00000000-0000-4000-8000-000000000000:1");
    EXPECT_EQ(outcome_of([&] { held.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(owner_of("b"), "");
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    server.run("DEL", name);
}

TEST_F(faster_multi_lock_test, tells_of_its_own_values_and_list_of_the_group) {
    auto const held = theirs({"a", "b"}).acquire({.lease = 60s});
    auto const more = theirs({"c"}).acquire({.lease = 20s, .owner = owner()});
    EXPECT_TRUE(mine({"b", "d"}).is_locked());
    EXPECT_FALSE(mine({"d"}).is_locked());
    EXPECT_EQ(mine({"d"}).remaining_lease(), std::nullopt);
    EXPECT_FALSE(mine({"d"}).inspect().held);
    auto const seen = mine({"c", "d"}).inspect();
    EXPECT_TRUE(seen.held);
    EXPECT_EQ(seen.type, "faster_multi");
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_EQ(seen.owners[0].owner, more.owner_id());
    EXPECT_EQ(seen.owners[0].count, 1);
    EXPECT_LE(seen.remaining_lease.value_or(0ms), 20s);
    EXPECT_GT(seen.remaining_lease.value_or(0ms), 0s);
    auto const all = user.list_locks(name);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].type, "faster_multi");
    EXPECT_EQ(all[0].owners.size(), 2U);
    EXPECT_GT(all[0].remaining_lease.value_or(0ms), 40s);
}

TEST_F(faster_multi_lock_test, shows_nobody_whose_lease_is_over) {
    hold_group_as_stranger(server, name, 50ms);
    server.run("PEXPIRE", name, "60000");
    auto lock = mine(values_of_group);
    EXPECT_TRUE(wait_until([&] { return !lock.is_locked(); }));
    EXPECT_EQ(lock.remaining_lease(), std::nullopt);
    EXPECT_FALSE(lock.inspect().held);
    EXPECT_TRUE(user.list_locks(name).empty());
    EXPECT_FALSE(lock.force_unlock());
    EXPECT_TRUE(lock.try_acquire());
}

TEST_F(faster_multi_lock_test, takes_ten_thousand_values_and_refuses_none_and_more) {
    values many;
    for (int i = 0; i < 10'000; ++i) many.push_back(std::to_string(i));
    {
        auto const held = mine(many).acquire();
        EXPECT_FALSE(theirs({"9999"}).try_acquire());
        EXPECT_TRUE(wait_until([&] { return user.stats().renewals > 0; }));
        EXPECT_TRUE(held);
    }
    many.push_back("one more");
    for (auto const& wrong : {values(), many}) {
        auto const refused = outcome_of([&] { mine(wrong); });
        EXPECT_EQ(refused.reason, errc::invalid_argument);
        EXPECT_NE(refused.message.find(name), std::string::npos) << refused.message;
        EXPECT_NE(refused.message.find(std::to_string(wrong.size())), std::string::npos) << refused.message;
    }
    EXPECT_EQ(outcome_of([&] { user.get_faster_multi_lock("", {"a"}); }).reason, errc::bad_name);
}

} // namespace
} // namespace redlatch::test
