// What a count-down latch promises.
#include "integration/fixture.hpp"

#include <atomic>
#include <future>
#include <stop_token>
#include <vector>

namespace redlatch::test {
namespace {

class count_down_latch_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    count_down_latch mine = user.get_count_down_latch(name);
    count_down_latch theirs = other.get_count_down_latch(name);

    std::string channel() const { return "redisson_countdownlatch__channel__{" + name + "}"; }
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
    }
};

TEST_F(count_down_latch_test, is_set_once_and_counted_down_by_all) {
    EXPECT_TRUE(mine.try_set_count(2));
    EXPECT_FALSE(theirs.try_set_count(7)) << "it is set";
    EXPECT_EQ(theirs.count(), 2);
    EXPECT_FALSE(mine.try_wait());
    EXPECT_TRUE(theirs.count_down());
    EXPECT_EQ(mine.count(), 1);
    EXPECT_TRUE(mine.count_down());
    EXPECT_TRUE(theirs.try_wait());
    EXPECT_FALSE(exists(name)) << "an open latch leaves nothing";
    EXPECT_TRUE(theirs.try_set_count(1)) << "and can be set again";
    EXPECT_TRUE(theirs.count_down());
}

TEST_F(count_down_latch_test, says_that_there_is_nothing_to_count_down) {
    EXPECT_EQ(mine.count(), 0);
    EXPECT_FALSE(mine.count_down());
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(mine.remove());
}

TEST_F(count_down_latch_test, lets_nobody_go_on_before_the_last_of_many_has_counted_down) {
    constexpr int many = 16;
    mine.try_set_count(many);
    std::atomic<int> counted{0};
    std::vector<std::future<void>> all;
    for (int i = 0; i < many; ++i) {
        auto& which = i % 2 == 0 ? mine : theirs;
        all.push_back(in_thread([&] {
            which.wait({.wait = 20s});
            EXPECT_EQ(counted, many);
            EXPECT_EQ(which.count(), 0);
        }));
        all.push_back(in_thread([&] {
            ++counted;
            EXPECT_TRUE(which.count_down());
        }));
    }
    for (auto& one : all) one.get();
}

TEST_F(count_down_latch_test, lets_all_waiters_of_all_processes_go_on_when_it_opens) {
    mine.try_set_count(2);
    auto const began = test_clock::now();
    std::vector<std::future<void>> waiting;
    for (int i = 0; i < 6; ++i)
        waiting.push_back(in_thread([&, i] { (i % 2 == 0 ? mine : theirs).wait({.wait = 20s}); }));
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 3 && other.stats().waiters == 3; }));
    ASSERT_TRUE(wait_until([&] { return user.stats().subscriptions == 1 && other.stats().subscriptions == 1; }));
    mine.count_down();
    for (auto const& one : waiting) EXPECT_FALSE(is_ready(one));
    theirs.count_down();
    for (auto& one : waiting) one.get();
    EXPECT_LT(since(began), 10s);
}

TEST_F(count_down_latch_test, lets_waiters_go_on_when_it_is_removed) {
    mine.try_set_count(2);
    auto waiting = in_thread([&] { theirs.wait({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    auto const began = test_clock::now();
    EXPECT_TRUE(mine.remove());
    waiting.get();
    EXPECT_LT(since(began), 10s);
}

TEST_F(count_down_latch_test, does_not_make_anybody_wait_who_comes_too_late_or_before_it_is_set) {
    mine.wait();
    mine.wait({.wait = 0s});
    mine.try_set_count(1);
    mine.count_down();
    theirs.wait();
}

TEST_F(count_down_latch_test, ends_a_wait_at_its_deadline_and_by_a_stop_token) {
    mine.try_set_count(1);
    auto const began = test_clock::now();
    EXPECT_EQ(outcome_of([&] { mine.wait({.wait = 1s}); }).reason, errc::timed_out);
    EXPECT_GE(since(began), 1s);
    EXPECT_EQ(outcome_of([&] { mine.wait({.wait = 0s}); }).reason, errc::busy);
    std::stop_source stop;
    auto waiting = in_thread([&] { return outcome_of([&] { mine.wait({.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().reason, errc::cancelled);
    auto last = in_thread([&] { return outcome_of([&] { mine.wait(); }); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    user.close();
    EXPECT_EQ(last.get().reason, errc::closed);
    EXPECT_EQ(theirs.count(), 1);
}

TEST_F(count_down_latch_test, does_all_of_it_with_handlers) {
    std::promise<bool> set;
    mine.async_try_set_count(1, {}, [&](std::error_code ec, bool done) { set.set_value(!ec && done); });
    EXPECT_TRUE(set.get_future().get());
    std::promise<std::error_code> waited;
    theirs.async_wait({.wait = 20s}, {}, [&](std::error_code ec) { waited.set_value(ec); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    std::promise<std::int64_t> count;
    mine.async_count({}, [&](std::error_code, std::int64_t left) { count.set_value(left); });
    EXPECT_EQ(count.get_future().get(), 1);
    std::promise<bool> counted;
    mine.async_count_down({}, [&](std::error_code, bool done) { counted.set_value(done); });
    EXPECT_TRUE(counted.get_future().get());
    EXPECT_EQ(waited.get_future().get(), std::error_code());
    std::promise<bool> removed;
    mine.async_remove({}, [&](std::error_code, bool done) { removed.set_value(done); });
    EXPECT_FALSE(removed.get_future().get());
}

TEST_F(count_down_latch_test, says_what_is_wrong_and_changes_nothing) {
    for (int const count : {0, -1}) {
        auto const said = outcome_of([&] { mine.try_set_count(count); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        EXPECT_NE(said.message.find("count must be 1 or more"), std::string::npos) << said.message;
    }
    EXPECT_EQ(outcome_of([&] { mine.wait({.wait = -1s}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { user.get_count_down_latch(std::string(70'000, 'x')); }).reason, errc::bad_name);
    server.run("HSET", name, "me:1", "1");
    for (auto const& said : {outcome_of([&] { mine.wait(); }), outcome_of([&] { mine.count_down(); }),
                             outcome_of([&] { mine.count(); }), outcome_of([&] { mine.remove(); })}) {
        EXPECT_EQ(said.reason, errc::wrong_type);
        EXPECT_NE(said.message.find("is not a count-down latch"), std::string::npos) << said.message;
    }
    EXPECT_FALSE(mine.try_set_count(1)) << "something is there";
}

} // namespace
} // namespace redlatch::test
