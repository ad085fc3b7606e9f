#include "connection/traffic.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

TEST(outbox, counts_what_may_have_been_sent) {
    outbox out;
    out.stage("abc");
    EXPECT_EQ(out.position(), 3U);
    EXPECT_EQ(out.handed(), 0U);
    std::string bytes;
    out.take(bytes);
    EXPECT_EQ(bytes, "abc");
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(out.handed(), 3U);
    out.stage("de");
    EXPECT_EQ(out.handed(), 3U) << "staged is not handed over";
    EXPECT_EQ(out.position(), 5U);
}

TEST(outbox, takes_back_what_the_system_did_not_take_until_it_is_tried_again) {
    outbox out;
    out.stage("abcdef");
    std::string bytes;
    out.take(bytes);
    out.not_taken(4);
    EXPECT_EQ(out.handed(), 2U);
    out.tried_again(4);
    EXPECT_EQ(out.handed(), 6U);
}

TEST(outbox, begins_again_with_each_connection) {
    outbox out;
    out.stage("abc");
    std::string bytes;
    out.take(bytes);
    out.stage("never sent");
    out.reset();
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(out.position(), 0U);
    EXPECT_EQ(out.handed(), 0U);
}

} // namespace
} // namespace redlatch::connection
