// Each checker with a history that it must reject, and with the nearest one that it must accept.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact at(moment when, kind what, int process, int worker, std::string owner = {}) {
    return {.what = what, .when = when, .process = process, .worker = worker, .lock = 0, .owner = std::move(owner)};
}

fact believes(moment when, belief what, bool told = false) {
    auto one = at(when, kind::believes, 0, 0, "a:1");
    one.believed = what;
    one.yes = told;
    return one;
}

fact probe(moment when, bool exists) {
    auto one = at(when, kind::probe, -1, -1);
    one.yes = exists;
    return one;
}

fact released(moment when, std::string error = {}) {
    auto one = at(when, kind::released, 0, 0, "a:1");
    one.text = std::move(error);
    return one;
}

fact asks(moment when, int process, int worker, moment until = never) {
    auto one = at(when, kind::asked, process, worker);
    one.until = until;
    return one;
}

TEST(exclusion_checker, rejects_two_who_hold) {
    history const all{at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::held),
                      at(2ms, kind::acquired, 1, 1, "b:1")};
    ASSERT_TRUE(check_exclusion(all));
    EXPECT_EQ(check_exclusion(all)->at, 1U);
}

TEST(exclusion_checker, rejects_one_who_is_only_suspect) {
    EXPECT_TRUE(check_exclusion({at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::suspect)}));
}

TEST(exclusion_checker, accepts_one_who_knows_of_its_loss_and_one_whom_the_server_forgot) {
    EXPECT_FALSE(check_exclusion({at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::lost)}));
    EXPECT_FALSE(check_exclusion(
        {at(1ms, kind::acquired, 0, 0, "a:1"), at(1ms, kind::unpromised, -1, -1), believes(2ms, belief::held)}));
}

TEST(exclusion_checker, excuses_of_all_holds_the_one_that_a_new_master_has_missed) {
    auto const missed = at(1ms, kind::missed, -1, -1, "a:1");
    EXPECT_FALSE(check_exclusion({at(1ms, kind::acquired, 0, 0, "a:1"), missed, believes(2ms, belief::held)}));
    EXPECT_FALSE(check_exclusion({missed, at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::held)}))
        << "it did not know yet that it had the lock";
    auto const of_another = at(1ms, kind::missed, -1, -1, "c:1");
    EXPECT_TRUE(check_exclusion({at(1ms, kind::acquired, 0, 0, "a:1"), of_another, believes(2ms, belief::held)}));
}

TEST(exclusion_checker, holds_a_new_hold_to_its_promise_after_a_loss_of_data) {
    EXPECT_TRUE(check_exclusion(
        {at(1ms, kind::unpromised, -1, -1), at(2ms, kind::acquired, 0, 0, "a:1"), believes(3ms, belief::held)}));
}

TEST(exclusion_checker, accepts_one_who_acquires_late_what_was_taken_away) {
    history all{at(1ms, kind::unpromised, -1, -1, "b:1"), at(2ms, kind::acquired, 0, 0, "a:1"),
                believes(3ms, belief::held)};
    all.back().other = "b:1";
    EXPECT_FALSE(check_exclusion(all)) << "the lock was b's on the server, and taken away, before it was a's";
    all.back().other = "c:1";
    EXPECT_TRUE(check_exclusion(all));
}

TEST(notice_checker, rejects_a_loss_that_was_not_told) {
    EXPECT_TRUE(check_notice({at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::lost, false)}));
    EXPECT_FALSE(check_notice({at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::lost, true)}));
}

TEST(notice_checker, excuses_a_process_that_was_stopped) {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::stopped, 0, -1), believes(3ms, belief::lost)};
    EXPECT_FALSE(check_notice(all));
    all.push_back(at(4ms, kind::went_on, 0, -1));
    all.push_back(believes(50ms, belief::lost));
    EXPECT_TRUE(check_notice(all)) << "it has had time to look";
}

