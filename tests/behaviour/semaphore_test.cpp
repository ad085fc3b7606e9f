// What a semaphore promises.
#include "integration/fixture.hpp"

#include <atomic>
#include <future>
#include <limits>
#include <stop_token>
#include <thread>

namespace redlatch::test {
namespace {

/// What is set by hand, or left, on the server.
class semaphore_test : public with_server, public ::testing::WithParamInterface<bool> {
protected:
    static config settings(std::string address) { return quick(std::move(address)); }
    counter_options how() const { return {.exactly_once = GetParam()}; }
    bool once() const { return GetParam(); }

    client user{settings(server.uri())};
    client other{settings(server.uri())};
    semaphore mine = user.get_semaphore(name, how());
    semaphore theirs = other.get_semaphore(name, how());

    std::string value() const { return server.run("GET", name).text; }
    std::string channel() const { return "redisson_sc:{" + name + "}"; }
    /// Records of requests, which end by themselves.
    std::vector<std::string> records() const {
        std::vector<std::string> out;
        for (auto const& key : server.run("KEYS", "redlatch_request:*").items) out.push_back(key.text);
        return out;
    }
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        for (auto const& key : records()) {
            auto const left = server.run("PTTL", key).integer;
            EXPECT_GT(left, 0) << key;
            EXPECT_LE(left, 60'000) << key;
        }
        EXPECT_TRUE(once() || records().empty());
    }
};

INSTANTIATE_TEST_SUITE_P(of, semaphore_test, ::testing::Bool(),
                         [](auto const& about) { return about.param ? "exactly_once" : "sent_once"; });

// --- acquire and release

TEST_P(semaphore_test, has_no_permits_until_it_is_set) {
    EXPECT_EQ(mine.available_permits(), 0);
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_TRUE(mine.try_set_permits(3));
    EXPECT_FALSE(theirs.try_set_permits(5)) << "it is set";
    EXPECT_EQ(theirs.available_permits(), 3);
}

TEST_P(semaphore_test, takes_permits_all_or_none_and_gives_them_back) {
    mine.try_set_permits(3);
    mine.acquire({.permits = 2});
    EXPECT_EQ(value(), "1");
    EXPECT_FALSE(theirs.try_acquire({.permits = 2}));
    EXPECT_TRUE(theirs.try_acquire());
    EXPECT_EQ(value(), "0");
    mine.release(2);
    theirs.release();
    EXPECT_EQ(mine.available_permits(), 3);
}

TEST_P(semaphore_test, is_set_by_a_release_unless_it_has_to_be_set) {
    EXPECT_FALSE(mine.release_if_exists(2));
    EXPECT_FALSE(exists(name));
    mine.release(2);
    EXPECT_EQ(value(), "2");
    EXPECT_TRUE(mine.release_if_exists());
    EXPECT_EQ(value(), "3");
    EXPECT_TRUE(theirs.try_acquire({.permits = 3}));
}

TEST_P(semaphore_test, can_be_drained_changed_and_removed) {
    mine.try_set_permits(5);
    EXPECT_EQ(mine.drain_permits(), 5);
    EXPECT_EQ(mine.drain_permits(), 0);
    mine.add_permits(4);
    mine.add_permits(-6);
    EXPECT_EQ(mine.available_permits(), -2);
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_EQ(mine.drain_permits(), -2);
    EXPECT_EQ(mine.available_permits(), 0);
    EXPECT_TRUE(mine.remove());
    EXPECT_FALSE(mine.remove());
    EXPECT_FALSE(exists(name));
}

TEST_P(semaphore_test, has_as_many_permits_as_an_int_can_count) {
    constexpr int all = std::numeric_limits<int>::max();
    EXPECT_TRUE(mine.try_set_permits(all));
    EXPECT_TRUE(theirs.try_acquire({.permits = all}));
    EXPECT_FALSE(mine.try_acquire());
    theirs.release(all);
    EXPECT_EQ(mine.available_permits(), all);
    mine.release();
    EXPECT_EQ(mine.available_permits(), std::int64_t{all} + 1);
}

TEST_P(semaphore_test, keeps_its_expiry_whatever_is_done_to_it) {
    EXPECT_TRUE(mine.try_set_permits(5, 100s));
    mine.acquire();
    mine.release();
    mine.add_permits(1);
    mine.drain_permits();
    auto const left = server.run("PTTL", name).integer;
    EXPECT_GT(left, 90'000);
    EXPECT_LE(left, 100'000);
}

TEST_P(semaphore_test, takes_an_expiry_that_no_clock_can_count_for_none) {
    EXPECT_TRUE(mine.try_set_permits(5, duration::max()));
    EXPECT_EQ(server.run("PTTL", name).integer, -1);
    EXPECT_TRUE(mine.remove());
    EXPECT_TRUE(mine.try_set_permits(5, std::chrono::hours(24 * 365)));
    EXPECT_GT(server.run("PTTL", name).integer, 1'000'000);
}

// --- waiting

TEST_P(semaphore_test, wakes_a_waiter_of_another_process_when_there_are_enough) {
    mine.try_set_permits(0);
    auto const began = test_clock::now();
    auto waiting = in_thread([&] { theirs.acquire({.permits = 2, .wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    mine.release();
    EXPECT_FALSE(is_ready(waiting));
    mine.release();
    waiting.get();
    EXPECT_LT(since(began), 10s) << "it was woken, and did not come back by itself";
    EXPECT_EQ(value(), "0");
}

TEST_P(semaphore_test, wakes_a_waiter_when_permits_are_added_and_not_while_there_are_too_few) {
    mine.try_set_permits(1);
    auto const began = test_clock::now();
    auto waiting = in_thread([&] { theirs.acquire({.permits = 2, .wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    mine.acquire();
    mine.release();
    EXPECT_FALSE(is_ready(waiting));
    mine.add_permits(1);
    waiting.get();
    EXPECT_LT(since(began), 10s) << "it was woken, and did not come back by itself";
    EXPECT_EQ(value(), "0");
}

TEST_P(semaphore_test, wakes_a_waiter_when_it_is_set) {
    auto waiting = in_thread([&] { theirs.acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    mine.try_set_permits(1);
    waiting.get();
    EXPECT_EQ(value(), "0");
}

TEST_P(semaphore_test, serves_the_waiters_of_a_process_in_their_order) {
    mine.try_set_permits(0);
    std::atomic<int> served{0};
    std::vector<std::future<int>> waiting;
    std::uint64_t before = other.stats().waiters;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(in_thread([&, i] {
            theirs.acquire({.permits = i == 0 ? 2 : 1, .wait = 20s});
            return ++served;
        }));
        ++before;
        ASSERT_TRUE(wait_until([&] { return other.stats().waiters == before; }));
        ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    }
    mine.release(); // enough for the second, but the first one wants two
    mine.release();
    EXPECT_EQ(waiting[0].get(), 1);
    mine.release(2);
    EXPECT_EQ(waiting[1].get() + waiting[2].get(), 5);
    EXPECT_EQ(value(), "0");
}

TEST_P(semaphore_test, ends_a_wait_at_its_deadline_and_takes_nothing) {
    mine.try_set_permits(1);
    auto const began = test_clock::now();
    EXPECT_EQ(outcome_of([&] { mine.acquire({.permits = 2, .wait = 1s}); }).reason, errc::timed_out);
    EXPECT_GE(since(began), 1s);
    std::error_code ec;
    EXPECT_FALSE(mine.try_acquire({.permits = 2, .wait = 100ms}, ec));
    EXPECT_TRUE(in_vain(ec)) << ec.message();
    EXPECT_EQ(outcome_of([&] { mine.acquire({.permits = 2, .wait = 0s}); }).reason, errc::busy);
    EXPECT_EQ(value(), "1");
}

TEST_P(semaphore_test, ends_a_wait_that_is_cancelled) {
    std::stop_source stop;
    auto waiting = in_thread([&] { return outcome_of([&] { mine.acquire({.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().reason, errc::cancelled);
}

TEST_P(semaphore_test, ends_every_wait_when_its_client_closes) {
    auto first = in_thread([&] { return outcome_of([&] { mine.acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    auto behind = in_thread([&] { return outcome_of([&] { mine.acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2; }));
    user.close();
    EXPECT_EQ(first.get().reason, errc::closed);
    EXPECT_EQ(behind.get().reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::closed);
}

TEST_P(semaphore_test, lets_nobody_in_beyond_its_permits_and_loses_none) {
    constexpr int permits = 3;
    mine.try_set_permits(permits);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::vector<std::future<void>> crowd;
    for (int i = 0; i < 12; ++i)
        crowd.push_back(in_thread([&, i] {
            auto& which = i % 2 == 0 ? mine : theirs;
            for (int round = 0; round < 20; ++round) {
                int const wanted = 1 + (i + round) % permits;
                which.acquire({.permits = wanted, .wait = 20s});
                auto const now = inside += wanted;
                for (auto seen = most.load(); now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                inside -= wanted;
                which.release(wanted);
            }
        }));
    for (auto& one : crowd) one.get();
    EXPECT_LE(most, permits);
    EXPECT_EQ(value(), std::to_string(permits));
}

/// Clients that close in the midst of everything: what they were told they have is what is missing on the server.
TEST_P(semaphore_test, keeps_no_permits_of_a_client_that_closes) {
    constexpr int in_all = 1000;
    constexpr int rounds = 20;
    constexpr int waiting = 100;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        server.run("SET", name, std::to_string(in_all));
        client brief(settings(server.uri()));
        auto permits = brief.get_semaphore(name, how());
        std::atomic<int> told{0};
        std::atomic<int> got{0};
        for (int i = 0; i < waiting; ++i)
            permits.async_acquire({}, {}, [&](std::error_code ec) {
                got += !ec;
                ++told;
            });
        ASSERT_TRUE(wait_until([&] { return told >= round; })); // at another moment each time
        brief.close();
        ASSERT_TRUE(wait_until([&] { return told == waiting; }));
        EXPECT_EQ(value(), std::to_string(in_all - got));
    }
}

// --- handlers

TEST_P(semaphore_test, does_all_of_it_with_handlers) {
    std::promise<bool> set;
    mine.async_try_set_permits(2, std::nullopt, {}, [&](std::error_code ec, bool done) { set.set_value(!ec && done); });
    EXPECT_TRUE(set.get_future().get());
    std::promise<std::error_code> taken;
    mine.async_acquire({.permits = 2}, {}, [&](std::error_code ec) { taken.set_value(ec); });
    EXPECT_EQ(taken.get_future().get(), std::error_code());
    std::promise<std::pair<std::error_code, bool>> refused;
    mine.async_try_acquire({}, {}, [&](std::error_code ec, bool got) { refused.set_value({ec, got}); });
    EXPECT_EQ(refused.get_future().get(), (std::pair{std::error_code(), false})) << "no is an answer";
    std::promise<std::error_code> waited;
    theirs.async_acquire({.wait = 20s}, {}, [&](std::error_code ec) { waited.set_value(ec); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    std::promise<std::error_code> released;
    mine.async_release(2, {}, [&](std::error_code ec) { released.set_value(ec); });
    EXPECT_EQ(released.get_future().get(), std::error_code());
    EXPECT_EQ(waited.get_future().get(), std::error_code());
    std::promise<std::int64_t> left;
    mine.async_available_permits({}, [&](std::error_code, std::int64_t permits) { left.set_value(permits); });
    EXPECT_EQ(left.get_future().get(), 1);
    std::promise<std::error_code> added;
    mine.async_add_permits(3, {}, [&](std::error_code ec) { added.set_value(ec); });
    EXPECT_EQ(added.get_future().get(), std::error_code());
    std::promise<std::int64_t> drained;
    mine.async_drain_permits({}, [&](std::error_code, std::int64_t permits) { drained.set_value(permits); });
    EXPECT_EQ(drained.get_future().get(), 4);
    std::promise<bool> more;
    mine.async_release_if_exists(1, {}, [&](std::error_code, bool done) { more.set_value(done); });
    EXPECT_TRUE(more.get_future().get());
    std::promise<bool> removed;
    mine.async_remove({}, [&](std::error_code, bool done) { removed.set_value(done); });
    EXPECT_TRUE(removed.get_future().get());
}

// --- bad input

TEST_P(semaphore_test, says_what_is_wrong_and_changes_nothing) {
    mine.try_set_permits(1);
    for (int const permits : {0, -1}) {
        auto const said = outcome_of([&] { mine.acquire({.permits = permits}); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        EXPECT_NE(said.message.find("permits must be 1 or more, not " + std::to_string(permits)), std::string::npos)
            << said.message;
        EXPECT_EQ(outcome_of([&] { mine.release(permits); }).reason, errc::invalid_argument);
        EXPECT_EQ(outcome_of([&] { mine.release_if_exists(permits); }).reason, errc::invalid_argument);
    }
    EXPECT_EQ(outcome_of([&] { mine.acquire({.wait = -1s}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.try_set_permits(-1); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.try_set_permits(1, 0s); }).reason, errc::invalid_argument);
    std::promise<std::error_code> refused;
    mine.async_release(0, {}, [&](std::error_code ec) { refused.set_value(ec); });
    EXPECT_EQ(refused.get_future().get(), errc::invalid_argument) << "told, not thrown";
    EXPECT_EQ(outcome_of([&] { user.get_semaphore(""); }).reason, errc::bad_name);
    EXPECT_EQ(value(), "1");
    auto moved = std::move(mine);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::invalid_argument); // NOLINT(bugprone-use-after-move)
    std::error_code ec;
    EXPECT_FALSE(mine.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::invalid_argument);
    EXPECT_EQ(moved.available_permits(), 1);
}

TEST_P(semaphore_test, refuses_a_name_that_something_else_has) {
    server.run("HSET", name, "me:1", "1");
    for (auto const& said : {outcome_of([&] { mine.acquire({.wait = 20s}); }), outcome_of([&] { mine.release(); }),
                             outcome_of([&] { mine.available_permits(); }), outcome_of([&] { mine.drain_permits(); }),
                             outcome_of([&] { mine.remove(); })}) {
        EXPECT_EQ(said.reason, errc::wrong_type);
        EXPECT_NE(said.message.find("is not a semaphore"), std::string::npos) << said.message;
    }
    EXPECT_FALSE(mine.try_set_permits(1)) << "it is there";
}

TEST_P(semaphore_test, does_not_take_a_text_for_a_number) {
    server.run("SET", name, "many");
    EXPECT_EQ(outcome_of([&] { mine.acquire(); }).reason, errc::wrong_type);
    EXPECT_EQ(outcome_of([&] { mine.available_permits(); }).reason, errc::wrong_type);
    EXPECT_EQ(value(), "many");
}

} // namespace
} // namespace redlatch::test
