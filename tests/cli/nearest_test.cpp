// What somebody may have meant.
#include "nearest.hpp"

#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

std::vector<std::string> const flags{"--wait", "--watchdog", "--no-wait", "--conflict-exit-code", "--json"};

TEST(nearest, forgives_wrong_missing_surplus_and_exchanged_letters) {
    for (auto const* given : {"--wait", "--wiat", "--wat", "--waitt", "--wart"})
        EXPECT_EQ(nearest(given, flags), "--wait") << given;
    EXPECT_EQ(nearest("--jsno", flags), "--json");
    EXPECT_EQ(nearest("--nowait", flags), "--no-wait");
}

TEST(nearest, knows_an_only_beginning) {
    EXPECT_EQ(nearest("--confl", flags), "--conflict-exit-code");
    EXPECT_EQ(nearest("--w", flags), "") << "two begin so";
}

TEST(nearest, finds_nothing_where_nothing_is_near) {
    for (auto const* given : {"", "-", "--", "--colour", "-x", "table"}) EXPECT_EQ(nearest(given, flags), "") << given;
    EXPECT_EQ(nearest(std::string(100'000, 'w'), flags), "") << "and does not take long";
    EXPECT_EQ(nearest("--wait", {}), "");
}

} // namespace
} // namespace redlatch::cli
