#include "locking/held_tenures.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::at_no_time;
using scripted::ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using batch = lease_keeper::batch;

// --- renewing

TEST(lease_keeper, has_no_timer_while_nothing_is_held) {
    held_tenures all;
    EXPECT_EQ(ms(all.keeper.next()), at_no_time);
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(1h))));
}

TEST(lease_keeper, counts_validity_from_before_the_request_was_sent_less_a_margin) {
    held_tenures all;
    auto const one = all.watched(at(1s));
    EXPECT_EQ(ms(one->validity()), 30'700);
    EXPECT_TRUE(one->holds(at(30'700ms) - 1ns));
    EXPECT_FALSE(one->holds(at(30'700ms)));
}

TEST(lease_keeper, renews_a_third_of_the_lease_after_the_last_renewal_was_sent) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    EXPECT_EQ(ms(all.keeper.next()), 10'000);
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(10s) - 1ns)));
    auto const sent = all.timer(at(10s)).renew;
    EXPECT_THAT(sent, ElementsAre(batch{one}));
    EXPECT_EQ(all.keeper.lease_of(sent[0]), 30s);
    EXPECT_EQ(ms(all.keeper.next()), 15'000) << "half the lease: then it is suspect";
    EXPECT_TRUE(held_tenures::nothing(all.answer(sent[0], at(10s))));
    EXPECT_EQ(ms(one->validity()), 39'700);
    EXPECT_EQ(ms(all.keeper.next()), 20'000);
}

TEST(lease_keeper, never_renews_a_fixed_lease_and_loses_it_when_it_ends) {
    held_tenures all;
    auto const one = all.fixed(5s, at(0s));
    EXPECT_EQ(ms(all.keeper.next()), 4'950);
    auto const& found = all.timer(at(4'950ms));
    EXPECT_THAT(found.renew, IsEmpty());
    EXPECT_THAT(found.suspect, IsEmpty());
    EXPECT_THAT(found.lost, ElementsAre(one));
    EXPECT_EQ(all.keeper.size(), 0U);
}

TEST(lease_keeper, renews_in_batches_that_are_no_larger_than_asked_for) {
    held_tenures all;
    for (int i = 0; i < 250; ++i) all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew;
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(sent[0].size(), 100U);
    EXPECT_EQ(sent[1].size(), 100U);
    EXPECT_EQ(sent[2].size(), 50U);
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(10s)))) << "all of them are under way";
}

TEST(lease_keeper, asks_at_once_about_a_hold_that_somebody_may_have_ended) {
    for (bool const fixed : {false, true}) {
        held_tenures all;
        auto const one = fixed ? all.fixed(60s, at(0s)) : all.watched(at(0s));
        lease_keeper::effects found;
        all.keeper.verify(batch{one}, at(0s), found);
        ASSERT_THAT(found.renew, ElementsAre(batch{one})) << fixed;
        EXPECT_TRUE(held_tenures::nothing(all.answer(found.renew[0], at(1s)))) << fixed;
    }
}

TEST(lease_keeper, asks_nothing_about_a_hold_that_has_ended_meanwhile) {
    for (bool const fixed : {false, true}) {
        held_tenures all;
        auto const one = fixed ? all.fixed(60s, at(0s)) : all.watched(at(0s));
        all.keeper.forget(one);
        lease_keeper::effects found;
        all.keeper.verify(batch{one}, at(0s), found);
        EXPECT_TRUE(held_tenures::nothing(found)) << fixed;
    }
}

TEST(lease_keeper, asks_once_in_a_while_about_a_hold_that_is_doubted_all_the_time) {
    for (bool const fixed : {false, true}) {
        held_tenures all;
        auto const one = fixed ? all.fixed(60s, at(0s)) : all.watched(at(0s));
        lease_keeper::effects first;
        all.keeper.verify(batch{one}, at(1s), first);
        all.answer(first.renew.at(0), at(1s));
        lease_keeper::effects second;
        all.keeper.verify(batch{one}, at(1s) + 10ms, second);
        EXPECT_THAT(second.renew, IsEmpty()) << fixed;
        EXPECT_EQ(all.keeper.next(), at(1s) + lease_keeper::between_doubts) << "it is not forgotten";
        EXPECT_THAT(all.timer(all.keeper.next()).renew, ElementsAre(batch{one})) << fixed;
    }
}

TEST(lease_keeper, asks_again_when_a_hold_was_doubted_while_a_question_about_it_was_under_way) {
    for (bool const fixed : {false, true}) {
        held_tenures all;
        auto const one = fixed ? all.fixed(60s, at(0s)) : all.watched(at(0s));
        lease_keeper::effects first;
        all.keeper.verify(batch{one}, at(0s), first);
        lease_keeper::effects second;
        all.keeper.verify(batch{one}, at(0s), second);
        EXPECT_THAT(second.renew, IsEmpty()) << "one question at a time";
        all.answer(first.renew[0], at(1s));
        EXPECT_LE(all.keeper.next(), at(1s)) << "it may have been answered before the doubt";
        EXPECT_THAT(all.timer(at(1s)).renew, ElementsAre(batch{one})) << fixed;
    }
}

TEST(lease_keeper, asks_the_server_about_every_key_with_its_owner) {
    held_tenures all;
    all.watched(at(0s));
    all.record = all.make_record("invoices", reentrant_recipe);
    all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew;
    auto const words = scripted::words_in(
        lease_keeper::compose(sent.at(0), all.keeper.lease_of(sent.at(0)) + lease_keeper::delay_of(sent.at(0))).bytes);
    EXPECT_THAT(words.at(0), ElementsAre("EVALSHA", scripts::lock_renew.sha1, "2", "orders", "invoices", "30000",
                                         "uuid:1", "uuid:2"));
}

TEST(lease_keeper, loses_those_that_the_server_names_and_keeps_the_others) {
    held_tenures all;
    std::vector<tenure_ptr> some;
    for (int i = 0; i < 4; ++i) some.push_back(all.watched(at(0s)));
    auto const sent = all.timer(at(10s)).renew.at(0);
    auto const& found = all.answer(sent, at(10s), {2, 4});
    EXPECT_THAT(found.lost, ElementsAre(sent[1], sent[3]));
    EXPECT_EQ(ms(sent[0]->validity()), 39'700);
    EXPECT_EQ(ms(sent[1]->validity()), 29'700);
    EXPECT_EQ(all.keeper.size(), 2U);
}

TEST(lease_keeper, takes_no_notice_of_positions_that_were_not_asked_for) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    EXPECT_TRUE(held_tenures::nothing(all.answer(sent, at(10s), {0, -1, 2, INT64_MAX, INT64_MIN})));
    EXPECT_EQ(ms(one->validity()), 39'700);
}

TEST(lease_keeper, tries_again_about_a_second_after_an_error_while_validity_lasts) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto now = at(10s);
    int attempts = 0;
    for (;;) {
        auto const found = all.timer(now);
        if (!found.lost.empty()) break;
        for (auto const& sent : found.renew) {
            ++attempts;
            all.keeper.on_failure(sent, now);
            EXPECT_GE(ms(one->next_renewal), ms(now) + 1'000);
            EXPECT_LE(ms(one->next_renewal), ms(now) + 1'250);
        }
        now = all.keeper.next();
    }
    EXPECT_EQ(ms(now), 29'700);
    EXPECT_GE(attempts, 15);
}

TEST(lease_keeper, tries_again_sooner_where_the_lease_is_short) {
    held_tenures all;
    all.keeper = lease_keeper({300ms, 0ms, 100}, 1);
    auto const one = all.hold({1, 300ms, true, false}, at(0s));
    auto const sent = all.timer(at(100ms)).renew.at(0);
    all.keeper.on_failure(sent, at(110ms));
    EXPECT_GE(ms(one->next_renewal), 140);
    EXPECT_LE(ms(one->next_renewal), 148);
}

TEST(lease_keeper, asks_again_at_once_when_the_connection_went_for_those_that_are_still_held) {
    held_tenures all;
    auto const held = all.watched(at(0s));
    auto const released = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    ASSERT_EQ(sent.size(), 2U);
    all.keeper.forget(released);
    lease_keeper::effects found;
    all.keeper.on_interruption(sent, at(12s), found);
    ASSERT_EQ(found.renew.size(), 1U);
    EXPECT_THAT(found.renew[0], testing::ElementsAre(held));
    all.answer(found.renew[0], at(12s));
    EXPECT_EQ(ms(held->validity()), 41'700);
}

TEST(lease_keeper, asks_no_more_when_the_connection_went_and_the_validity_with_it) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    lease_keeper::effects found;
    all.keeper.on_interruption(sent, one->validity(), found);
    EXPECT_TRUE(found.renew.empty());
    EXPECT_THAT(all.timer(one->validity()).lost, testing::ElementsAre(one));
}

TEST(lease_keeper, keeps_several_batches_apart_an_error_in_one_delays_no_other) {
    held_tenures all;
    for (int i = 0; i < 200; ++i) all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew;
    ASSERT_EQ(sent.size(), 2U);
    all.keeper.on_failure(sent[0], at(11s));
    all.answer(sent[1], at(10s));
    for (auto const& one : sent[1]) EXPECT_EQ(ms(one->next_renewal), 20'000);
    auto const again = all.timer(at(13s)).renew;
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].size(), 100U);
    EXPECT_THAT(again[0], ::testing::UnorderedElementsAreArray(sent[0]));
}

// --- levels and max_hold

TEST(lease_keeper, begins_to_renew_when_a_watchdog_level_joins_a_fixed_lease) {
    held_tenures all;
    auto const one = all.fixed(60s, at(0s));
    all.enter(one, {2, 30s, true, false}, at(1s));
    EXPECT_EQ(ms(one->validity()), 59'400) << "the longer lease counts";
    EXPECT_EQ(ms(all.keeper.next()), 11'000);
    EXPECT_THAT(all.timer(at(11s)).renew, ElementsAre(batch{one}));
}

TEST(lease_keeper, goes_on_renewing_when_a_fixed_level_joins) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.enter(one, {2, 5s, false, false}, at(9s));
    EXPECT_EQ(ms(one->validity()), 29'700);
    EXPECT_EQ(ms(all.keeper.next()), 10'000);
}

TEST(lease_keeper, stops_renewing_when_the_watchdog_level_has_ended) {
    held_tenures all;
    auto const one = all.fixed(60s, at(0s));
    all.enter(one, {2, 30s, true, false}, at(1s));
    one->levels.pop_back();
    all.keeper.acknowledged(one, 60s, at(2s)); // the partial release
    EXPECT_EQ(ms(all.keeper.next()), 61'400);
}

TEST(lease_keeper, asks_no_server_in_circles_when_the_watchdog_level_ended_without_an_answer) {
    held_tenures all;
    auto const one = all.fixed(60s, at(0s));
    all.enter(one, {2, 30s, true, false}, at(1s));
    one->levels.pop_back(); // the partial release was sent, and its answer is lost
    std::size_t asked = 0;
    while (all.keeper.size() > 0) {
        auto const now = all.keeper.next();
        auto const sent = all.timer(now).renew;
        asked += sent.size();
        ASSERT_LE(asked, 1U);
        for (auto const& some : sent) all.answer(some, now);
    }
    EXPECT_EQ(ms(one->validity()), 59'400) << "the fixed lease ended";
}

TEST(lease_keeper, ends_validity_at_max_hold_and_calls_nothing_suspect_on_the_way) {
    held_tenures all;
    auto const one = all.watched(at(0s), at(20s));
    EXPECT_EQ(ms(one->validity()), 20'000);
    EXPECT_EQ(ms(all.keeper.next()), 20'000) << "a renewal would not make it last longer";
    EXPECT_THAT(all.timer(at(20s)).lost, ElementsAre(one));
    EXPECT_FALSE(one->suspect);
}

TEST(lease_keeper, renews_up_to_max_hold_and_not_beyond) {
    held_tenures all;
    auto const one = all.watched(at(0s), at(45s));
    std::vector<std::int64_t> renewed;
    while (all.keeper.size() > 0) {
        auto const now = all.keeper.next();
        auto const found = all.timer(now);
        EXPECT_THAT(found.suspect, IsEmpty());
        for (auto const& sent : found.renew) {
            renewed.push_back(ms(now));
            all.answer(sent, now);
        }
    }
    EXPECT_THAT(renewed, ElementsAre(10'000, 20'000));
    EXPECT_EQ(ms(one->validity()), 45'000);
}

TEST(lease_keeper, caps_the_validity_that_is_there_when_a_level_with_max_hold_joins) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.enter(one, {.number = 2, .lease = 30s, .renewed = true, .max_hold_until = at(5s)}, at(1s));
    EXPECT_EQ(ms(one->validity()), 5'000);
    EXPECT_EQ(ms(all.keeper.next()), 5'000);
}

TEST(lease_keeper, forgets_the_max_hold_of_a_level_that_has_ended) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.enter(one, {.number = 2, .lease = 30s, .renewed = true, .max_hold_until = at(40s)}, at(1s));
    one->levels.pop_back();
    all.keeper.acknowledged(one, 30s, at(15s));
    EXPECT_EQ(ms(one->validity()), 44'700);
}

// --- released, lost, ended: answers count no more

/// A hold through two renewals, one error and a new connection. `under_way` is the batch that is not answered.
struct one_hold : held_tenures {
    tenure_ptr one;
    batch under_way{};
    std::int64_t valid_until_ms = 0; ///< what the server has acknowledged so far

    void send(lease_keeper::effects const& from) {
        ASSERT_EQ(from.renew.size(), 1U);
        under_way = from.renew[0];
    }
    void answered(base::instant sent_at) {
        answer(std::exchange(under_way, {}), sent_at);
        valid_until_ms = ms(sent_at) + 29'700;
    }
};

scripted::dialogue<one_hold> const a_long_hold = {
    {"acquired",
     [](one_hold& h) {
         h.one = h.watched(at(0s));
         h.valid_until_ms = 29'700;
     }},
    {"renewal sent", [](one_hold& h) { h.send(h.timer(at(10s))); }},
    {"renewed", [](one_hold& h) { h.answered(at(10s)); }},
    {"second renewal sent", [](one_hold& h) { h.send(h.timer(at(20s))); }},
    {"error", [](one_hold& h) { h.keeper.on_failure(std::exchange(h.under_way, {}), at(21s)); }},
    {"sent again", [](one_hold& h) { h.send(h.timer(at(23s))); }},
    {"suspect", [](one_hold& h) { h.timer(at(25s)); }},
    {"renewed again", [](one_hold& h) { h.answered(at(23s)); }},
    {"a new connection",
     [](one_hold& h) {
         lease_keeper::effects found;
         h.keeper.verify_all(at(30s), found);
         h.send(found);
     }},
    {"still ours", [](one_hold& h) { h.answered(at(30s)); }},
};

TEST(lease_keeper, takes_no_notice_of_late_answers_wherever_the_lock_was_released) {
    scripted::fail_after_every_step(a_long_hold, [](one_hold& h, std::size_t steps) {
        if (steps == 0) return;
        h.keeper.forget(h.one);
        h.one->now_in = tenure::phase::releasing;
        auto const before = ms(h.one->validity());
        if (!h.under_way.empty()) {
            EXPECT_TRUE(held_tenures::nothing(h.answer(h.under_way, at(30s), {1})));
            h.keeper.on_failure(h.under_way, at(30s));
        }
        h.keeper.acknowledged(h.one, 30s, at(30s));
        EXPECT_EQ(ms(h.one->validity()), before);
        EXPECT_EQ(h.keeper.size(), 0U);
        EXPECT_EQ(ms(h.keeper.next()), at_no_time) << "renewal ends with the release";
    });
}

TEST(lease_keeper, loses_a_hold_once_and_in_time_wherever_answers_stop_coming) {
    scripted::fail_after_every_step(a_long_hold, [](one_hold& h, std::size_t steps) {
        if (steps == 0) return;
        int lost = 0;
        base::instant now{};
        while (h.keeper.size() > 0) {
            now = h.keeper.next();
            lost += static_cast<int>(h.timer(now).lost.size());
        }
        EXPECT_EQ(lost, 1);
        EXPECT_EQ(ms(now), h.valid_until_ms);
    });
}

TEST(lease_keeper, loses_a_hold_at_whatever_renewal_the_server_says_so) {
    scripted::fail_after_every_step(a_long_hold, [](one_hold& h, std::size_t) {
        if (h.under_way.empty()) return;
        EXPECT_THAT(h.answer(h.under_way, at(31s), {1}).lost, ElementsAre(h.one));
        EXPECT_EQ(h.keeper.size(), 0U);
        EXPECT_EQ(ms(h.one->validity()), h.valid_until_ms);
    });
}

TEST(lease_keeper, keeps_a_hold_wherever_one_error_comes_between) {
    scripted::fail_after_every_step(a_long_hold, [](one_hold& h, std::size_t) {
        if (h.under_way.empty()) return;
        h.keeper.on_failure(h.under_way, h.one->validity() - 5s);
        base::instant again{};
        std::vector<batch> sent;
        while (sent.empty()) { // it may turn suspect first
            again = h.keeper.next();
            sent = h.timer(again).renew;
            ASSERT_EQ(h.keeper.size(), 1U) << "it was lost";
        }
        EXPECT_THAT(sent, ElementsAre(batch{h.one}));
        h.answer(sent[0], again);
        EXPECT_EQ(ms(h.one->validity()), ms(again) + 29'700);
    });
}

TEST(lease_keeper, forgets_what_it_does_not_know_without_harm) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.keeper.forget(one);
    all.keeper.forget(one);
    all.keeper.forget(std::make_shared<tenure>());
    EXPECT_EQ(all.keeper.size(), 0U);
}

} // namespace
} // namespace redlatch::locking