TEST(deadline_checker, rejects_a_wait_that_ends_late) {
    history const late{asks(1ms, 0, 0, 10ms), at(31ms, kind::not_acquired, 0, 0)};
    EXPECT_TRUE(check_deadlines(late, 20ms));
    EXPECT_FALSE(check_deadlines(late, 21ms));
}

TEST(deadline_checker, asks_nothing_of_a_process_that_dies_while_it_is_stopped) {
    EXPECT_FALSE(check_deadlines(
        {asks(1ms, 0, 0, 10ms), at(2ms, kind::stopped, 0, -1), at(100ms, kind::not_acquired, 0, 0)}, 20ms));
}

TEST(deadline_checker, counts_from_the_end_of_a_stop) {
    history const stopped{asks(1ms, 0, 0, 10ms), at(2ms, kind::stopped, 0, -1), at(100ms, kind::went_on, 0, -1),
                          at(110ms, kind::not_acquired, 0, 0)};
    EXPECT_FALSE(check_deadlines(stopped, 20ms));
}

TEST(deadline_checker, leaves_the_time_for_replicas_to_who_was_stopped_before_it_asked_them) {
    auto wait = asks(1ms, 0, 0, 40ms);
    wait.confirming = 30ms;
    history const stopped{wait, at(2ms, kind::stopped, 0, -1), at(100ms, kind::went_on, 0, -1)};
    for (auto const& [end, late] : {std::pair(150ms, false), {151ms, true}}) {
        auto all = stopped;
        all.push_back(at(end, kind::acquired, 0, 0));
        EXPECT_EQ(check_deadlines(all, 20ms).has_value(), late);
    }
}

history waiting_for_a_free_lock() {
    return {at(0ms, kind::quiet, -1, -1), asks(1ms, 0, 0), probe(100ms, false), probe(700ms, false)};
}

TEST(wakeup_checker, rejects_a_waiter_whom_nobody_woke) {
    EXPECT_TRUE(check_wakeups(waiting_for_a_free_lock(), 500ms));
    EXPECT_FALSE(check_wakeups(waiting_for_a_free_lock(), 900ms));
}

TEST(wakeup_checker, accepts_waiting_for_a_lock_that_is_held_in_between) {
    auto all = waiting_for_a_free_lock();
    all.insert(all.begin() + 3, probe(400ms, true));
    EXPECT_FALSE(check_wakeups(all, 500ms));
}

