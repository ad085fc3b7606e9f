#include "measure/rounds.hpp"
#include "report/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace redlatch::bench {
namespace {

using namespace std::chrono_literals;

/// A contender whose rounds show these values, one after the other.
contender showing(std::string const& name, std::vector<double> values, std::vector<aim> aims = {}) {
    auto const next = std::make_shared<std::size_t>(0);
    return {name,
            [=](std::chrono::milliseconds) {
                return measurement{{figure::value, values.at((*next)++)}, {figure::p99, 7.25}};
            },
            std::move(aims)};
}

class a_measured_scenario : public testing::Test {
protected:
    a_measured_scenario() {
        scenario what{"some scenario", "cycles/s", true, {}};
        what.floor = "floor";
        what.limits = "the kernel";
        what.contenders = {
            showing("ours", {20, 36, 30}, {at_least(1.9, "floor"), at_least(3, "peer"), at_least(1, "none")}),
            showing("floor", {10, 20, 15}), showing("peer", {5, 10, 10})};
        what.contenders.push_back(
            {"broken",
             [](std::chrono::milliseconds) -> measurement { throw std::runtime_error("it has ended"); },
             {},
             true});
        seen_ = measure(at_, what, "apart", 3, 10ms);
    }

    server at_{"redis-server"};
    result seen_{};
};

TEST_F(a_measured_scenario, has_the_median_of_the_ratios_to_the_floor) {
    ASSERT_EQ(seen_.lines.size(), 3U);
    EXPECT_EQ(seen_.lines[0].median.value(), 30);
    EXPECT_DOUBLE_EQ(seen_.lines[0].ratio.value(), 2);
    EXPECT_DOUBLE_EQ(seen_.lines[0].ratio_low.value(), 1.8);
    EXPECT_DOUBLE_EQ(seen_.lines[0].ratio_high.value(), 2);
    EXPECT_DOUBLE_EQ(seen_.lines[1].ratio.value(), 1);
}

TEST_F(a_measured_scenario, leaves_out_a_peer_that_breaks_and_says_so) {
    EXPECT_EQ(seen_.notes, std::vector<std::string>{"broken left out: it has ended"});
}

TEST_F(a_measured_scenario, says_what_is_met_what_is_missed_and_what_nobody_knows) {
    auto const text = as_text({{{"date", "today"}}, 3, 10ms, {seen_}});
    EXPECT_NE(text.find("✓ ours: ≥ 1.9 × floor (2.00)"), std::string::npos) << text;
    EXPECT_NE(text.find("✓ ours: ≥ 3 × peer (3.60)"), std::string::npos) << text;
    EXPECT_NE(text.find("– ours: ≥ 1 × none (not measured)"), std::string::npos) << text;
    EXPECT_EQ(text.find("What limits it"), std::string::npos) << "nothing was missed: " << text;
    seen_.lines[0].judgements[1].met = false;
    auto const page = as_markdown({{}, 3, 10ms, {seen_}});
    EXPECT_NE(page.find("- ✗ ours: ≥ 3 × peer (3.60)"), std::string::npos) << page;
    EXPECT_NE(page.find("- What limits it: the kernel"), std::string::npos) << page;
    EXPECT_NE(page.find("- broken left out: it has ended"), std::string::npos) << page;
}

TEST_F(a_measured_scenario, has_columns_only_for_figures_that_were_seen) {
    auto const page = as_markdown({{}, 3, 10ms, {seen_}});
    EXPECT_NE(page.find("| some scenario | cycles/s | ratio | of the rounds | p99 µs |\n"), std::string::npos) << page;
    EXPECT_NE(page.find("| ours | 30 | 2.00 | 1.80-2.00 | 7.2 |\n"), std::string::npos) << page;
}

TEST_F(a_measured_scenario, is_the_same_in_json) {
    auto const all = nlohmann::json::parse(as_json({{{"date", "today"}}, 3, 10ms, {seen_}}));
    EXPECT_EQ(all["surroundings"]["date"], "today");
    auto const& ours = all["results"][0]["lines"][0];
    EXPECT_EQ(ours["value"], 30);
    EXPECT_EQ(ours["p99"], 7.25);
    EXPECT_TRUE(ours["spread"].is_null());
    EXPECT_EQ(ours["aims"][2]["seen"], nullptr);
}

TEST(rounds, a_contender_of_ours_that_breaks_ends_the_run) {
    server const at("redis-server");
    scenario what{"some scenario", "cycles/s", true, {}};
    what.contenders = {{"ours", [](std::chrono::milliseconds) -> measurement { throw std::runtime_error("broken"); }}};
    EXPECT_THROW(measure(at, what, "apart", 1, 10ms), std::runtime_error);
}

} // namespace
} // namespace redlatch::bench
