#include "locking/reaper.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/virtual_time.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::at_no_time;
using scripted::ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct dead_holds {
    reaper dead;
    record_settings const settings{};
    record_ptr record = std::make_shared<lock_record>("orders", reentrant_recipe, settings);
    std::uint64_t number = 0;

    std::uint64_t add(bool late_copy_possible, base::instant first, base::instant now, base::milliseconds lease = 30s) {
        return dead.add({record, "uuid:1", lease, late_copy_possible}, first, now);
    }
    /// Sends whatever is due until nothing is left, every answer at once; when each was sent, in ms.
    std::vector<std::int64_t> run(bool late_copy_possible = false, std::size_t most = 20) {
        std::vector<std::int64_t> sent;
        while (dead.size() > 0 && sent.size() < most) {
            auto const now = dead.next();
            for (auto const& job : dead.on_timer(now)) {
                sent.push_back(ms(now));
                dead.on_answer(job.number, late_copy_possible, now);
            }
        }
        return sent;
    }
};

TEST(reaper, has_nothing_to_do_at_first) {
    dead_holds all;
    EXPECT_EQ(ms(all.dead.next()), at_no_time);
    EXPECT_THAT(all.dead.on_timer(at(1h)), IsEmpty());
    EXPECT_EQ(all.dead.size(), 0U);
}

