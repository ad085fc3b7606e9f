// Permits whose lease is renewed, and how their end is noticed.
#include "behaviour/permit_fixture.hpp"
#include "locking/script.hpp"
#include "support/sanitized.hpp"

#include <filesystem>
#include <future>
#include <iterator>
#include <malloc.h>
#include <mutex>
#include <vector>

namespace redlatch::test {
namespace {

class permit_renewal_test : public permit_fixture {
protected:
    permit_renewal_test() { mine.try_set_permits(1); }

    permits taken_and_renewed() { return mine.acquire({.lease = 1500ms, .renewed = true}); }
    bool renews_on() {
        auto const before = user.stats().renewals;
        return wait_until([&] { return user.stats().renewals >= before + 4; });
    }
};

TEST_F(permit_renewal_test, keeps_permits_for_as_long_as_they_are_held) {
    permits one = taken_and_renewed();
    auto const first = one.valid_until();
    EXPECT_TRUE(renews_on());
    EXPECT_TRUE(one);
    EXPECT_GT(one.valid_until(), first + 750ms);
    EXPECT_FALSE(theirs.try_acquire());
    one.release();
    auto const sent = user.stats().renewals;
    permits const next = theirs.acquire({.lease = 1s, .wait = 20s});
    ASSERT_TRUE(wait_until([&] { return next.status() == hold_status::lost; })) << "a second later";
    EXPECT_LE(user.stats().renewals, sent + 1) << "one may have been on its way";
}

TEST_F(permit_renewal_test, renews_with_the_watchdog_where_no_lease_is_given) {
    permits const one = mine.acquire({.renewed = true});
    auto const left = theirs.lease_of(one.ids().front());
    ASSERT_TRUE(left);
    EXPECT_LE(*left, 30s);
    EXPECT_GT(*left, 20s);
}

/// Timers of leases that are far from their end would keep it.
TEST_F(permit_renewal_test, leaves_no_memory_behind_what_was_given_back) {
    if (is_sanitized()) GTEST_SKIP() << "a sanitizer's allocator does not say what is in use";
    auto const take_often = [&](leased_permit_options const& options) {
        for (int i = 0; i < 1000; ++i) {
            permits const one = theirs.acquire(options); // whose commands no proxy remembers
            (void)one.lost();
        }
        return mallinfo2().uordblks;
    };
    for (leased_permit_options const& options : {leased_permit_options{.lease = 1h, .renewed = true}, {.lease = 1h}}) {
        auto const before = take_often(options);
        EXPECT_LT(take_often(options), before + 100'000) << "of 300 bytes each there were more";
    }
}

TEST_F(permit_renewal_test, lets_permits_come_back_that_nobody_renews_any_more) {
    (void)taken_and_renewed().detach();
    permits const next = theirs.acquire({.wait = 20s});
    EXPECT_TRUE(next);
}

TEST_F(permit_renewal_test, holds_permits_without_a_limit_where_the_longest_hold_is_the_longest_time) {
    for (auto const most : {duration::max(), duration(std::chrono::hours(24 * 366 * 293))}) {
        permits const one = mine.acquire({.renewed = true, .max_hold = most});
        EXPECT_EQ(one.status(), hold_status::held);
        EXPECT_FALSE(one.lost().stop_requested());
    }
}

TEST_F(permit_renewal_test, gives_back_permits_whose_lease_somebody_has_prolonged) {
    mine.try_set_permits(1);
    permits one = mine.acquire({.lease = 2s});
    ASSERT_TRUE(theirs.update_lease(one.ids().front(), std::nullopt));
    ASSERT_TRUE(wait_until([&] { return one.status() == hold_status::lost; }));
    auto const problem = outcome_of([&] { one.release(); });
    EXPECT_EQ(problem.reason, errc::lease_lost) << problem;
    EXPECT_TRUE(becomes("1")) << "nobody else would ever release it";
    EXPECT_EQ(taken(), 0);
}

TEST_F(permit_renewal_test, does_not_shorten_a_lease_that_was_set_by_id) {
    permits const one = taken_and_renewed();
    EXPECT_TRUE(theirs.update_lease(one.ids().front(), 600s));
    EXPECT_TRUE(renews_on());
    EXPECT_GT(theirs.lease_of(one.ids().front()).value_or(0ms), 500s);
}

TEST_F(permit_renewal_test, notices_that_somebody_has_released_them) {
    std::mutex mutex;
    std::vector<event::kind> told;
    user.on_event([&](event const& news) {
        std::lock_guard const guard(mutex);
        told.push_back(news.what);
    });
    permits one = taken_and_renewed();
    auto const token = one.lost();
    EXPECT_FALSE(token.stop_requested());
    theirs.release(one.ids().front());
    EXPECT_TRUE(wait_until([&] { return token.stop_requested(); }));
    EXPECT_EQ(one.status(), hold_status::lost);
    EXPECT_LE(one.valid_until(), lease_clock::now()) << "who works until then ends at once";
    EXPECT_EQ(outcome_of([&] { one.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(value(), "1") << "it does not come back twice";
    EXPECT_TRUE(wait_until([&] {
        std::lock_guard const guard(mutex);
        return told == std::vector{event::kind::hold_lost};
    }));
    user.on_event({});
}

TEST_F(permit_renewal_test, goes_on_after_a_connection_broke) {
    permits const one = mine.acquire({.lease = 2s, .renewed = true});
    auto const lost = proxy.cut_after(a_script(locking::scripts::permit_renew));
    EXPECT_TRUE(lost.wait());
    EXPECT_TRUE(renews_on());
    EXPECT_TRUE(one);
}

TEST_F(permit_renewal_test, asks_what_is_still_there_when_the_server_is_back) {
    mine.add_permits(4);
    permits const kept = mine.acquire({.lease = 600s});
    permits const renewed = mine.acquire({.renewed = true}); // for the first time after ten seconds
    permits const leased = mine.acquire({.lease = 600s});
    permits const last = mine.acquire({.renewed = true, .max_hold = 20s}); // is not renewed any more
    permits const for_ever = mine.acquire();
    ASSERT_TRUE(theirs.update_lease(kept.ids().front(), 300s));
    auto const token = leased.lost();
    for (auto const* const one : {&renewed, &leased, &last, &for_ever}) theirs.release(one->ids().front());
    proxy.cut_all();
    for (auto const* const one : {&renewed, &leased, &last, &for_ever})
        EXPECT_TRUE(wait_until([&] { return one->status() == hold_status::lost; }));
    EXPECT_TRUE(wait_until([&] { return token.stop_requested(); }));
    EXPECT_TRUE(kept);
    EXPECT_LE(theirs.lease_of(kept.ids().front()), 300s) << "a question prolongs nothing";
}

TEST_F(permit_renewal_test, asks_again_where_the_question_was_not_answered) {
    permits const one = mine.acquire();
    theirs.release(one.ids().front());
    auto const lie = proxy.replace_reply(a_script(locking::scripts::permit_renew), "-BUSY of a script\r\n");
    proxy.cut_all();
    EXPECT_TRUE(lie.wait());
    EXPECT_TRUE(wait_until([&] { return one.status() == hold_status::lost; }));
}

TEST_F(permit_renewal_test, asks_seldom_while_the_server_refuses_the_question) {
    permits const one = mine.acquire(); // without a lease, of which a part could be the pause
    server.run("ACL", "SETUSER", "default", "-evalsha", "-eval");
    proxy.cut_all();
    auto const asked = [&] { return proxy.count(a_script(locking::scripts::permit_renew)); };
    EXPECT_TRUE(wait_until([&] { return asked() > 0; }));
    EXPECT_TRUE(stays([&] { return asked() < 10; }, 500ms)) << asked();
    server.run("ACL", "SETUSER", "default", "+evalsha", "+eval");
    EXPECT_TRUE(one);
}

TEST_F(permit_renewal_test, says_that_they_are_lost_before_the_server_gives_them_to_others) {
    permits const one = taken_and_renewed();
    auto const token = one.lost();
    proxy.drop(direction::to_server);
    permits const next = theirs.acquire({.wait = 20s});
    EXPECT_EQ(one.status(), hold_status::lost);
    EXPECT_TRUE(wait_until([&] { return token.stop_requested(); }));
    proxy.pass(direction::to_server);
    proxy.cut_all();
}

TEST_F(permit_renewal_test, tells_of_the_end_of_a_fixed_lease) {
    permits const one = mine.acquire({.lease = 2s});
    auto const token = one.lost();
    EXPECT_FALSE(token.stop_requested());
    EXPECT_TRUE(wait_until([&] { return token.stop_requested(); }));
    EXPECT_EQ(one.status(), hold_status::lost);
    EXPECT_EQ(user.stats().renewals, 0U);
}

TEST_F(permit_renewal_test, holds_no_longer_than_was_asked_for) {
    auto const begin = lease_clock::now();
    permits const one = mine.acquire({.lease = 1200ms, .renewed = true, .max_hold = 3s});
    std::stop_token const lost = one.lost();
    EXPECT_TRUE(renews_on());
    EXPECT_TRUE(one) << "longer than its lease";
    ASSERT_TRUE(wait_until([&] { return lost.stop_requested(); }));
    EXPECT_GE(lease_clock::now() - begin, 3s);
    EXPECT_EQ(one.status(), hold_status::lost);
    EXPECT_LE(one.valid_until(), begin + 4s);
    EXPECT_TRUE(theirs.acquire({.wait = 20s})) << "it came back by itself";
}

TEST_F(permit_renewal_test, refuses_a_longest_hold_without_renewal_or_of_nothing) {
    for (leased_permit_options const& options :
         {leased_permit_options{.max_hold = 1s}, leased_permit_options{.renewed = true, .max_hold = 0ms}}) {
        auto const said = outcome_of([&] { (void)mine.acquire(options); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        EXPECT_NE(said.message.find("max_hold"), std::string::npos) << said.message;
        std::promise<std::error_code> told;
        mine.async_acquire(options, {}, [&](std::error_code ec, permits const&) { told.set_value(ec); });
        EXPECT_EQ(told.get_future().get(), errc::invalid_argument);
    }
    EXPECT_EQ(value(), "1");
}

TEST_F(permit_renewal_test, starts_no_thread_before_it_is_told_to_where_threads_are_lazy) {
    auto lazy = settings(server.uri());
    lazy.lazy_threads = true;
    auto const threads = [] {
        std::filesystem::directory_iterator const tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    auto const before = threads();
    client late(lazy);
    permits const one = late.get_permit_semaphore(name).acquire({.lease = 2s, .renewed = true});
    EXPECT_EQ(threads(), before);
    late.start();
    EXPECT_TRUE(wait_until([&] { return late.stats().renewals >= 3; }));
    EXPECT_TRUE(one);
}

TEST_F(permit_renewal_test, tells_nothing_of_permits_that_were_given_back) {
    permits one = mine.acquire({.lease = 1s});
    auto const token = one.lost();
    one.release();
    permits const next = theirs.acquire({.lease = 1s, .wait = 20s});
    EXPECT_TRUE(wait_until([&] { return next.status() == hold_status::lost; })) << "later than the first one would be";
    EXPECT_FALSE(token.stop_requested());
}

TEST_F(permit_renewal_test, does_not_believe_an_answer_that_makes_no_sense) {
    permits const one = mine.acquire({.lease = 2s, .renewed = true});
    auto const lie = proxy.replace_reply(a_script(locking::scripts::permit_renew), "*1\r\n:7\r\n");
    EXPECT_TRUE(lie.wait());
    EXPECT_TRUE(renews_on());
    EXPECT_TRUE(one);
}

TEST_F(permit_renewal_test, refuses_to_renew_what_is_taken_for_ever) {
    auto const said = outcome_of([&] { (void)mine.acquire({.lease = duration::max(), .renewed = true}); });
    EXPECT_EQ(said.reason, errc::invalid_argument);
    EXPECT_NE(said.message.find("give a lease, or none"), std::string::npos) << said.message;
    EXPECT_EQ(value(), "1");
}

} // namespace
} // namespace redlatch::test
