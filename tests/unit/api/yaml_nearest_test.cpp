// The nearest known name to an unknown one.
#include "api/yaml_nearest.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string_view>

namespace redlatch {
namespace {

constexpr std::array<std::string_view, 4> known{"clientName", "connectionPoolSize", "timeout", "connectTimeout"};

TEST(nearest_key, differs_in_few_letters) {
    EXPECT_EQ(nearest_key("timout", known), "timeout") << "one is missing";
    EXPECT_EQ(nearest_key("timeeout", known), "timeout") << "one too many";
    EXPECT_EQ(nearest_key("timeoit", known), "timeout") << "another one";
    EXPECT_EQ(nearest_key("client-name", known), "clientName") << "other words for the same";
}

TEST(nearest_key, is_none_where_all_of_them_are_much_longer_or_shorter) {
    EXPECT_EQ(nearest_key("name", known), "") << "six letters more are not near";
    EXPECT_EQ(nearest_key("the_timeouts_of_all", known), "") << "ten letters less are not near either";
}

TEST(nearest_key, may_be_one_that_begins_so) {
    EXPECT_EQ(nearest_key("connectionPo", known), "connectionPoolSize");
    EXPECT_EQ(nearest_key("conn", known), "") << "four letters do not tell which";
}

} // namespace
} // namespace redlatch