TEST(wakeup_checker, excuses_waiters_of_a_lock_that_was_removed_by_hand) {
    auto all = waiting_for_a_free_lock();
    all.insert(all.begin() + 1, at(1ms, kind::unpromised, -1, -1));
    all[1].until = 600ms;
    EXPECT_FALSE(check_wakeups(all, 500ms));
    all.push_back(probe(1'200ms, false));
    EXPECT_TRUE(check_wakeups(all, 500ms)) << "the lease that it saw has run out";
}

TEST(wakeup_checker, excuses_waiters_that_may_have_seen_a_longer_lease_than_the_one_that_ran_out) {
    auto all = waiting_for_a_free_lock();
    all.insert(all.begin() + 2, at(50ms, kind::in_key, 0, -1, "a:1"));
    EXPECT_TRUE(check_wakeups(all, 500ms, 300ms)) << "it was released";
    all[2].text = "expired";
    EXPECT_FALSE(check_wakeups(all, 500ms, 300ms));
    EXPECT_TRUE(check_wakeups(all, 500ms));
    all.push_back(probe(900ms, false));
    EXPECT_TRUE(check_wakeups(all, 500ms, 300ms));
}

TEST(wakeup_checker, rejects_a_reader_whom_nobody_woke_when_others_read) {
    auto all = waiting_for_a_free_lock();
    for (auto& one : all) one.yes = one.what == kind::probe; // it is held
    EXPECT_FALSE(check_wakeups(all, 500ms));
    for (auto& one : all) one.shared = true;
    EXPECT_TRUE(check_wakeups(all, 500ms));
    all[1].shared = false;
    EXPECT_FALSE(check_wakeups(all, 500ms)) << "it waits to write";
    all[1].shared = true;
    all[2].shared = false;
    EXPECT_FALSE(check_wakeups(all, 500ms)) << "somebody wrote until then";
}

TEST(wakeup_checker, excuses_waiters_behind_one_of_their_own_process_until_it_goes) {
    auto all = waiting_for_a_free_lock();
    all.insert(all.begin() + 1, at(1ms, kind::acquired, 0, 5, "a:1"));
    EXPECT_FALSE(check_wakeups(all, 500ms));
    all.push_back(at(800ms, kind::releasing, 0, 5, "a:1"));
    all.push_back(probe(900ms, false));
    EXPECT_FALSE(check_wakeups(all, 500ms));
    all.push_back(probe(1'500ms, false));
    EXPECT_TRUE(check_wakeups(all, 500ms));
}

fact in_key(moment when, bool yes) {
    auto one = at(when, kind::probe_hold, 0, 0, "a:1");
    one.yes = yes;
    return one;
}

TEST(silent_loss_checker, rejects_a_hold_that_only_its_holder_believes_in) {
    history all{at(0ms, kind::quiet, -1, -1), in_key(100ms, false), in_key(2'200ms, false)};
    EXPECT_TRUE(check_silent_loss(all, 2s));
    all.insert(all.begin() + 2, in_key(1s, true));
    EXPECT_FALSE(check_silent_loss(all, 2s));
}

TEST(silent_loss_checker, excuses_a_fixed_lease_whose_key_was_removed_by_hand) {
    history all{at(0ms, kind::quiet, -1, -1), at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::unpromised, -1, -1),
                in_key(100ms, false), in_key(2'200ms, false)};
    EXPECT_FALSE(check_silent_loss(all, 2s));
    all[2].yes = true;
    EXPECT_TRUE(check_silent_loss(all, 2s)) << "connections were lost: it asks";
    all[2].yes = false;
    all[1].yes = true;
    EXPECT_TRUE(check_silent_loss(all, 2s)) << "its renewal asks";
}

TEST(orphan_checker, rejects_a_key_of_nobody) {
    history all{at(0ms, kind::quiet, -1, -1)};
    for (int i = 0; i <= 31; ++i) all.push_back(at(i * 100ms, kind::orphan, -1, -1, "a:1"));
    EXPECT_TRUE(check_orphans(all, 3s));
    all.insert(all.begin(), at(0ms, kind::unpromised, -1, -1, "a:1"));
    all[0].yes = true;
    EXPECT_TRUE(check_orphans(all, 3s)) << "its process knows of it, whatever the server has lost";
    all[0].what = kind::returned;
    EXPECT_TRUE(check_orphans(all, 3s)) << "its client releases it again";
    all[0].yes = false;
    EXPECT_FALSE(check_orphans(all, 3s)) << "a failover forgot its release";
    all.erase(all.begin());
    all.erase(all.begin() + 10, all.begin() + 20); // it was somebody's in between
    EXPECT_FALSE(check_orphans(all, 3s));
}

TEST(forced_checker, rejects_a_holder_who_is_not_told) {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2s, kind::forced, 0, 0, "a:1"),
                at(2s + 299ms, kind::probe, -1, -1), at(2s + 301ms, kind::probe, -1, -1)};
    EXPECT_FALSE(check_forced(all, {})) << "something else was wrong";
    all[1].yes = true;
    ASSERT_TRUE(check_forced(all, {}));
    EXPECT_EQ(check_forced(all, {})->at, 3U);
    EXPECT_FALSE(check_forced(all, {.can_ask = false}));
    auto told = all;
    told.insert(told.begin() + 3, at(2s + 300ms, kind::told_lost, 0, 0, "a:1"));
    EXPECT_FALSE(check_forced(told, {}));
    auto young = all;
    young[0].when = 1s;
    EXPECT_FALSE(check_forced(young, {})) << "it does not listen yet";
    all.insert(all.begin() + 3, at(2s + 300ms, kind::fault, -1, -1));
    EXPECT_FALSE(check_forced(all, {})) << "something else goes wrong";
}

TEST(honesty_checker, rejects_a_release_of_what_somebody_else_had_meanwhile) {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::acquired, 1, 1, "b:1"),
                at(3ms, kind::releasing, 0, 0, "a:1"), released(4ms)};
    EXPECT_TRUE(check_honesty(all));
    all.back().text = "lost";
    EXPECT_FALSE(check_honesty(all));
}

/// Those who hand a lock off have one owner in turn: the hold that was lost is that of the last of them.
TEST(honesty_checker, accepts_one_who_is_told_late_of_a_release_that_handed_the_lock_off) {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::releasing, 0, 0, "a:1"),
                at(2ms, kind::acquired, 0, 4, "a:1"), at(3ms, kind::acquired, 1, 1, "b:1"), released(4ms)};
    EXPECT_FALSE(check_honesty(all));
    all.push_back(at(5ms, kind::releasing, 0, 4, "a:1"));
    all.push_back(at(6ms, kind::released, 0, 4, "a:1"));
    EXPECT_TRUE(check_honesty(all)) << "which is told of the last one";
}

TEST(honesty_checker, accepts_one_who_acquires_late_what_was_taken_away) {
    history all{at(1ms, kind::unpromised, -1, -1, "b:1"), at(2ms, kind::acquired, 0, 0, "a:1"),
                at(3ms, kind::acquired, 1, 1, "b:1"), at(4ms, kind::releasing, 0, 0, "a:1"), released(5ms)};
    EXPECT_FALSE(check_honesty(all));
    all.erase(all.begin());
    EXPECT_TRUE(check_honesty(all));
}

TEST(honesty_checker, accepts_one_whose_hold_was_lost_before_it_saw_it) {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::acquired, 1, 1, "b:1"),
                at(3ms, kind::releasing, 0, 0, "a:1"), released(4ms)};
    all[1].believed = belief::lost;
    EXPECT_FALSE(check_honesty(all));
}

