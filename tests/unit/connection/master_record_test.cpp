#include "connection/master_record.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

using statement = master_record::statement;

host_and_port const m1{"m1", 1};
host_and_port const m2{"m2", 2};
host_and_port const m2_by_name{"m2.example", 2};

TEST(master_record, knows_nothing_at_first_and_then_what_was_chosen) {
    master_record record;
    EXPECT_EQ(record.master(), std::nullopt);
    EXPECT_TRUE(record.is_up_to_date({m1, 0}));
    EXPECT_EQ(record.choose({m1, 3}), m1);
    EXPECT_EQ(record.master(), m1);
}

TEST(master_record, does_not_believe_whoever_has_not_heard_of_the_last_failover) {
    master_record record;
    record.choose({m2, 4});
    EXPECT_FALSE(record.is_up_to_date({m1, 3}));
    EXPECT_TRUE(record.is_up_to_date({m2, 4}));
    EXPECT_TRUE(record.is_up_to_date({m1, std::nullopt})) << "it does not say";
    EXPECT_FALSE(record.on_news({m1, 3}));
    EXPECT_EQ(record.master(), m2);
    EXPECT_EQ(record.choose({m1, 3}), m1) << "all say so: these Sentinels began to count anew";
}

TEST(master_record, moves_with_a_failover) {
    master_record record;
    record.choose({m1, 3});
    EXPECT_FALSE(record.on_news({m1, 3}));
    EXPECT_TRUE(record.on_news({m2, 4}));
    EXPECT_EQ(record.master(), m2);
    EXPECT_FALSE(record.on_news({m2, 4}));
    EXPECT_FALSE(record.on_news({m2, 5})) << "a failover in which nothing moved";
    EXPECT_FALSE(record.on_news({m1, 4})) << "and its number is known";
}

TEST(master_record, takes_another_name_of_the_same_epoch_for_the_same_server) {
    master_record record;
    record.choose({m2, 4});
    EXPECT_FALSE(record.on_news({m2_by_name, 4}));
    EXPECT_EQ(record.choose({m2_by_name, 4}), m2);
    record.doubt(m1);
    EXPECT_EQ(record.choose({m2_by_name, 4}), m2) << "it was not this one that could not be reached";
    record.doubt(m2);
    EXPECT_EQ(record.choose({m2_by_name, 4}), m2_by_name);
    EXPECT_EQ(record.choose({m2, 4}), m2_by_name) << "which is not doubted";
}

TEST(master_record, believes_each_thing_once_where_no_epochs_are_told) {
    master_record record;
    record.choose({m1, std::nullopt});
    EXPECT_TRUE(record.on_news({m2, std::nullopt}));
    record.choose({m1, std::nullopt});
    EXPECT_FALSE(record.on_news({m2, std::nullopt})) << "else two Sentinels of two minds would be followed to and fro";
    EXPECT_EQ(record.master(), m1);
}

} // namespace
} // namespace redlatch::connection
