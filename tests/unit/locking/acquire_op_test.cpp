// Long because it goes through one table, row by row.
#include "locking/acquire_op.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using connection::verdict;
using scripted::at;
using scripted::at_no_time;
using scripted::ms;
using act = acquire_op::act;
using outcome = acquire_op::outcome;
using knowledge = acquire_op::knowledge;

constexpr channel_sample subscribed{4, true};
constexpr channel_sample not_subscribed{4, false};

acquire_op::terms patient(base::instant deadline = base::never) {
    acquire_op::terms out;
    out.began = at(0s);
    out.deadline = deadline;
    out.lease = 10s;
    out.margin = 100ms;
    out.longest_wait = 30s;
    return out;
}

acquire_op::terms once() {
    auto out = patient(at(3s)); // the time that a server has for its answer
    out.may_wait = false;
    return out;
}

acquire_op::terms again() {
    auto out = patient(at(3s));
    out.reentry = true;
    return out;
}

acquire_answer const acquired{acquire_answer::kind::acquired};
acquire_answer const not_understood{};
acquire_answer busy(std::optional<base::milliseconds> retry_after = 5s) {
    return {.what = acquire_answer::kind::busy, .retry_after = retry_after};
}

/// An operation that has sent its first attempt.
acquire_op trying(acquire_op::terms const& what) {
    acquire_op op(what);
    if (op.start().what == act::queue) op.on_head(at(0s), false, not_subscribed);
    EXPECT_TRUE(op.trying());
    return op;
}

acquire_op waiting(acquire_op::terms const& what) {
    auto op = trying(what);
    EXPECT_EQ(op.on_answer(busy(), at(0s), at(1ms), subscribed).what, act::wait);
    return op;
}

// --- start

TEST(acquire_op, asks_at_once_when_it_must_not_wait) {
    acquire_op op(once());
    EXPECT_EQ(op.start().what, act::attempt);
    EXPECT_TRUE(op.trying());
}

TEST(acquire_op, asks_at_once_for_a_reentry_so_that_it_passes_the_queue) {
    acquire_op op(again());
    EXPECT_EQ(op.start().what, act::attempt);
}