TEST(honesty_checker, accepts_a_successor_while_the_release_is_answered) {
    EXPECT_FALSE(check_honesty({at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::releasing, 0, 0, "a:1"),
                                at(3ms, kind::acquired, 1, 1, "b:1"), released(4ms)}));
}

history ended_before() {
    history all{at(50ms, kind::acquired, 0, 0, "a:1")};
    all[0].until = 25ms;
    return all;
}

TEST(freshness_checker, rejects_a_hold_that_had_ended) {
    auto all = ended_before();
    EXPECT_TRUE(check_freshness(all, 20ms));
    EXPECT_FALSE(check_freshness(all, 25ms));
    all.insert(all.begin(), at(40ms, kind::went_on, 0, -1));
    EXPECT_FALSE(check_freshness(all, 20ms)) << "it may have had it before it was stopped";
}

TEST(renewal_checker, rejects_a_renewal_of_what_has_ended) {
    for (auto const how : {kind::released, kind::told_lost}) {
        history all{at(1ms, how, 0, 0, "a:1"), at(2ms, kind::renewal, 0, -1, "b:1"),
                    at(9ms, kind::renewal, 0, -1, "a:1")};
        EXPECT_TRUE(check_renewals(all, 7ms));
        EXPECT_FALSE(check_renewals(all, 8ms));
        all.insert(all.end() - 1, at(8ms, kind::went_on, 0, -1, ""));
        EXPECT_FALSE(check_renewals(all, 7ms)) << "it had been stopped";
        EXPECT_TRUE(check_renewals(all, 0ms));
        all[2] = at(8ms, kind::went_on, 1, -1, "");
        EXPECT_TRUE(check_renewals(all, 7ms)) << "another process";
    }
}

