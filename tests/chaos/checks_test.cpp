// Each check and each figure is fed a history that it must find fault with, and its harmless twin.
#include "checks.hpp"
#include "figures.hpp"
#include "sections.hpp"

#include <gtest/gtest.h>

namespace redlatch::chaos {
namespace {

using namespace std::chrono_literals;

history made(std::string_view text) {
    history result;
    while (!text.empty()) {
        auto const end = text.find('\n');
        if (auto const one = from_line(text.substr(0, end)))
            result.push_back(*one);
        else
            ADD_FAILURE() << "not a line: " << text.substr(0, end);
        text.remove_prefix(end + 1);
    }
    return result;
}

TEST(chaos_history, lines_are_read_as_they_were_written) {
    event const one{.at = 17, .who = "a.0", .what = kind::fail, .number = 3, .until = -5, .text = "two words"};
    auto const line = to_line(one);
    EXPECT_EQ(line, "17 a.0 fail 3 -5 two words\n");
    auto const read = from_line(line.substr(0, line.size() - 1));
    ASSERT_TRUE(read);
    EXPECT_EQ(to_line(*read), line);
    for (auto const* bad : {"", "x", "1 a.0 nonsense 0 0", "1 a.0 ask", "1 a.0 ask x y"})
        EXPECT_FALSE(from_line(bad)) << bad;
    for (int each = 0; each <= static_cast<int>(kind::key_left); ++each) {
        auto const again = from_line("1 a " + std::string(name_of(static_cast<kind>(each))) + " 0 0");
        ASSERT_TRUE(again);
        EXPECT_EQ(again->what, static_cast<kind>(each));
    }
}

TEST(chaos_checks, reject_sections_that_overlap_in_time) {
    auto const both = made("100 a.0 enter 1 900\n"
                           "200 a.0 look 1 900\n"
                           "250 b.0 enter 2 900\n"
                           "300 a.0 leave 1 900\n"
                           "400 b.0 leave 2 900\n");
    ASSERT_EQ(overlapping_sections(both).size(), 1U);
    EXPECT_EQ(overlaps_of(sections_of(both)).at(0).length_us, 50);
    EXPECT_TRUE(overlapping_sections(made("100 a.0 enter 1 900\n"
                                          "300 a.0 leave 1 900\n"
                                          "300 b.0 enter 2 900\n"
                                          "400 b.0 leave 2 900\n"))
                    .empty());
}

TEST(chaos_checks, find_a_long_section_around_short_ones) {
    EXPECT_EQ(overlapping_sections(made("100 a.0 enter 1 900\n"
                                        "150 b.0 enter 2 900\n"
                                        "160 b.0 leave 2 900\n"
                                        "170 c.0 enter 3 900\n"
                                        "180 c.0 leave 3 900\n"
                                        "200 a.0 leave 1 900\n"))
                  .size(),
              2U);
}

TEST(chaos_checks, give_a_killed_holder_the_lock_until_its_validity_ends) {
    auto const text = std::string("100 a.0 enter 1 500\n200 a.0 look 1 600\n");
    EXPECT_EQ(overlapping_sections(made(text + "550 b.0 enter 2 900\n560 b.0 leave 2 900\n")).size(), 1U);
    EXPECT_TRUE(overlapping_sections(made(text + "600 b.0 enter 2 900\n660 b.0 leave 2 900\n")).empty());
}

TEST(chaos_checks, end_a_lost_section_with_its_last_valid_look) {
    EXPECT_TRUE(overlapping_sections(made("100 a.0 enter 1 500\n"
                                          "200 a.0 look 1 500\n"
                                          "600 b.0 enter 2 900\n"
                                          "650 a.0 lost 0 0\n"
                                          "700 b.0 leave 2 900\n"))
                    .empty());
}

TEST(chaos_checks, reject_an_entry_that_the_resource_saw_during_a_valid_hold) {
    auto const text = std::string("100 a.0 enter 1 900\n200 a.0 leave 2 900\n");
    EXPECT_EQ(tokens_of_others(made(text + "900 b.0 enter 2 990\n")).size(), 1U);
    EXPECT_TRUE(tokens_of_others(made(text + "900 b.0 turned_away 2 0\n")).empty());
    EXPECT_TRUE(tokens_of_others(made("100 a.0 enter 1 900\n200 a.0 leave 1 900\n250 b.0 enter 2 990\n")).empty());
}

TEST(chaos_checks, reject_a_loss_that_nobody_was_told_of) {
    EXPECT_EQ(missed_notices(made("50 a.0 got 0 500\n600 a.0 lost 0 0\n700 a.0 freed 0 0 lease_lost\n"), 20us).size(),
              1U);
    EXPECT_EQ(missed_notices(made("50 a.0 got 0 500\n600 a.0 lost 0 0\n700 a.0 got 0 900\n"), 20us).size(), 1U)
        << "the next hold does not hide it";
    EXPECT_TRUE(missed_notices(made("50 a.0 got 0 500\n500 a.0 told 0 500\n510 a.0 lost 0 0\n"), 20us).empty());
}

TEST(chaos_checks, reject_a_notice_after_the_key_could_expire) {
    auto const text = std::string("50 a.0 got 0 500\n521 a.0 told 0 500\n530 a.0 lost 0 0\n");
    EXPECT_EQ(missed_notices(made(text), 20us).size(), 1U);
    EXPECT_TRUE(missed_notices(made(text), 21us).empty());
    EXPECT_TRUE(missed_notices(made("40 a stopped 0 0\n" + text + "600 a continued 0 0\n"), 20us).empty());
    EXPECT_EQ(missed_notices(made("40 b stopped 0 0\n" + text), 20us).size(), 1U) << "another process";
}

TEST(chaos_checks, reject_a_waiter_that_was_left_behind) {
    auto const text = std::string("50 a.0 ask 0 0\n60 b.0 ask 0 0\n70 b.0 fail 0 0 cancelled\n");
    EXPECT_EQ(waiters_left_behind(made(text)).size(), 1U);
    EXPECT_TRUE(waiters_left_behind(made(text + "80 a.0 got 0 100\n")).empty());
    EXPECT_TRUE(waiters_left_behind(made(text + "80 a killed 0 0\n")).empty());
    EXPECT_EQ(waiters_left_behind(made(text + "80 b killed 0 0\n")).size(), 1U);
}

TEST(chaos_checks, reject_a_wait_beyond_its_deadline) {
    auto const text = std::string("50 a.0 ask 0 100\n161 a.0 fail 0 0 timed_out\n");
    EXPECT_EQ(deadline_overruns(made(text), 60us).size(), 1U);
    EXPECT_TRUE(deadline_overruns(made(text), 61us).empty());
    EXPECT_TRUE(deadline_overruns(made("60 a stopped 0 0\n" + text), 60us).empty());
    EXPECT_EQ(deadline_overruns(made("10 a stopped 0 0\n20 a continued 0 0\n" + text), 60us).size(), 1U);
    EXPECT_TRUE(deadline_overruns(made("50 a.0 ask 0 0\n9000 a.0 got 0 9900\n"), 60us).empty()) << "no deadline";
}

TEST(chaos_checks, reject_a_key_that_is_left) {
    EXPECT_EQ(orphan_keys(made("10 runner key_left 0 0 orders\n")).size(), 1U);
    EXPECT_TRUE(orphan_keys(made("10 a.0 end 0 0\n")).empty());
}

TEST(chaos_figures, time_notice_and_recovery) {
    auto const seen = figures_of(made("50 a.0 got 0 5000\n"
                                      "60 a.0 enter 1 5000\n"
                                      "90 b.0 ask 0 0\n"
                                      "100 runner fault 0 0\n"
                                      "400 a.0 told 0 5000\n"
                                      "450 a.0 lost 0 0\n"
                                      "460 a.0 freed 0 0 lease_lost\n"
                                      "500 runner healed 0 0\n"
                                      "700 b.0 got 0 9000\n"
                                      "710 b.0 enter 2 9000\n"
                                      "720 b.0 leave 2 9000\n"),
                                 100us);
    EXPECT_EQ(seen.entries, 2);
    EXPECT_EQ(seen.losses, 1) << "told, found and released are one loss";
    EXPECT_EQ(seen.notice_us, 300);
    EXPECT_EQ(seen.ahead_us, 4700);
    EXPECT_EQ(seen.recovery_us, 210);
    EXPECT_EQ(seen.longest_wait_us, 620) << "b asked at 90, a's last valid look was before";
    EXPECT_EQ(seen.overlaps, 0);
    EXPECT_FALSE(seen.noticed_at_release);
}

TEST(chaos_figures, time_a_notice_by_the_validity_before_the_loss) {
    auto const seen = figures_of(made("50 a.0 got 0 5000\n"
                                      "60 a.0 enter 1 5000\n"
                                      "90 a.0 look 1 6000\n"
                                      "100 runner fault 0 0\n"
                                      "400 a.0 told 0 399\n"
                                      "450 a.0 lost 0 0\n"),
                                 100us);
    EXPECT_EQ(seen.ahead_us, 5700) << "a hold that is lost says only that its validity is over";
}

TEST(chaos_figures, know_a_loss_that_only_the_release_reports) {
    auto const seen = figures_of(made("50 a.0 got 0 0\n100 runner fault 0 0\n400 a.0 freed 0 0 lease_lost\n"), 0us);
    EXPECT_EQ(seen.losses, 1);
    EXPECT_TRUE(seen.noticed_at_release);
    EXPECT_EQ(seen.notice_us, 300);
    EXPECT_FALSE(seen.ahead_us);
}

TEST(chaos_figures, count_from_the_waking_of_a_process_that_was_stopped) {
    auto const seen = figures_of(made("50 a.0 got 0 200\n"
                                      "100 runner fault 0 0\n"
                                      "100 a stopped 0 0\n"
                                      "900 a continued 0 0\n"
                                      "910 a.0 told 0 200\n"
                                      "920 a.0 lost 0 0\n"),
                                 0us);
    EXPECT_EQ(seen.notice_us, 10);
    EXPECT_FALSE(seen.ahead_us) << "nobody can be told while it is stopped";
}

TEST(chaos_figures, count_calls_that_failed) {
    EXPECT_EQ(figures_of(made("1 a.0 fail 0 0 cancelled\n"
                              "2 a.0 fail 0 0 timed_out\n"
                              "3 a.0 fail 0 0 the server did not answer\n"
                              "4 a.0 freed 0 0\n"
                              "5 a.0 freed 0 0 lease_lost\n"
                              "6 a.0 freed 0 0 RedisTimeoutException\n"),
                         0us)
                  .errors,
              2);
}

TEST(chaos_figures, add_up_overlaps) {
    auto const seen = figures_of(made("100 a.0 enter 1 900\n"
                                      "150 b.0 enter 2 900\n"
                                      "160 b.0 leave 2 900\n"
                                      "170 c.0 enter 3 900\n"
                                      "200 a.0 leave 1 900\n"
                                      "220 c.0 leave 3 900\n"),
                                 0us);
    EXPECT_EQ(seen.overlaps, 2);
    EXPECT_EQ(seen.overlap_us, 10 + 30);
}

TEST(chaos_figures, take_a_renewal_after_the_healing_for_recovery) {
    auto const text =
        std::string("60 a.0 enter 1 5000\n100 runner fault 0 0\n200 runner healed 0 0\n300 a.0 look 1 5000\n");
    EXPECT_EQ(figures_of(made(text + "350 a.0 look 1 9000\n"), 0us).recovery_us, 150);
    EXPECT_FALSE(figures_of(made(text + "350 a.0 look 1 5001\n"), 0us).recovery_us);
    EXPECT_FALSE(figures_of(made(text + "350 runner released 0 0\n360 b.0 enter 2 9000\n"), 0us).recovery_us)
        << "what follows the release proves nothing";
}

TEST(chaos_figures, time_the_last_entry_between_the_fault_and_its_healing) {
    auto const before = std::string("60 a.0 enter 1 5000\n70 a.0 leave 1 5000\n100 runner fault 0 0\n");
    auto const after = std::string("200 runner healed 0 0\n250 b.0 enter 3 5000\n");
    EXPECT_EQ(figures_of(made(before + "110 b.0 enter 2 5000\n120 b.0 leave 2 5000\n" + after), 0us).last_entry_us, 10);
    EXPECT_FALSE(figures_of(made(before + after), 0us).last_entry_us);
}

TEST(chaos_figures, count_waiting_only_while_nobody_is_inside) {
    EXPECT_EQ(figures_of(made("50 b.0 ask 0 0\n"
                              "60 a.0 enter 1 900\n"
                              "500 a.0 leave 1 900\n"
                              "570 b.0 enter 2 990\n"),
                         0us)
                  .longest_wait_us,
              70);
}

TEST(chaos_figures, count_releases_that_nobody_heard) {
    auto const text = std::string("10 b.0 ask 0 0\n1000 a.0 freed 0 0\n");
    EXPECT_EQ(figures_of(made(text + "252000 b.0 enter 2 900000\n"), 0us).unheard, 1);
    EXPECT_EQ(figures_of(made(text + "250000 b.0 enter 2 900000\n"), 0us).unheard, 0);
    EXPECT_EQ(figures_of(made("1000 a.0 freed 0 0\n200000 b.0 ask 0 0\n252000 b.0 enter 2 0\n"), 0us).unheard, 0)
        << "it did not wait then";
}

} // namespace
} // namespace redlatch::chaos
