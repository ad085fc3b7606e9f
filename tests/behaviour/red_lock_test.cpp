// What a red lock promises: the majority of independent servers.
#include "integration/fixture.hpp"

#include <array>
#include <atomic>
#include <future>
#include <stop_token>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

class red_lock_test : public ::testing::Test {
protected:
    static constexpr std::size_t size = 3;
    std::array<redis_server, size> servers;
    std::array<byte_proxy, size> ways{byte_proxy(servers[0].address()), byte_proxy(servers[1].address()),
                                      byte_proxy(servers[2].address())};
    std::string const name = unique_name();
    std::vector<client> mine = clients();
    std::vector<client> theirs = clients();

    std::vector<client> clients(void (*adapt)(config&) = [](config&) {}) {
        std::vector<client> out;
        for (auto& way : ways) {
            auto settings = quick(way.uri());
            settings.lock_watchdog_timeout = 1500ms; // a loss is noticed at the next renewal
            adapt(settings);
            out.emplace_back(settings);
        }
        return out;
    }
    red_lock over(std::vector<client>& of) {
        std::vector<basic_lock> members;
        for (auto& one : of) members.push_back(one.get_lock(name));
        return red_lock(members);
    }
    std::size_t keys() const {
        std::size_t out = 0;
        for (auto const& server : servers) out += server.run("EXISTS", name).integer == 1 ? 1U : 0U;
        return out;
    }
    void take_away(std::size_t which) {
        ways[which].refuse_connections(true);
        ways[which].cut_all();
    }
    void bring_back(std::size_t which) { ways[which].refuse_connections(false); }
    /// Where calls fail fast: it knows that its server is away.
    static bool knows_of_outage(client& who) {
        return wait_until([&] { return outcome_of([&] { who.ping(); }).reason == errc::disconnected; });
    }
    static void fail_fast(config& settings) { settings.fail_fast = true; }
    void TearDown() override {
        for (std::size_t i = 0; i < size; ++i) bring_back(i);
        for (auto const& one : mine) expect_idle(one);
        for (auto const& one : theirs) expect_idle(one);
        EXPECT_TRUE(wait_until([this] { return keys() == 0; }));
    }
};

TEST_F(red_lock_test, is_held_by_the_majority_and_joined_by_the_rest) {
    auto held = over(mine).acquire();
    EXPECT_TRUE(held);
    EXPECT_EQ(over(mine).needed(), 2U);
    EXPECT_TRUE(wait_until([&] { return held.members().size() == size; })) << "who answers late joins";
    EXPECT_FALSE(over(theirs).try_acquire());
    held.release();
    EXPECT_EQ(keys(), 0U);
    EXPECT_TRUE(over(theirs).try_acquire());
}

TEST_F(red_lock_test, a_minority_may_be_away) {
    take_away(1);
    auto held = over(mine).acquire({.wait = 20s});
    EXPECT_TRUE(held);
    EXPECT_EQ(held.members().size(), 2U);
    EXPECT_TRUE(still_busy(over(theirs), {.wait = 300ms}));
    held.release();
    EXPECT_TRUE(over(theirs).try_acquire({.wait = 20s}));
}

TEST_F(red_lock_test, a_minority_that_has_forgotten_it_is_no_loss) {
    auto held = over(mine).acquire();
    ASSERT_TRUE(wait_until([&] { return held.members().size() == size; }));
    servers[1].run("DEL", name);
    EXPECT_TRUE(held);
    auto const ended = outcome_of([&] { held.release(); });
    EXPECT_EQ(ended.reason, errc{}) << ended.message;
    EXPECT_EQ(keys(), 0U);
}

