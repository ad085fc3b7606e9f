#include "locking/replica_demand.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;

TEST(replica_demand, is_met_by_as_many_as_are_waited_for) {
    replica_demand const two{.replicas = 2};
    EXPECT_FALSE(two.is_met(1, -1));
    EXPECT_TRUE(two.is_met(2, -1));
    EXPECT_TRUE(two.is_met(3, 0));
}

TEST(replica_demand, of_all_is_met_by_as_many_as_there_are) {
    replica_demand const every{.replicas = replica_demand::all};
    EXPECT_FALSE(every.is_met(1, 2));
    EXPECT_TRUE(every.is_met(2, 2));
    EXPECT_TRUE(every.is_met(0, 0));
    EXPECT_TRUE(every.is_met(2, 1)) << "one has gone since it confirmed";
}

TEST(replica_demand, of_all_is_never_met_while_it_is_not_known_how_many_there_are) {
    replica_demand const every{.replicas = replica_demand::all};
    EXPECT_FALSE(every.is_met(0, -1));
    EXPECT_FALSE(every.is_met(5, -1));
    replica_demand const one_of_all{.replicas = replica_demand::all, .required = 1};
    EXPECT_FALSE(one_of_all.is_met(1, -1));
}

TEST(replica_demand, can_be_content_with_fewer) {
    replica_demand const one_of_all{.replicas = replica_demand::all, .required = 1};
    EXPECT_FALSE(one_of_all.is_met(0, 2));
    EXPECT_TRUE(one_of_all.is_met(1, 2));
    EXPECT_TRUE(one_of_all.is_met(0, 0)) << "none is there, and none is asked for";
    replica_demand const two_of_three{.replicas = 3, .required = 2};
    EXPECT_FALSE(two_of_three.is_met(1, -1));
    EXPECT_TRUE(two_of_three.is_met(2, -1));
}

TEST(replica_demand, no_count_is_not_enough) {
    EXPECT_FALSE((replica_demand{.replicas = 1}).is_met(-1, -1));
    EXPECT_FALSE((replica_demand{.replicas = replica_demand::all}).is_met(-1, 1));
}

TEST(replica_wait, is_answered_before_its_time_is_over) {
    EXPECT_EQ(replica_wait_for(300ms), 180ms);
    EXPECT_EQ(replica_wait_for(100ms), 50ms);
    EXPECT_EQ(replica_wait_for(10ms), 5ms);
    for (auto left = 1ms; left < 20s; left += 7ms) EXPECT_LT(replica_wait_for(left), left);
}

TEST(replica_wait, is_not_worth_it_at_the_end) {
    EXPECT_EQ(replica_wait_for(9ms), 0ms);
    EXPECT_EQ(replica_wait_for(0ms), 0ms);
    EXPECT_EQ(replica_wait_for(-1s), 0ms);
}

TEST(replica_wait, is_short_since_others_are_asked_behind_it) {
    EXPECT_EQ(replica_wait_for(1s), longest_replica_wait);
    EXPECT_EQ(replica_wait_for(1h), longest_replica_wait);
    EXPECT_GT(longest_replica_silence, longest_replica_wait + 100ms) << "a server looks ten times a second";
}

} // namespace
} // namespace redlatch::locking