TEST(reaper, releases_when_it_is_told_to_and_not_before) {
    dead_holds all;
    all.add(false, at(5s), at(1s));
    EXPECT_EQ(ms(all.dead.next()), 5'000);
    EXPECT_THAT(all.dead.on_timer(at(5s) - 1ns), IsEmpty());
    auto const jobs = all.dead.on_timer(at(5s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].record, all.record);
    EXPECT_EQ(jobs[0].owner_id, "uuid:1");
}

TEST(reaper, does_not_ask_twice_while_an_answer_is_due) {
    dead_holds all;
    all.add(true, at(0s), at(0s));
    EXPECT_EQ(all.dead.on_timer(at(0s)).size(), 1U);
    EXPECT_EQ(ms(all.dead.next()), at_no_time);
    EXPECT_THAT(all.dead.on_timer(at(1h)), IsEmpty());
    EXPECT_EQ(all.dead.size(), 1U) << "it is not forgotten either";
}

TEST(reaper, forgets_an_id_of_which_no_late_copy_can_run) {
    dead_holds all;
    all.add(false, at(0s), at(0s));
    EXPECT_THAT(all.run(), ElementsAre(0));
    EXPECT_EQ(all.dead.size(), 0U);
}

TEST(
    reaper,
    sweeps_an_id_with_a_possible_late_copy_at_1_5_15_and_30_seconds_then_each_minute_until_one_lease_after_the_last_late_call) {
    dead_holds all;
    all.add(true, at(0s), at(0s), 30s);
    EXPECT_THAT(all.run(), ElementsAre(0, 1'000, 5'000, 15'000, 30'000, 90'000));
    all.add(true, at(0s), at(0s), 150s);
    EXPECT_THAT(all.run(), ElementsAre(0, 1'000, 5'000, 15'000, 30'000, 90'000, 150'000, 210'000));
}

TEST(reaper, sweeps_an_id_that_was_released_already_from_the_first_second_on) {
    dead_holds all;
    all.dead.sweep({all.record, "uuid:1", 30s, true}, at(10s));
    EXPECT_THAT(all.run(), ElementsAre(11'000, 15'000, 25'000, 40'000, 100'000));
}

TEST(reaper, sweeps_an_id_whose_own_release_may_have_a_late_copy) {
    dead_holds all;
    all.add(false, at(0s), at(0s), 30s);
    EXPECT_THAT(all.run(true), ElementsAre(0, 1'000, 5'000, 15'000, 30'000, 90'000));
}

TEST(reaper, keeps_sweeping_although_later_releases_have_no_late_copy) {
    dead_holds all;
    auto const number = all.add(false, at(0s), at(0s));
    all.dead.on_timer(at(0s));
    all.dead.on_answer(number, true, at(0s));
    EXPECT_THAT(all.run(), ElementsAre(1'000, 5'000, 15'000, 30'000, 90'000));
}

TEST(reaper, counts_what_is_only_swept_as_resolved) {
    dead_holds all;
    auto const number = all.add(true, at(0s), at(0s));
    EXPECT_EQ(all.dead.unresolved(), 1U);
    all.dead.on_timer(at(0s));
    all.dead.on_failure(number, false, at(0s));
    EXPECT_EQ(all.dead.unresolved(), 1U);
    all.dead.on_timer(at(1s));
    all.dead.on_answer(number, false, at(1s));
    EXPECT_EQ(all.dead.unresolved(), 0U);
    EXPECT_EQ(all.dead.size(), 1U) << "a late copy may come";
}

TEST(reaper, counts_its_pauses_from_the_answers) {
    dead_holds all;
    auto const number = all.add(true, at(0s), at(0s));
    all.dead.on_timer(at(0s));
    all.dead.on_answer(number, false, at(3s));
    EXPECT_EQ(ms(all.dead.next()), 4'000);
}

TEST(reaper, tries_again_after_an_error_at_least_each_second_until_the_key_must_have_expired) {
    dead_holds all;
    all.add(false, at(0s), at(0s), 30s);
    std::vector<std::int64_t> sent;
    while (all.dead.size() > 0) {
        auto const now = all.dead.next();
        for (auto const& job : all.dead.on_timer(now)) {
            sent.push_back(ms(now));
            all.dead.on_failure(job.number, false, now);
        }
    }
    ASSERT_EQ(sent.size(), 95U);
    EXPECT_THAT(std::vector(sent.begin(), sent.begin() + 7), ElementsAre(0, 50, 150, 350, 750, 1'550, 2'550));
    for (std::size_t i = 7; i < sent.size(); ++i) EXPECT_EQ(sent[i], sent[i - 1] + 1'000);
    EXPECT_EQ(sent.back(), 90'550);
}

TEST(reaper, does_not_forget_with_an_error_that_the_predecessor_kill_was_refused) {
    dead_holds all;
    auto const number = all.add(false, at(0s), at(0s));
    all.dead.on_timer(at(0s));
    all.dead.on_failure(number, true, at(0s));
    EXPECT_THAT(all.run(), ElementsAre(50, 1'050, 5'050, 15'050, 30'050, 90'050));
}

TEST(reaper, takes_no_notice_of_answers_about_what_it_has_forgotten) {
    dead_holds all;
    auto const number = all.add(false, at(0s), at(0s));
    all.run();
    all.dead.on_answer(number, true, at(1s));
    all.dead.on_failure(number, true, at(1s));
    all.dead.on_answer(4'711, false, at(1s));
    EXPECT_EQ(all.dead.size(), 0U);
    EXPECT_EQ(ms(all.dead.next()), at_no_time);
}

TEST(reaper, keeps_many_apart_and_sends_the_earliest_first) {
    dead_holds all;
    auto const third = all.add(false, at(3s), at(0s));
    auto const first = all.add(false, at(1s), at(0s));
    auto const second = all.add(false, at(1s), at(0s));
    auto const jobs = all.dead.on_timer(at(3s));
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(jobs[0].number, first);
    EXPECT_EQ(jobs[1].number, second);
    EXPECT_EQ(jobs[2].number, third);
    all.dead.on_failure(second, false, at(3s));
    all.dead.on_answer(third, false, at(3s));
    all.dead.on_answer(first, false, at(3s));
    EXPECT_EQ(all.dead.size(), 1U);
    EXPECT_EQ(ms(all.dead.next()), 3'050);
}

TEST(reaper, hands_over_at_once_whatever_is_not_under_way_when_the_client_closes) {
    dead_holds all;
    auto const asked = all.add(false, at(0s), at(0s));
    all.dead.on_timer(at(0s));
    auto const due_later = all.add(true, at(1h), at(0s));
    auto const jobs = all.dead.all_now(base::never);
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].number, due_later);
    all.dead.on_answer(asked, false, at(1s));
    EXPECT_EQ(all.dead.size(), 1U);
}

/// Its key would stay for its lease, and for the delay behind that.
TEST(reaper, keeps_an_id_for_its_lock_delay_alone_when_the_client_closes) {
    dead_holds all;
    reaper::dead_id delayed{all.record, "uuid:1", 30s, false};
    delayed.not_before = at(60s);
    all.dead.add(delayed, at(60s), at(0s));
    auto const before = all.dead.all_now(at(59s));
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(before[0].kept_until, at(60s));
    auto const over = all.dead.add(std::move(delayed), at(60s), at(0s));
    auto const jobs = all.dead.all_now(at(60s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].number, over);
    EXPECT_EQ(jobs[0].kept_until, base::instant::min()) << "it is over";
}

/// An id of which a late copy is possible from its beginning to its end, every answer good.
scripted::dialogue<dead_holds> sweeps() {
    scripted::dialogue<dead_holds> lines;
    lines.push_back({"added", [](dead_holds& all) { all.number = all.add(true, at(0s), at(0s)); }});
    for (auto const when : {0s, 1s, 5s, 15s, 30s}) {
        auto const name = std::to_string(when.count()) + " s";
        lines.push_back({"sent at " + name, [when](dead_holds& all) { all.dead.on_timer(at(when)); }});
        lines.push_back(
            {"answered at " + name, [when](dead_holds& all) { all.dead.on_answer(all.number, false, at(when)); }});
    }
    return lines;
}

TEST(reaper, goes_on_until_the_key_must_have_expired_wherever_errors_begin) {
    scripted::fail_after_every_step(sweeps(), [](dead_holds& all, std::size_t steps) {
        if (steps == 0) return;
        if (ms(all.dead.next()) == at_no_time) all.dead.on_failure(all.number, false, at(30s));
        base::instant last{};
        while (all.dead.size() > 0) {
            last = all.dead.next();
            ASSERT_LT(ms(last), 200'000) << "it never ends";
            for (auto const& job : all.dead.on_timer(last)) all.dead.on_failure(job.number, false, last);
        }
        EXPECT_GE(ms(last), 90'000) << "60 s for late bytes and a lease of 30 s";
        EXPECT_LE(ms(last), 91'000);
    });
}

TEST(reaper, makes_its_last_sweep_one_lease_after_late_bytes_wherever_one_error_comes_between) {
    scripted::fail_after_every_step(sweeps(), [](dead_holds& all, std::size_t steps) {
        if (steps == 0) return;
        if (ms(all.dead.next()) == at_no_time) all.dead.on_failure(all.number, false, at(30s));
        auto const sent = all.run();
        ASSERT_THAT(sent, ::testing::Not(IsEmpty()));
        EXPECT_GE(sent.back(), 90'000);
    });
}

// --- another master

std::vector<std::string> owners_of(std::vector<reaper::job> const& jobs) {
    std::vector<std::string> owners;
    for (auto const& job : jobs) owners.push_back(job.has_departed ? job.owner_id : "not departed: " + job.owner_id);
    return owners;
}

constexpr auto everywhere = [](lock_record const&) { return true; };

TEST(reaper, releases_once_more_what_has_left_a_moment_before_another_server_became_the_master) {
    dead_holds all;
    all.dead.remember_departures();
    all.dead.on_departed(all.record, "uuid:2", 30s, base::instant::min(), at(0s));
    all.dead.on_departed(all.record, "uuid:3", 30s, at(20s), at(5s));
    all.add(false, at(6s), at(6s)); // by the reaper itself
    for (auto const& job : all.dead.on_timer(at(6s))) all.dead.on_answer(job.number, false, at(7s));
    EXPECT_EQ(all.dead.size(), 0U);
    all.dead.repeat_departures(at(11s), everywhere);
    auto const jobs = all.dead.on_timer(at(11s));
    EXPECT_THAT(owners_of(jobs), ElementsAre("uuid:3", "uuid:1")) << "the other one is long known everywhere";
    EXPECT_EQ(jobs.at(0).kept_until, at(20s));
    all.dead.repeat_departures(at(11s), everywhere);
    EXPECT_EQ(all.dead.size(), 2U) << "however often locks change their servers, each is under way once";
    for (auto const& job : jobs) all.dead.on_answer(job.number, true, at(11s)); // no acquisition goes before it
    EXPECT_EQ(all.dead.size(), 0U);
    all.dead.repeat_departures(at(12s), [](auto const&) { return false; });
    EXPECT_THAT(all.dead.on_timer(at(12s)), IsEmpty()) << "the same server has it";
    all.dead.repeat_departures(at(14s), everywhere);
    EXPECT_THAT(owners_of(all.dead.on_timer(at(14s))), ElementsAre("uuid:3", "uuid:1")) << "it may be a third one";
}

TEST(reaper, remembers_the_latest_departures_and_only_where_there_may_be_another_master) {
    dead_holds single;
    single.dead.on_departed(single.record, "uuid:2", 30s, base::instant::min(), at(0s));
    single.dead.repeat_departures(at(1s), everywhere);
    EXPECT_EQ(single.dead.size(), 0U);
    dead_holds all;
    all.dead.remember_departures();
    for (std::size_t i = 0; i < most_departures + 2; ++i)
        all.dead.on_departed(all.record, "uuid:" + std::to_string(i), 30s, base::instant::min(), at(0s));
    all.dead.repeat_departures(at(1s), everywhere);
    auto const owners = owners_of(all.dead.on_timer(at(1s)));
    EXPECT_EQ(owners.size(), most_departures);
    for (std::string const forgotten : {"uuid:0", "uuid:1"})
        EXPECT_EQ(std::count(owners.begin(), owners.end(), forgotten), 0) << forgotten;
}

} // namespace
} // namespace redlatch::locking