TEST(acquire_op, takes_a_place_in_the_local_queue_when_it_may_wait) {
    acquire_op op(patient(at(7s)));
    auto const first = op.start();
    EXPECT_EQ(first.what, act::queue);
    EXPECT_EQ(ms(first.until), 7'000);
    EXPECT_FALSE(op.trying());
}

TEST(acquire_op, asks_at_once_where_waiters_queue_on_the_server_and_waits_for_its_message_then) {
    auto terms = patient();
    terms.queues_here = false;
    acquire_op op(terms);
    EXPECT_EQ(op.start().what, act::attempt);
    EXPECT_EQ(op.on_answer(busy(), at(0s), at(1ms), not_subscribed).what, act::wait);
    EXPECT_EQ(op.on_woken(at(1s), false, subscribed).what, act::attempt);
}

/// Of a waiter that queues on the server.
acquire_op::terms listening_until(base::instant until, base::instant deadline = base::never) {
    auto terms = patient(deadline);
    terms.queues_here = false;
    terms.listens_until = until;
    return terms;
}

TEST(acquire_op, subscribes_before_it_asks_where_it_queues_on_the_server_and_will_probably_have_to_wait) {
    acquire_op op(listening_until(at(20ms)));
    auto const first = op.start();
    EXPECT_EQ(first.what, act::wait);
    EXPECT_TRUE(first.subscribe);
    EXPECT_EQ(ms(first.until), 20) << "then it asks all the same";
    EXPECT_TRUE(op.listens());
    EXPECT_TRUE(op.is_news({1, true}, {})) << "its subscription";
    EXPECT_EQ(op.on_woken(at(1ms), false, {1, true}).what, act::attempt);
    auto const next = op.on_answer(busy(), at(1ms), at(2ms), subscribed);
    EXPECT_EQ(next.what, act::wait);
    EXPECT_FALSE(next.subscribe) << "whatever is published from now on is heard";
}

TEST(acquire_op, subscribes_first_only_for_as_long_as_there_is_time_for_an_answer) {
    acquire_op soon(listening_until(at(20ms), at(10ms)));
    EXPECT_EQ(ms(soon.start().until), 5);
    acquire_op over(listening_until(at(20ms), at(0s)));
    EXPECT_EQ(over.start().what, act::attempt);
}

TEST(acquire_op, asks_at_once_where_it_must_not_wait_or_enters_again_whatever_it_expects) {
    for (auto terms : {once(), again()}) {
        terms.queues_here = false;
        terms.listens_until = at(20ms);
        EXPECT_EQ(acquire_op(terms).start().what, act::attempt);
    }
}

// --- in the local queue

/// That may wait from `began` on.
acquire_op queued(base::instant deadline, base::instant began = at(0s)) {
    auto terms = patient(deadline);
    terms.began = began;
    acquire_op op(terms);
    EXPECT_EQ(op.start().what, act::queue);
    return op;
}

TEST(acquire_op, hurries_the_head_once_shortly_before_its_deadline) {
    auto op = queued(at(1s));
    auto const first = op.on_behind_head(at(0s));
    EXPECT_EQ(first.what, act::queue);
    EXPECT_FALSE(first.hurry);
    EXPECT_EQ(ms(first.until), 992);
    EXPECT_FALSE(op.on_behind_head(at(992ms) - 1ns).hurry);
    auto const near = op.on_behind_head(at(992ms));
    EXPECT_TRUE(near.hurry);
    EXPECT_EQ(ms(near.until), 1'000);
    auto const later = op.on_behind_head(at(995ms));
    EXPECT_FALSE(later.hurry) << "it has been told";
    EXPECT_EQ(ms(later.until), 1'000);
}

TEST(acquire_op, hurries_the_head_after_half_of_a_short_wait) {
    auto op = queued(at(10ms), at(6ms));
    EXPECT_EQ(ms(op.on_behind_head(at(6ms)).until), 8);
    EXPECT_TRUE(op.on_behind_head(at(8ms)).hurry);
}

TEST(acquire_op, hurries_nobody_when_it_waits_without_a_deadline) {
    auto op = queued(base::never);
    auto const next = op.on_behind_head(at(1h));
    EXPECT_FALSE(next.hurry);
    EXPECT_EQ(next.until, base::never);
}

// --- while another one of this process has the lock

TEST(acquire_op, relies_on_a_hold_of_its_process_for_a_moment_then_it_listens_too) {
    auto op = queued(base::never);
    auto const first = op.on_held_here(at(1s), at(9s), false);
    EXPECT_EQ(first.what, act::watch);
    EXPECT_FALSE(first.listen);
    EXPECT_EQ(ms(first.until), 1'050);
    EXPECT_FALSE(op.doubts());
    auto const then = op.on_held_here(at(1'050ms), at(9s), false);
    EXPECT_TRUE(then.listen);
    EXPECT_FALSE(then.verify) << "what it hears will be a reason to ask";
    EXPECT_EQ(ms(then.until), 9'000);
    EXPECT_TRUE(op.doubts());
    EXPECT_EQ(op.now_in(), acquire_op::state::queued);
}

TEST(acquire_op,
     watches_a_hold_of_its_process_until_the_first_of_its_end_the_deadline_and_a_third_of_the_longest_wait) {
    EXPECT_EQ(ms(queued(at(1'020ms)).on_held_here(at(1s), at(9s), false).until), 1'020);
    EXPECT_EQ(ms(queued(base::never).on_held_here(at(1s), at(1'030ms), false).until), 1'030);
    auto op = queued(base::never);
    op.on_held_here(at(1s), at(1h), false);
    EXPECT_EQ(ms(op.on_held_here(at(2s), at(1h), false).until), 12'000);
}

TEST(acquire_op, counts_the_moment_anew_when_the_hold_of_its_process_has_ended_meanwhile) {
    auto op = waiting(patient());
    op.on_held_here(at(1s), at(9s), false);
    op.on_woken(at(2s), false, subscribed);
    op.on_answer(busy(), at(2s), at(3s), subscribed);
    EXPECT_FALSE(op.on_held_here(at(3s), at(9s), true).verify);
    EXPECT_TRUE(op.on_held_here(at(3'050ms), at(9s), true).verify);
}

TEST(acquire_op, asks_whether_the_hold_is_there_when_another_one_here_was_faster_and_there_is_news) {
    for (bool const news : {false, true}) {
        auto op = waiting(patient());
        auto const first = op.on_held_here(at(1s), at(9s), news);
        EXPECT_FALSE(first.verify) << "for a moment it relies on it";
        EXPECT_TRUE(first.listen);
        EXPECT_EQ(op.now_in(), acquire_op::state::waiting);
        EXPECT_EQ(op.on_held_here(at(1'050ms), at(9s), news).verify, news);
    }
}

TEST(acquire_op, pauses_behind_a_hold_of_its_process_where_nobody_tells_of_releases) {
    auto terms = patient();
    terms.backoff = retry_backoff();
    acquire_op head(terms);
    head.start();
    auto const first = head.on_held_here(at(1s), at(1h), false);
    EXPECT_FALSE(first.listen);
    EXPECT_EQ(ms(first.until), 11'000);
    EXPECT_TRUE(head.doubts());
    head.end_doubts();
    EXPECT_FALSE(head.doubts());
    auto asked = trying(terms);
    asked.on_answer(busy(), at(0s), at(1ms), not_subscribed);
    EXPECT_FALSE(asked.on_held_here(at(1s), at(9s), true).listen);
    EXPECT_EQ(asked.now_in(), acquire_op::state::pausing);
}

// --- a kind of lock without a channel

acquire_op::terms polling(retry_backoff const& backoff = {}, base::instant deadline = base::never) {
    auto out = patient(deadline);
    out.backoff = backoff;
    out.seed = 7;
    return out;
}

/// The pauses after `count` busy answers in a row, each asked for at the end of the one before.
std::vector<base::milliseconds> pauses(acquire_op& op, int count) {
    std::vector<base::milliseconds> seen;
    auto now = at(1ms);
    for (int i = 0; i < count; ++i) {
        auto const next = op.on_answer(busy(), now, now, not_subscribed);
        EXPECT_EQ(next.what, act::pause);
        seen.push_back(std::chrono::duration_cast<base::milliseconds>(next.until - now));
        now = next.until;
        EXPECT_EQ(op.on_woken(now, false, not_subscribed).what, act::attempt);
    }
    return seen;
}

TEST(acquire_op, asks_again_after_growing_pauses_where_nobody_tells_of_releases) {
    auto op = trying(polling());
    auto const seen = pauses(op, 10);
    EXPECT_EQ(seen.front(), 1ms);
    for (std::size_t i = 1; i < seen.size(); ++i) {
        if (seen[i] == 128ms) continue;
        EXPECT_GE(seen[i], seen[i - 1] * 2);
        EXPECT_LE(seen[i], seen[i - 1] * 2 + 1ms);
    }
    EXPECT_EQ(seen.back(), 128ms);
}

TEST(acquire_op, asks_again_after_the_same_pause_if_the_policy_says_so) {
    auto op = trying(polling({64ms, 64ms, 1}));
    EXPECT_EQ(pauses(op, 3), std::vector<base::milliseconds>(3, 64ms));
}

TEST(acquire_op, pauses_by_chance_so_that_two_waiters_do_not_ask_in_step) {
    auto const of_seed = [](std::uint64_t seed) {
        auto terms = polling({1ms, 10s, 10});
        terms.seed = seed;
        auto op = trying(terms);
        return pauses(op, 4);
    };
    EXPECT_NE(of_seed(1), of_seed(2));
    EXPECT_EQ(of_seed(1), of_seed(1));
}

TEST(acquire_op, does_not_pause_beyond_its_deadline) {
    auto op = trying(polling({64ms, 64ms, 1}, at(20ms)));
    EXPECT_EQ(op.on_answer(busy(), at(0s), at(1ms), not_subscribed).until, at(20ms));
    EXPECT_EQ(op.on_deadline(acquire_op::knowledge::nothing).what, act::finish);
    EXPECT_EQ(op.result(), outcome::timed_out) << "the server's last word was busy";
}

TEST(acquire_op, takes_a_fresh_id_before_it_pauses_when_its_validity_has_passed_already) {
    auto op = trying(polling());
    auto const next = op.on_answer(acquired, at(1s), at(11s), not_subscribed);
    EXPECT_EQ(next.what, act::pause);
    EXPECT_EQ(next.until, at(11s) + 1ms);
    EXPECT_TRUE(next.fresh_id) << "its id is in the key";
    EXPECT_FALSE(trying(polling()).on_answer(busy(), at(1s), at(1s), not_subscribed).fresh_id);
}

TEST(acquire_op, pauses_where_others_would_be_waited_for_by_message) {
    acquire_op op(polling());
    op.start();
    auto const next = op.on_head(at(1s), true, not_subscribed);
    EXPECT_EQ(next.what, act::pause);
    EXPECT_EQ(next.until, at(1s) + acquire_op::yield_pause);
    EXPECT_EQ(op.on_woken(next.until, false, not_subscribed).what, act::attempt);
}

TEST(acquire_op, leaves_a_lock_to_those_that_poll_for_as_long_as_is_said_and_no_longer_than_a_turn) {
    for (bool const ends_turn : {true, false}) {
        acquire_op op(polling());
        op.start();
        auto const next = op.on_head(at(1s), ends_turn, not_subscribed, {2ms, false});
        EXPECT_EQ(next.what, act::pause) << ends_turn;
        EXPECT_EQ(next.until, at(1s) + 2ms) << ends_turn;
        EXPECT_EQ(op.on_woken(next.until, false, not_subscribed).what, act::attempt);
    }
    acquire_op longer(polling());
    longer.start();
    EXPECT_EQ(longer.on_head(at(1s), true, not_subscribed, {1h, false}).until, at(1s) + acquire_op::yield_pause);
    acquire_op over(polling());
    over.start();
    EXPECT_EQ(over.on_head(at(1s), true, not_subscribed, {1ns, false}).until, at(1s) + 1ns) << "nothing of it is left";
    acquire_op hears(patient());
    hears.start();
    EXPECT_EQ(hears.on_head(at(1s), true, subscribed, {2ms, false}).until, at(1s) + acquire_op::yield_pause)
        << "it is told when others are ready";
}

TEST(acquire_op, asks_when_some_come_back_by_themselves_after_the_one_before_took_the_rest) {
    for (auto const& [back_at, asks_at] : {std::pair(at(7s), at(7s)), std::pair(base::never, at(31s))}) {
        acquire_op op(patient());
        op.start();
        auto const next = op.on_head_of_none(at(1s), back_at, subscribed);
        EXPECT_EQ(next.what, act::wait);
        EXPECT_EQ(next.until, asks_at);
        EXPECT_EQ(op.on_woken(next.until, false, subscribed).what, act::attempt);
    }
}

// --- plain commands

acquire_op::terms plain(acquire_op::terms what) {
    what.plain = true;
    return what;
}
acquire_answer const key_exists{acquire_answer::kind::key_exists};

TEST(acquire_op, takes_a_free_lock_with_a_plain_command_if_it_may) {
    acquire_op first(plain(once()));
    EXPECT_TRUE(first.start().plain);
    EXPECT_EQ(first.on_answer(acquired, at(0s), at(1ms), not_subscribed).what, act::finish);
    EXPECT_EQ(first.result(), outcome::acquired);
    acquire_op head(plain(patient()));
    EXPECT_EQ(head.start().what, act::queue);
    EXPECT_TRUE(head.on_head(at(0s), false, not_subscribed).plain);
    EXPECT_FALSE(acquire_op(once()).start().plain);
    EXPECT_FALSE(acquire_op(plain(again())).start().plain) << "a re-entry must find its own field";
}

TEST(acquire_op, asks_by_script_when_a_key_is_there_or_plain_commands_are_refused) {
    for (bool const refused : {false, true}) {
        acquire_op op(plain(once()));
        op.start();
        auto const next = refused ? op.on_plain_refused() : op.on_answer(key_exists, at(0s), at(1ms), not_subscribed);
        EXPECT_EQ(next.what, act::attempt);
        EXPECT_FALSE(next.plain);
        EXPECT_EQ(next.until, at(3s));
        EXPECT_EQ(op.result(), outcome::pending) << "an existing key is no verdict";
        EXPECT_EQ(op.on_answer(busy(), at(1ms), at(2ms), not_subscribed).what, act::finish);
        EXPECT_EQ(op.result(), outcome::busy);
    }
}

TEST(acquire_op, asks_by_script_after_every_wait_and_pause) {
    acquire_op waited(plain(patient()));
    waited.start();
    EXPECT_EQ(waited.on_head(at(0s), true, subscribed).what, act::wait);
    EXPECT_FALSE(waited.on_woken(at(1s), false, subscribed).plain);
    acquire_op paused(plain(patient()));
    paused.start();
    EXPECT_TRUE(paused.on_head(at(0s), false, subscribed).plain);
    EXPECT_EQ(paused.on_error(verdict::not_executed, at(0s)).what, act::pause);
    EXPECT_FALSE(paused.on_woken(at(1s), false, subscribed).plain);
}

// --- queued

TEST(acquire_op, asks_when_it_is_the_head) {
    acquire_op op(patient());
    op.start();
    EXPECT_EQ(op.on_head(at(0s), false, not_subscribed).what, act::attempt);
}

TEST(acquire_op, leaves_the_lock_to_others_as_a_new_head_that_yields) {
    acquire_op op(patient());
    op.start();
    auto const next = op.on_head(at(1s), true, subscribed);
    EXPECT_EQ(next.what, act::wait);
    EXPECT_EQ(next.until, at(1s) + acquire_op::yield_pause);
    EXPECT_FALSE(next.subscribe);
    EXPECT_EQ(op.on_woken(at(2s), false, subscribed).what, act::attempt);
}

TEST(acquire_op, has_the_lock_when_it_is_given_it_within_the_process) {
    for (bool const as_head : {false, true}) {
        acquire_op op(patient());
        op.start();
        if (as_head) op.on_head(at(0s), true, subscribed);
        EXPECT_EQ(op.on_granted().what, act::finish);
        EXPECT_EQ(op.result(), outcome::acquired);
    }
}

TEST(acquire_op, says_timed_out_in_the_queue_when_the_lock_is_known_to_be_held) {
    acquire_op op(patient(at(1s)));
    op.start();
    EXPECT_EQ(op.on_deadline(knowledge::lock_is_held).what, act::finish);
    EXPECT_EQ(op.result(), outcome::timed_out);
}

TEST(acquire_op, says_disconnected_in_the_queue_when_nobody_knows_whether_it_is_held) {
    acquire_op op(patient(at(1s)));
    op.start();
    op.on_deadline(knowledge::nothing);
    EXPECT_EQ(op.result(), outcome::disconnected);
}

// --- trying

TEST(acquire_op, has_acquired_while_the_lease_less_its_margin_lasts) {
    for (auto const& terms : {patient(), once()}) {
        auto op = trying(terms);
        auto const last = op.on_answer(acquired, at(1s), at(1s) + 9'900ms - 1ns, not_subscribed);
        EXPECT_EQ(last.what, act::finish);
        EXPECT_EQ(op.result(), outcome::acquired);
        EXPECT_FALSE(last.fresh_id);
    }
}

TEST(acquire_op, takes_a_fresh_id_and_asks_again_when_its_validity_has_passed_already) {
    auto op = trying(patient());
    auto const next = op.on_answer(acquired, at(1s), at(10'900ms), subscribed);
    EXPECT_EQ(next.what, act::wait);
    EXPECT_TRUE(next.fresh_id);
    EXPECT_EQ(ms(next.until), 10'901);
    EXPECT_EQ(op.result(), outcome::pending);
    EXPECT_EQ(op.on_woken(at(10'901ms), false, subscribed).what, act::attempt);
}

/// A lease that is shorter than the answers take.
TEST(acquire_op, pauses_longer_each_time_its_validity_has_passed) {
    auto op = trying(patient());
    auto now = at(11s);
    op.on_answer(acquired, at(1s), now, subscribed);
    op.on_woken(now, false, subscribed);
    for (auto const pause : {2ms, 4ms, 8ms, 16ms, 32ms, 64ms, 100ms, 100ms}) {
        auto const next = op.on_answer(acquired, now - 10s, now, subscribed);
        EXPECT_EQ(next.what, act::pause) << "the release of the one before is no news";
        EXPECT_TRUE(next.fresh_id);
        EXPECT_EQ(next.until, now + pause);
        now += pause;
        EXPECT_EQ(op.on_woken(now, false, subscribed).what, act::attempt);
    }
}

TEST(acquire_op, counts_max_hold_from_the_request_as_well) {
    auto terms = patient();
    terms.max_hold = 500ms;
    auto in_time = trying(terms);
    in_time.on_answer(acquired, at(1s), at(1'500ms) - 1ns, subscribed);
    EXPECT_EQ(in_time.result(), outcome::acquired);
    auto late = trying(terms);
    EXPECT_TRUE(late.on_answer(acquired, at(1s), at(1'500ms), subscribed).fresh_id);
    EXPECT_EQ(late.result(), outcome::pending);
}

TEST(acquire_op, gives_a_stale_acquisition_back_when_there_is_no_time_for_another) {
    auto op = trying(patient(at(5s)));
    auto const last = op.on_answer(acquired, at(1s), at(11s), subscribed);
    EXPECT_EQ(last.what, act::finish);
    EXPECT_TRUE(last.fresh_id) << "its id is in the key";
    EXPECT_EQ(op.result(), outcome::timed_out);

    auto impatient = trying(once());
    auto const at_once = impatient.on_answer(acquired, at(1s), at(11s), subscribed);
    EXPECT_TRUE(at_once.fresh_id);
    EXPECT_EQ(impatient.result(), outcome::busy);
}

TEST(acquire_op, has_entered_again_when_the_count_is_written) {
    auto op = trying(again());
    EXPECT_EQ(op.on_count_answer(count_answer::written, at(0s), at(1ms), at(5s)).what, act::finish);
    EXPECT_EQ(op.result(), outcome::acquired);
}

TEST(acquire_op, has_lost_the_tenure_when_a_reentry_finds_it_not_held) {
    auto op = trying(again());
    op.on_count_answer(count_answer::not_held, at(0s), at(1ms), at(5s));
    EXPECT_EQ(op.result(), outcome::lost);
}

TEST(acquire_op, has_entered_again_late_as_long_as_any_level_is_valid) {
    auto own = trying(again());
    own.on_count_answer(count_answer::written, at(0s), at(9'900ms) - 1ns, at(5s));
    EXPECT_EQ(own.result(), outcome::acquired) << "by its own lease";
    auto outer = trying(again());
    outer.on_count_answer(count_answer::written, at(0s), at(9'900ms), at(20s));
    EXPECT_EQ(outer.result(), outcome::acquired) << "by the lease of an outer level";
    auto none = trying(again());
    none.on_count_answer(count_answer::written, at(0s), at(9'900ms), at(9'900ms));
    EXPECT_EQ(none.result(), outcome::lost);
}

TEST(acquire_op, says_busy_at_once_when_it_must_not_wait) {
    auto op = trying(once());
    EXPECT_EQ(op.on_answer(busy(), at(0s), at(1ms), not_subscribed).what, act::finish);
    EXPECT_EQ(op.result(), outcome::busy);
}

TEST(acquire_op, says_timed_out_when_busy_comes_at_the_deadline) {
    auto op = trying(patient(at(1s)));
    auto const last = op.on_answer(busy(), at(0s), at(1s), not_subscribed);
    EXPECT_EQ(last.what, act::finish);
    EXPECT_FALSE(last.fresh_id) << "the server said that it does not hold";
    EXPECT_EQ(op.result(), outcome::timed_out);
}

struct wait_row {
    char const* what;
    std::optional<base::milliseconds> retry_after;
    base::instant deadline;
    std::int64_t until_ms;
};

TEST(acquire_op, waits_until_the_holders_lease_ends_or_it_is_time_to_look_again) {
    wait_row const rows[] = {
        {"the holder's lease", 5s, base::never, 6'000},
        {"a lease that ends now: not a tight loop", 0ms, base::never, 1'001},
        {"a lease that is longer than the longest wait", 1h, base::never, 31'000},
        {"no lease at all", std::nullopt, base::never, 31'000},
        {"the deadline comes first", 5s, at(2s), 2'000},
        {"the deadline comes first, no lease", std::nullopt, at(2s), 2'000},
        {"the largest number that a server can send", base::milliseconds::max(), base::never, 31'000},
    };
    for (auto const& row : rows) {
        auto op = trying(patient(row.deadline));
        auto const next = op.on_answer(busy(row.retry_after), at(0s), at(1s), subscribed);
        EXPECT_EQ(next.what, act::wait) << row.what;
        EXPECT_EQ(ms(next.until), row.until_ms) << row.what;
    }
}

TEST(acquire_op, subscribes_when_the_channel_was_not_subscribed_to_before_the_attempt) {
    for (auto const& before : {subscribed, not_subscribed}) {
        auto op = trying(patient());
        EXPECT_EQ(op.on_answer(busy(), at(0s), at(1ms), before).subscribe, !before.subscribed);
    }
}

TEST(acquire_op, pauses_and_asks_again_where_the_server_executed_nothing) {
    for (auto const what : {verdict::not_executed, verdict::read_only}) {
        for (auto const& terms : {patient(), once(), again()}) {
            if (!terms.may_wait && what == verdict::not_executed) continue; // refused_attempt_test.cpp
            auto op = trying(terms);
            auto const next = op.on_error(what, at(1s));
            EXPECT_EQ(next.what, act::pause);
            EXPECT_EQ(ms(next.until), 1'100);
            EXPECT_EQ(op.result(), outcome::pending);
            EXPECT_EQ(op.on_woken(next.until, false, not_subscribed).what, act::attempt);
        }
    }
}

TEST(acquire_op, pauses_no_longer_than_to_its_deadline) {
    auto op = trying(patient(at(1'050ms)));
    EXPECT_EQ(ms(op.on_error(verdict::not_executed, at(1s)).until), 1'050);
    op.on_deadline(knowledge::nothing);
    EXPECT_EQ(op.result(), outcome::refused) << "the server said nothing about the lock";
}

TEST(acquire_op, ends_with_an_error_that_trying_again_does_not_mend) {
    struct {
        verdict said;
        outcome then;
    } const rows[] = {
        {verdict::refused, outcome::refused},
        {verdict::wrong_type, outcome::wrong_type},
        {verdict::no_script, outcome::refused}, // to the script's very text
    };
    for (auto const& row : rows) {
        auto op = trying(patient());
        auto const last = op.on_error(row.said, at(1s));
        EXPECT_EQ(last.what, act::finish);
        EXPECT_FALSE(last.fresh_id);
        EXPECT_EQ(op.result(), row.then);
    }
}

TEST(acquire_op, ends_with_bad_reply_when_it_cannot_read_the_answer) {
    auto op = trying(patient());
    EXPECT_EQ(op.on_answer(not_understood, at(0s), at(1ms), subscribed).what, act::finish);
    EXPECT_EQ(op.result(), outcome::bad_reply);
    auto reentry = trying(again());
    reentry.on_count_answer(count_answer::not_understood, at(0s), at(1ms), at(5s));
    EXPECT_EQ(reentry.result(), outcome::bad_reply);
}

TEST(acquire_op, gives_up_at_the_deadline_and_says_timed_out_when_the_server_said_busy) {
    auto op = waiting(patient(at(9s)));
    op.on_woken(at(2s), false, subscribed);
    EXPECT_EQ(op.on_deadline(knowledge::nothing).what, act::finish);
    EXPECT_EQ(op.result(), outcome::timed_out);
}

TEST(acquire_op, gives_up_at_the_deadline_and_says_disconnected_when_the_server_is_away_whatever_it_said_before) {
    auto busy = waiting(patient(at(9s)));
    EXPECT_EQ(busy.on_deadline(knowledge::server_is_away).what, act::finish);
    EXPECT_EQ(busy.result(), outcome::disconnected);
    auto refused = trying(patient(at(9s)));
    refused.on_error(verdict::not_executed, at(2s));
    refused.on_deadline(knowledge::server_is_away);
    EXPECT_EQ(refused.result(), outcome::disconnected);
}

TEST(acquire_op, gives_up_at_the_deadline_and_says_disconnected_when_the_server_never_answered) {
    auto op = trying(patient(at(9s)));
    EXPECT_EQ(op.on_deadline(knowledge::nothing).what, act::finish);
    EXPECT_EQ(op.result(), outcome::disconnected);
}

TEST(acquire_op, gives_up_at_the_deadline_and_says_timed_out_when_another_of_this_process_was_told_busy) {
    auto op = trying(patient(at(9s)));
    op.on_deadline(knowledge::lock_is_held);
    EXPECT_EQ(op.result(), outcome::timed_out);
    EXPECT_TRUE(op.found_held());
}

TEST(acquire_op, says_timed_out_when_a_key_was_there_and_the_script_is_still_on_its_way) {
    acquire_op op(plain(patient(at(9s))));
    op.start();
    op.on_head(at(0s), false, not_subscribed);
    EXPECT_EQ(op.on_answer(key_exists, at(0s), at(1ms), not_subscribed).what, act::attempt);
    op.on_deadline(knowledge::nothing);
    EXPECT_EQ(op.result(), outcome::timed_out);
}

TEST(acquire_op, says_refused_when_the_servers_last_word_was_that_it_does_nothing) {
    auto op = waiting(patient(at(9s)));
    op.on_woken(at(2s), false, subscribed);
    EXPECT_EQ(op.on_error(verdict::not_executed, at(2s)).what, act::pause);
    op.on_deadline(knowledge::nothing);
    EXPECT_EQ(op.result(), outcome::refused);
}

TEST(acquire_op, asks_once_although_it_yields_when_there_is_no_time_to_wait_for_others) {
    acquire_op head(patient(at(4ms)));
    head.start();
    auto const next = head.on_head(at(0s), true, subscribed);
    EXPECT_EQ(next.what, act::wait);
    EXPECT_EQ(next.until, at(2ms)) << "time is left for an answer";
    EXPECT_EQ(head.on_woken(next.until, true, subscribed).what, act::attempt);
    auto refused = waiting(patient(at(1s) + 3ms));
    auto const again = refused.on_woken(at(1s), true, subscribed);
    EXPECT_EQ(again.what, act::wait);
    EXPECT_EQ(again.until, at(1s) + 3ms) << "it has asked";
}

TEST(acquire_op, says_timed_out_when_the_server_is_there_and_there_was_no_time_for_an_answer) {
    auto op = trying(patient(at(9s)));
    op.on_deadline(knowledge::server_is_there);
    EXPECT_EQ(op.result(), outcome::timed_out);
    EXPECT_FALSE(op.found_held()) << "nobody has said so";
    auto refused = trying(patient(at(9s)));
    refused.on_error(verdict::not_executed, at(2s));
    refused.on_deadline(knowledge::server_is_there);
    EXPECT_EQ(refused.result(), outcome::refused) << "its word counts more than that it is there";
}

TEST(acquire_op, does_not_call_a_stale_acquisition_busy_when_the_server_falls_silent_then) {
    auto op = trying(patient(at(60s)));
    op.on_answer(acquired, at(0s), at(20s), subscribed);
    op.on_woken(at(20'001ms), false, subscribed);
    op.on_deadline(knowledge::nothing);
    EXPECT_EQ(op.result(), outcome::disconnected);
}

// --- waiting

TEST(acquire_op, asks_again_when_it_is_woken) {
    auto op = waiting(patient());
    auto const next = op.on_woken(at(2s), false, subscribed);
    EXPECT_EQ(next.what, act::attempt);
    EXPECT_TRUE(op.trying());
}

TEST(acquire_op, leaves_a_released_lock_to_other_processes_for_a_moment_when_it_yields) {
    auto op = waiting(patient());
    auto const next = op.on_woken(at(2s), true, subscribed);
    EXPECT_EQ(next.what, act::wait);
    EXPECT_EQ(ms(next.until), 2'005);
    EXPECT_FALSE(next.subscribe);
    EXPECT_EQ(op.on_woken(at(2'005ms), false, subscribed).what, act::attempt);
}

TEST(acquire_op, subscribes_when_it_yields_and_hears_nothing_otherwise) {
    auto op = waiting(patient(at(2'003ms)));
    auto const next = op.on_woken(at(2s), true, not_subscribed);
    EXPECT_TRUE(next.subscribe);
    EXPECT_EQ(ms(next.until), 2'003) << "never beyond the deadline";
}

channel_sample sample_of(std::uint64_t count, std::uint64_t messages, std::uint64_t turns) {
    channel_sample out = subscribed;
    out.count = count;
    out.messages = messages;
    out.turns = turns;
    return out;
}

TEST(acquire_op, is_woken_by_what_it_waits_for) {
    auto const before = sample_of(4, 3, 1);
    auto const confirmation = sample_of(5, 3, 1);
    auto const message = sample_of(5, 4, 1);
    auto const turn = sample_of(5, 4, 2);
    auto any = waiting(patient());
    EXPECT_FALSE(any.is_news(before, before));
    EXPECT_TRUE(any.is_news(confirmation, before));
    EXPECT_TRUE(any.is_news(message, before));
    auto gives_way = waiting(patient());
    gives_way.on_woken(at(2s), true, before);
    EXPECT_FALSE(gives_way.is_news(confirmation, before)) << "of others it has heard nothing";
    EXPECT_TRUE(gives_way.is_news(message, before));
    auto yielding = waiting(patient());
    yielding.on_woken(at(2s), false, before, {1ms, true});
    EXPECT_TRUE(yielding.is_news(confirmation, before)) << "something may have been missed";
    EXPECT_FALSE(yielding.is_news(message, before)) << "its turn has not come";
    EXPECT_TRUE(yielding.is_news(turn, before));
}

TEST(acquire_op, listens_while_it_waits_and_while_it_yields_near_its_turn) {
    EXPECT_TRUE(waiting(patient()).listens());
    EXPECT_FALSE(trying(patient()).listens());
    for (bool const near : {false, true}) {
        auto op = waiting(patient());
        op.on_woken(at(2s), false, subscribed, {1ms, near});
        EXPECT_EQ(op.listens(), near);
    }
}

// --- processes that have waited for longer ask first

constexpr precedence others_for_a_while{2ms, false};
constexpr precedence others_near_our_turn{1ms, true};

TEST(acquire_op, leaves_the_lock_to_others_that_are_before_it_and_looks_again_then) {
    auto op = waiting(patient());
    auto const next = op.on_woken(at(1s), false, subscribed, others_for_a_while);
    EXPECT_EQ(next.what, act::yield);
    EXPECT_EQ(next.until, at(1s) + 2ms);
    EXPECT_FALSE(next.listen);
    EXPECT_EQ(op.on_woken(next.until, false, subscribed).what, act::attempt);
}

TEST(acquire_op, listens_while_it_yields_when_its_turn_is_near) {
    auto op = waiting(patient());
    auto const next = op.on_woken(at(1s), false, subscribed, others_near_our_turn);
    EXPECT_EQ(next.what, act::yield);
    EXPECT_TRUE(next.listen);
}

TEST(acquire_op, yields_as_a_new_head_too_and_asks_by_script_then) {
    acquire_op op(plain(patient()));
    op.start();
    auto const next = op.on_head(at(0s), false, subscribed, others_for_a_while);
    EXPECT_EQ(next.what, act::yield);
    auto const then = op.on_woken(next.until, false, subscribed);
    EXPECT_EQ(then.what, act::attempt);
    EXPECT_FALSE(then.plain) << "others want it: how long it is held is of interest";
}

TEST(acquire_op, asks_at_once_when_nobody_is_before_it) {
    auto op = waiting(patient());
    EXPECT_EQ(op.on_woken(at(1s), false, subscribed, {0ns, true}).what, act::attempt);
    auto other = waiting(patient());
    EXPECT_EQ(other.on_woken(at(1s), false, subscribed, {-5ms, true}).what, act::attempt);
}

TEST(acquire_op, asks_once_at_least_in_time_for_an_answer_whoever_is_before_it) {
    acquire_op hasty(patient(at(2ms)));
    hasty.start();
    auto const first = hasty.on_head(at(0s), false, subscribed, others_for_a_while);
    EXPECT_EQ(first.what, act::yield);
    EXPECT_EQ(first.until, at(1ms));
    EXPECT_EQ(hasty.on_woken(first.until, false, subscribed, others_for_a_while).what, act::attempt);
    acquire_op late(patient(at(13ms)));
    late.start();
    EXPECT_EQ(late.on_head(at(0s), false, subscribed, {13ms - 1us, false}).until, at(6'500us));
    auto refused = waiting(patient(at(1s) + 1ms)); // it has asked
    auto const next = refused.on_woken(at(1s), false, subscribed, others_for_a_while);
    EXPECT_EQ(next.what, act::yield);
    EXPECT_EQ(next.until, at(1s) + 1ms) << "not beyond its deadline";
}

// --- the whole dialogue, and what ends it at every step

struct operation {
    acquire_op op{patient(at(50s))};
    std::vector<acquire_op::action> actions{};
    outcome by_last_word = outcome::disconnected; ///< of the server, at the deadline
    void did(acquire_op::action what) { actions.push_back(what); }
};

scripted::dialogue<operation> const long_wait = {
    {"start", [](operation& o) { o.did(o.op.start()); }},
    {"head of the queue, yielding", [](operation& o) { o.did(o.op.on_head(at(1s), true, not_subscribed)); }},
    {"subscribed", [](operation& o) { o.did(o.op.on_woken(at(2s), false, subscribed)); }},
    {"busy",
     [](operation& o) {
         o.did(o.op.on_answer(busy(), at(2s), at(3s), subscribed));
         o.by_last_word = outcome::timed_out;
     }},
    {"released here, yielding", [](operation& o) { o.did(o.op.on_woken(at(4s), true, subscribed)); }},
    {"a message", [](operation& o) { o.did(o.op.on_woken(at(4'001ms), false, subscribed)); }},
    {"LOADING",
     [](operation& o) {
         o.did(o.op.on_error(verdict::not_executed, at(5s)));
         o.by_last_word = outcome::refused;
     }},
    {"the pause is over", [](operation& o) { o.did(o.op.on_woken(at(5'100ms), false, subscribed)); }},
    {"acquired, but far too late",
     [](operation& o) { o.did(o.op.on_answer(acquired, at(5'100ms), at(20s), subscribed)); }},
    {"a moment later", [](operation& o) { o.did(o.op.on_woken(at(20'001ms), false, subscribed)); }},
};

TEST(acquire_op, goes_through_a_long_wait) {
    operation all;
    play(long_wait, long_wait.size(), all);
    std::vector<act> const expected{act::queue,   act::wait,  act::attempt, act::wait, act::wait,
                                    act::attempt, act::pause, act::attempt, act::wait, act::attempt};
    ASSERT_EQ(all.actions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(all.actions[i].what, expected[i]) << long_wait[i].what;
        EXPECT_LE(ms(all.actions[i].until), 50'000) << long_wait[i].what;
    }
    EXPECT_EQ(all.op.on_answer(acquired, at(20'001ms), at(20'002ms), subscribed).what, act::finish);
    EXPECT_EQ(all.op.result(), outcome::acquired);
}

template <class Event> void ends_everywhere(Event const& event, outcome expected) {
    scripted::fail_after_every_step(long_wait, [&](operation& o, std::size_t) {
        auto const last = event(o.op);
        EXPECT_EQ(last.what, act::finish);
        EXPECT_FALSE(last.fresh_id);
        EXPECT_EQ(o.op.result(), expected);
        EXPECT_FALSE(o.op.trying());
    });
}

TEST(acquire_op, ends_at_once_when_it_is_cancelled_wherever_it_is) {
    ends_everywhere([](acquire_op& op) { return op.on_cancelled(); }, outcome::cancelled);
}

TEST(acquire_op, ends_at_once_when_the_client_closes_wherever_it_is) {
    ends_everywhere([](acquire_op& op) { return op.on_closed(); }, outcome::closed);
}

TEST(acquire_op, ends_at_once_when_the_server_is_away_for_too_long_wherever_it_is) {
    ends_everywhere([](acquire_op& op) { return op.on_outage(); }, outcome::disconnected);
}

TEST(acquire_op, ends_at_its_deadline_wherever_it_is) {
    scripted::fail_after_every_step(long_wait, [&](operation& o, std::size_t) {
        EXPECT_EQ(o.op.on_deadline(knowledge::nothing).what, act::finish);
        EXPECT_EQ(o.op.result(), o.by_last_word);
    });
}

TEST(acquire_op, ends_with_the_servers_error_at_every_attempt) {
    scripted::fail_after_every_step(long_wait, [&](operation& o, std::size_t) {
        if (!o.op.trying()) return;
        EXPECT_EQ(o.op.on_error(verdict::refused, at(30s)).what, act::finish);
        EXPECT_EQ(o.op.result(), outcome::refused);
    });
}

TEST(acquire_op_death_test, knows_an_answer_that_nobody_asked_for) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto op = waiting(patient());
    EXPECT_DEATH(op.on_answer(acquired, at(0s), at(1s), subscribed), "does not hold");
    acquire_op fresh(patient());
    EXPECT_DEATH(fresh.on_woken(at(0s), false, subscribed), "does not hold");
}

} // namespace
} // namespace redlatch::locking
