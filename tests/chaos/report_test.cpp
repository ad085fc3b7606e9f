// What is said of several runs, and where on the page.
#include "report.hpp"

#include <gtest/gtest.h>

namespace redlatch::chaos {
namespace {

scenario some_fault() {
    return {.name = "some fault", .group = scenario::where::sentinel, .done = "done", .promised = "promised"};
}

one_run with_losses(int losses, std::optional<std::int64_t> notice_us) {
    one_run made;
    made.seen.losses = losses;
    made.seen.notice_us = notice_us;
    made.seen.fault_us = 2'000'000 + losses;
    return made;
}

TEST(chaos_report, says_one_value_where_all_runs_read_the_same) {
    auto const fault = some_fault();
    result const same{.of = &fault, .runs = {with_losses(1, 20'100), with_losses(1, 19'900)}};
    EXPECT_EQ(cells(same)[0], "1");
    EXPECT_EQ(cells(same)[1], "20 ms");
    EXPECT_EQ(fault_cell(same), "2.00 s");
}

TEST(chaos_report, says_the_least_and_the_greatest_of_several_runs) {
    auto const fault = some_fault();
    result const various{.of = &fault,
                         .runs = {with_losses(2, 1'500'000), with_losses(0, std::nullopt), with_losses(1, 20'000)}};
    EXPECT_EQ(cells(various)[0], "0 to 2");
    EXPECT_EQ(cells(various)[1], "– to 1.50 s");
}

TEST(chaos_report, counts_the_runs_in_which_something_was_broken) {
    auto const fault = some_fault();
    result broken{.of = &fault, .runs = {with_losses(0, {}), with_losses(1, {}), with_losses(1, {})}};
    EXPECT_TRUE(broken.kept());
    broken.runs[1].broken = {{"loss", "one\nand more"}, {"loss", "two"}};
    broken.runs[2].broken = {{"loss", "three"}};
    EXPECT_FALSE(broken.kept());
    EXPECT_EQ(verdict_text(broken), "✗ loss: one (2 of 3 runs)");
}

TEST(chaos_report, renews_the_sections_of_its_results_alone) {
    auto const fault = some_fault();
    std::string const page = "# Old\n\n## Processes\n\nkept\n\n## Sentinel\n\nreplaced\n";
    auto const now = renewed_markdown(page, {{.of = &fault, .runs = {with_losses(0, {})}}}, {{"date", "today"}});
    EXPECT_NE(now.find("\n## Processes\n\nkept\n"), std::string::npos) << now;
    EXPECT_EQ(now.find("replaced"), std::string::npos) << now;
    EXPECT_NE(now.find("\n## Sentinel\n\nPlayed by itself, each fault 1 time, with date today.\n\n| fault |"),
              std::string::npos)
        << now;
    EXPECT_NE(now.find("| **some fault**: done | promised | redlatch | 2.00 s | 0 |"), std::string::npos) << now;
}

} // namespace
} // namespace redlatch::chaos
