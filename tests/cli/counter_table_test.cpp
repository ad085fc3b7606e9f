#include "counter_table.hpp"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace redlatch::cli {
namespace {

using numbers = std::vector<counter_info>;

TEST(counter_table, calls_the_number_what_it_is) {
    numbers const one{{.name = "reports", .number = -3}};
    EXPECT_EQ(counter_table("semaphore").rows_of(one), "NAME              FREE\nreports           -3\n");
    EXPECT_EQ(counter_table("latch").rows_of(one), "NAME              COUNT\nreports           -3\n");
}

TEST(counter_table, of_permit_semaphores_shows_what_is_taken_and_when_the_first_comes_back) {
    std::vector<permit_info> const three{
        {.name = "reports",
         .is_set = true,
         .permits = 3,
         .available = 1,
         .taken = 2,
         .leases = {{"12", duration(90'000)}, {"34", {}}}},
        {.name = "pool", .is_set = true, .permits = 1, .taken = 1, .leases = {{"56", {}}}},
        {.name = "untaken", .is_set = true, .permits = 7, .available = 7}};
    EXPECT_EQ(counter_table("permits").rows_of(three), "NAME              FREE    TAKEN   TTL\n"
                                                       "reports           1       2       1m30s\n"
                                                       "pool              0       1       for ever\n"
                                                       "untaken           7       0       -\n");
}

TEST(counter_table, has_a_heading_once) {
    counter_table table("semaphore");
    EXPECT_EQ(table.rows_of(std::span<counter_info const>()), "NAME              FREE\n");
    EXPECT_EQ(table.rows_of(std::span<counter_info const>()), "");
}

TEST(counter_table, keeps_its_columns_and_obeys_no_name) {
    counter_table table("latch");
    auto const first = table.rows_of(numbers{{.name = std::string(40, 'x'), .number = 1}});
    EXPECT_NE(first.find(std::string(40, 'x') + "  1\n"), std::string::npos) << first;
    auto const later =
        table.rows_of(numbers{{.name = std::string(65536, 'y'), .number = 2}, {.name = "\x1b[31m", .number = 3}});
    EXPECT_LT(later.size(), 200U);
    EXPECT_NE(later.find("  2\n\\x1b[31m"), std::string::npos) << later;
}

} // namespace
} // namespace redlatch::cli