TEST_F(red_lock_test, a_majority_that_has_forgotten_it_is_a_loss) {
    auto held = over(mine).acquire();
    ASSERT_TRUE(wait_until([&] { return held.members().size() == size; }));
    for (auto const which : {0U, 1U}) servers[which].run("DEL", name);
    EXPECT_EQ(outcome_of([&] { held.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(keys(), 0U);
}

TEST_F(red_lock_test, a_minority_that_is_away_is_not_waited_for) {
    take_away(1);
    auto all = over(mine);
    // Members are asked for 100 ms at least; on a busy machine the others may take as long.
    EXPECT_TRUE(wait_until([&] {
        auto const start = test_clock::now();
        auto held = all.acquire({.wait = 20s});
        auto const took = since(start);
        held.release();
        return took < 90ms;
    }));
}

TEST_F(red_lock_test, names_the_member_that_another_holds_not_one_that_is_away) {
    auto const held = name + "-held";
    red_lock all({mine[0].get_lock(name + "-away"), mine[1].get_lock(name), mine[2].get_lock(held)});
    auto const other = theirs[2].get_lock(held).acquire();
    take_away(0);
    auto const problem = outcome_of([&] { static_cast<void>(all.acquire({.wait = 0ms})); });
    EXPECT_EQ(problem.reason, errc::busy) << problem;
    EXPECT_NE(problem.message.find(held + " is held by another"), std::string::npos) << problem;
}

TEST_F(red_lock_test, without_a_majority_nothing_is_kept) {
    take_away(0);
    take_away(2);
    auto const start = test_clock::now();
    auto const problem = outcome_of([&] { static_cast<void>(over(mine).acquire({.wait = 300ms})); });
    EXPECT_NE(problem.reason, errc{});
    EXPECT_LT(since(start), 3s);
    EXPECT_TRUE(wait_until([this] { return keys() == 0; }));
}

TEST_F(red_lock_test, where_calls_fail_fast_a_majority_that_is_away_ends_the_wait) {
    auto hasty = clients(fail_fast);
    take_away(0);
    take_away(2);
    ASSERT_TRUE(knows_of_outage(hasty[0]) && knows_of_outage(hasty[2]));
    ways[1].forget_commands();
    auto const start = test_clock::now();
    auto const problem = outcome_of([&] { static_cast<void>(over(hasty).acquire({.wait = 3s})); });
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    EXPECT_LT(since(start), 1s);
    EXPECT_LT(ways[1].commands().size(), 50U);
    EXPECT_TRUE(wait_until([this] { return keys() == 0; }));
}

TEST_F(red_lock_test, where_calls_fail_fast_a_minority_may_be_away) {
    auto hasty = clients(fail_fast);
    take_away(1);
    ASSERT_TRUE(knows_of_outage(hasty[1]));
    auto theirs_now = over(theirs).acquire({.wait = 20s});
    auto waiting = in_thread([&] { return outcome_of([&] { over(hasty).acquire({.wait = 30s}).release(); }); });
    EXPECT_TRUE(stays([&] { return !is_ready(waiting); }, 500ms));
    theirs_now.release();
    auto const end = waiting.get();
    EXPECT_EQ(end.reason, errc{}) << end;
}

/// Of which there is no quarter to wait for.
TEST_F(red_lock_test, a_wait_with_a_lease_of_milliseconds_does_not_hammer_the_servers) {
    for (auto const& server : servers) hold_as_stranger(server, name, 60s);
    auto all = over(mine);
    for (auto& way : ways) way.forget_commands();
    EXPECT_FALSE(all.try_acquire({.wait = 1s, .lease = 2ms}));
    EXPECT_LT(ways[0].commands().size(), 100U);
    for (auto const& server : servers) release_as_stranger(server, name);
}

class red_lock_outage_test : public red_lock_test {
protected:
    std::stop_source stop;

    std::future<outcome> wait_for_ever(std::vector<client>& by) {
        return in_thread(
            [this, &by] { return outcome_of([&] { over(by).acquire({.stop = stop.get_token()}).release(); }); });
    }
    outcome end_of(std::future<outcome>& waiting) {
        EXPECT_TRUE(wait_until([&] { return is_ready(waiting); })) << "waits for ever";
        stop.request_stop();
        return waiting.get();
    }
};

TEST_F(red_lock_outage_test, ends_a_wait_without_a_deadline_where_it_lasts) {
    auto brief = clients([](config& settings) { settings.outage_limit = 300ms; });
    take_away(0);
    take_away(2);
    auto const start = test_clock::now();
    auto waiting = wait_for_ever(brief);
    auto const end = end_of(waiting);
    EXPECT_EQ(end.reason, errc::disconnected) << end;
    EXPECT_GE(since(start), 295ms);
    EXPECT_TRUE(wait_until([this] { return keys() == 0; }));
}

/// Nobody has said that the server is away: it does not answer.
TEST_F(red_lock_outage_test, of_servers_that_hang_is_one_too) {
    auto brief = clients([](config& settings) { settings.outage_limit = 300ms; });
    servers[0].pause();
    servers[2].pause();
    auto waiting = wait_for_ever(brief);
    auto const end = end_of(waiting);
    servers[0].resume();
    servers[2].resume();
    EXPECT_EQ(end.reason, errc::disconnected) << end;
    for (auto const& one : brief) expect_idle(one);
}

TEST_F(red_lock_outage_test, of_a_minority_ends_no_wait) {
    auto brief = clients([](config& settings) { settings.outage_limit = 2s; });
    take_away(0);
    for (auto const& server : servers) hold_as_stranger(server, name, 60s);
    auto waiting = wait_for_ever(brief);
    EXPECT_TRUE(stays([&] { return !is_ready(waiting); }, 3s));
    for (auto const& server : servers) release_as_stranger(server, name);
    auto const end = end_of(waiting);
    EXPECT_EQ(end.reason, errc{}) << end;
}

TEST_F(red_lock_outage_test, that_ends_in_time_ends_no_wait_nor_do_two_of_them) {
    auto enduring = clients([](config& settings) { settings.outage_limit = 5s; });
    for (auto const& server : servers) hold_as_stranger(server, name, 60s);
    auto waiting = wait_for_ever(enduring);
    for (int i = 0; i < 2; ++i) {
        take_away(0);
        take_away(2);
        EXPECT_TRUE(stays([&] { return !is_ready(waiting); }, 2600ms)); // two of these are longer than the limit
        bring_back(0);
        bring_back(2);
        for (auto& one : enduring)
            EXPECT_TRUE(wait_until([&] { return outcome_of([&] { one.ping(); }).reason == errc{}; }));
    }
    for (auto const& server : servers) release_as_stranger(server, name);
    auto const end = end_of(waiting);
    EXPECT_EQ(end.reason, errc{}) << end;
}

TEST_F(red_lock_outage_test, of_servers_that_execute_no_writes_ends_no_wait_that_has_time) {
    auto usual = clients([](config& settings) { settings.retry_delay = 1s; }); // pauses are longer than a round
    auto const refuse = [&](char const* replicas) {
        for (std::size_t const which : {0U, 2U}) servers[which].run("CONFIG", "SET", "min-replicas-to-write", replicas);
    };
    refuse("1"); // NOREPLICAS
    auto waiting = in_thread([&] { return outcome_of([&] { over(usual).acquire({.wait = 60s}).release(); }); });
    EXPECT_TRUE(stays([&] { return !is_ready(waiting); }, 8s));
    refuse("0");
    auto const end = waiting.get();
    EXPECT_EQ(end.reason, errc{}) << end;
}

TEST_F(red_lock_test, a_minority_may_forget) {
    auto held = over(mine).acquire();
    auto const lost = held.lost();
    ASSERT_TRUE(wait_until([&] { return held.members().size() == size; }));
    servers[0].run("FLUSHALL");
    EXPECT_TRUE(wait_until([&] { return held.members().size() == 2; })) << "the watchdog has noticed";
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_FALSE(lost.stop_requested());
    EXPECT_FALSE(over(theirs).try_acquire());
    servers[1].run("FLUSHALL");
    EXPECT_TRUE(wait_until([&] { return lost.stop_requested(); })) << "one is no majority";
    EXPECT_EQ(held.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { held.ensure_held(); }).reason, errc::lease_lost);
}

TEST_F(red_lock_test, is_valid_for_as_long_as_the_majority_is) {
    auto held = over(mine).acquire({.lease = 10s});
    auto const until = held.valid_until();
    EXPECT_LE(until, lease_clock::now() + 10s);
    EXPECT_GT(until, lease_clock::now() + 5s);
}

/// Whoever has one each waits only for a moment, gives back, and one of them gets through.
TEST_F(red_lock_test, split_votes_end_and_nobody_is_inside_together) {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    auto const work = [&](std::vector<client>& by) {
        for (int i = 0; i < 10; ++i) {
            auto const held = over(by).acquire({.wait = 60s});
            most = std::max(most.load(), ++inside);
            --inside;
        }
    };
    {
        std::jthread const a([&] { work(mine); });
        std::jthread const b([&] { work(theirs); });
        std::jthread const c([&] { work(theirs); });
    }
    EXPECT_EQ(most, 1);
}

TEST_F(red_lock_test, a_late_member_does_not_outlive_its_hold) {
    auto const late = ways[2].hold_tail(an_acquisition(), 10);
    auto held = over(mine).acquire();
    ASSERT_TRUE(late.wait());
    EXPECT_EQ(held.members().size(), 2U);
    held.release();
    late.deliver();
    EXPECT_TRUE(wait_until([&] { return servers[2].run("EXISTS", name).integer == 0; }));
}

/// Lost is final: who was told of it has stopped.
TEST_F(red_lock_test, a_late_member_does_not_bring_back_what_is_lost) {
    auto const late = ways[2].hold_reply(an_acquisition());
    auto held = over(mine).acquire({.wait = 30s});
    auto const lost = held.lost();
    ASSERT_TRUE(late.wait());
    mine[0].close();
    ASSERT_TRUE(wait_until([&] { return lost.stop_requested(); }));
    late.deliver();
    EXPECT_TRUE(wait_until([&] { return servers[2].run("EXISTS", name).integer == 0; }));
    EXPECT_EQ(held.status(), hold_status::lost);
    mine[0] = client(quick(ways[0].uri())); // is asked whether it is idle
}

TEST_F(red_lock_test, is_forced_open_where_servers_can_be_reached) {
    auto const held = over(mine).acquire({.owner = owner()});
    EXPECT_TRUE(wait_until([&] { return keys() == size; }));
    take_away(1);
    auto const how = outcome_of([&] { over(theirs).force_unlock(); });
    EXPECT_EQ(how.reason, errc::disconnected) << "of one member nothing is known";
    for (std::size_t const there : {0U, 2U}) EXPECT_EQ(servers[there].run("EXISTS", name).integer, 0) << there;
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; })) << "the majority is gone";
    bring_back(1);
    EXPECT_TRUE(wait_until([&] { return outcome_of([&] { over(theirs).force_unlock(); }).reason == errc{}; }));
    EXPECT_EQ(keys(), 0U);
}

TEST_F(red_lock_test, refuses_two_members_of_one_client) {
    auto const problem = outcome_of([&] {
        red_lock const twice({mine[0].get_lock(name), mine[0].get_lock(name + "-2"), mine[1].get_lock(name)});
    });
    EXPECT_EQ(problem.reason, errc::invalid_argument);
    EXPECT_NE(problem.message.find("one client"), std::string::npos) << problem.message;
}

} // namespace
} // namespace redlatch::test