TEST(renewal_rate_checker, rejects_a_loop_of_renewals) {
    history all;
    for (auto when = 1ms; when <= 81ms; when += 40ms) all.push_back(at(when, kind::renewal, 0, -1, "a:1"));
    EXPECT_TRUE(check_renewal_rate(all, 2));
    EXPECT_FALSE(check_renewal_rate(all, 3));
    all.back().when = 102ms;
    EXPECT_FALSE(check_renewal_rate(all, 2)) << "longer than 100 ms";
    all.back().when = 101ms;
    EXPECT_TRUE(check_renewal_rate(all, 2));
    all.back().owner = "a:2";
    EXPECT_FALSE(check_renewal_rate(all, 2)) << "another hold";
}

history held_beyond_max_hold() {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(99ms, kind::probe_hold, 0, 0, "a:1")};
    all[0].most = 50ms;
    return all;
}

fact acquires(moment when, std::uint64_t token, int lock = 0) {
    auto one = at(when, kind::acquired, 0, 0, "a:" + std::to_string(token));
    one.lock = lock;
    one.token = token;
    return one;
}

TEST(tokens_checker, rejects_a_token_that_is_not_greater_than_all_before) {
    EXPECT_TRUE(check_tokens({acquires(1ms, 0)})) << "there is none";
    EXPECT_TRUE(check_tokens({acquires(1ms, 1), acquires(2ms, 1)}));
    EXPECT_TRUE(check_tokens({acquires(1ms, 7), acquires(2ms, 3)}));
    EXPECT_FALSE(check_tokens({acquires(1ms, 1), acquires(2ms, 1, 1), acquires(3ms, 5), acquires(4ms, 2, 1)}));
    EXPECT_FALSE(check_tokens({acquires(1ms, 7), at(2ms, kind::unpromised, -1, -1), acquires(3ms, 1)}));
    EXPECT_FALSE(check_tokens({at(1ms, kind::acquired, 0, 0, "a:1")})) << "a lock without tokens";
    auto const by_force = at(1ms, kind::unpromised, 0, -1, "a:7");
    EXPECT_FALSE(check_tokens({by_force, acquires(2ms, 8), acquires(3ms, 7)})) << "it learns of its token last";
    EXPECT_TRUE(check_tokens({by_force, acquires(2ms, 8), acquires(3ms, 6)}));
}

TEST(tokens_checker, rejects_a_re_entry_with_another_token) {
    auto again = at(2ms, kind::reentered, 0, 0, "a:7");
    again.token = 8;
    EXPECT_TRUE(check_tokens({acquires(1ms, 7), again}));
    again.token = 7;
    EXPECT_FALSE(check_tokens({acquires(1ms, 7), again}));
}

TEST(max_hold_checker, rejects_one_who_believes_beyond_it) {
    EXPECT_TRUE(check_max_hold(held_beyond_max_hold(), 48ms));
    EXPECT_FALSE(check_max_hold(held_beyond_max_hold(), 49ms));
    EXPECT_TRUE(check_max_hold({held_beyond_max_hold()[0], believes(99ms, belief::suspect)}, 48ms));
    EXPECT_FALSE(check_max_hold({held_beyond_max_hold()[0], believes(99ms, belief::lost)}, 48ms));
}

history lost_in_quiet_times() {
    history all{at(1ms, kind::acquired, 0, 0, "a:1"), at(2ms, kind::quiet, -1, -1),
                at(9s, kind::told_lost, 0, 0, "a:1")};
    all[0].yes = true;
    return all;
}

TEST(needless_loss_checker, rejects_a_loss_that_nothing_explains) {
    auto all = lost_in_quiet_times();
    EXPECT_TRUE(check_needless_loss(all, 1s));
    EXPECT_FALSE(check_needless_loss(all, 9s)) << "what went before may explain it";
    all.insert(all.begin() + 2, at(5s, kind::fault, -1, -1));
    EXPECT_FALSE(check_needless_loss(all, 1s));
    EXPECT_TRUE(check_needless_loss(all, 1s, true)) << "what went wrong is no reason";
    all = lost_in_quiet_times();
    all[0].yes = false;
    EXPECT_FALSE(check_needless_loss(all, 1s)) << "a fixed lease ends";
}

TEST(reentry_checker, rejects_an_entry_into_what_the_server_does_not_know) {
    history all{at(1ms, kind::reentered, 0, 0, "a:1")};
    EXPECT_TRUE(check_reentry(all));
    all[0].yes = true;
    EXPECT_FALSE(check_reentry(all));
    all[0].yes = false;
    all.insert(all.begin(), at(1ms, kind::missed, -1, -1, "a:1"));
    EXPECT_FALSE(check_reentry(all)) << "it is known to a master that another one has replaced";
}

TEST(progress_checker, rejects_a_worker_without_an_end) {
    EXPECT_TRUE(check_progress({at(1ms, kind::unfinished, 0, 0)}));
    EXPECT_FALSE(check_progress({released(1ms)}));
}

TEST(leftover_checker, rejects_what_is_left) {
    EXPECT_TRUE(check_leftovers({at(1ms, kind::leftover, 0, -1)}));
    EXPECT_FALSE(check_leftovers({}));
}

TEST(checkers, are_all_asked) {
    for (auto const& broken :
         {history{at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::held)},
          history{at(1ms, kind::acquired, 0, 0, "a:1"), believes(2ms, belief::lost, false)},
          history{asks(1ms, 0, 0, 10ms), at(99ms, kind::not_acquired, 0, 0)}, waiting_for_a_free_lock(),
          history{at(0ms, kind::quiet, -1, -1), in_key(0ms, false), in_key(9s, false)},
          history{at(1ms, kind::released, 0, 0, "a:1"), at(9s, kind::renewal, 0, -1, "a:1")}, ended_before(),
          history(21, at(1ms, kind::renewal, 0, -1, "a:1")), held_beyond_max_hold(), lost_in_quiet_times(),
          history{at(1ms, kind::reentered, 0, 0, "a:1")}, history{at(1ms, kind::unfinished, 0, 0)},
          history{at(1ms, kind::leftover, 0, -1)}})
        EXPECT_TRUE(check(broken, {}));
    EXPECT_FALSE(check({}, {}));
}

TEST(turns_checker, rejects_a_lock_that_is_passed_on_within_a_process_for_too_long) {
    history all{at(0ms, kind::quiet, -1, -1), at(1ms, kind::acquired, 0, 0, "a:1"),
                at(200ms, kind::acquired, 0, 1, "a:1"), at(230ms, kind::acquired, 0, 0, "a:1")};
    EXPECT_FALSE(check_turns(all, 30ms)) << "it counts from the first time; one may hold it as long as one likes";
    all.push_back(at(231ms, kind::acquired, 0, 1, "a:1"));
    ASSERT_TRUE(check_turns(all, 30ms));
    EXPECT_EQ(check_turns(all, 30ms)->at, 4U);
}

TEST(turns_checker, accepts_a_process_that_takes_it_on_the_server_again_and_what_goes_wrong) {
    EXPECT_FALSE(check_turns({at(0ms, kind::quiet, -1, -1), at(1ms, kind::acquired, 0, 0, "a:1"),
                              at(2ms, kind::acquired, 0, 1, "a:1"), at(50ms, kind::acquired, 0, 0, "a:2"),
                              at(51ms, kind::acquired, 0, 1, "a:2")},
                             30ms));
    EXPECT_FALSE(check_turns({at(0ms, kind::fault, -1, -1), at(1ms, kind::acquired, 0, 0, "a:1"),
                              at(2ms, kind::acquired, 0, 1, "a:1"), at(50ms, kind::acquired, 0, 0, "a:1")},
                             30ms))
        << "a process that was stopped sees it late";
}

} // namespace
} // namespace redlatch::sim
