#include "connection/lower_epochs.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace redlatch::connection {
namespace {

using claim = lower_epochs::claim;

node_address const a{"10.0.0.1", 7001};
node_address const b{"10.0.0.2", 7002};
node_address const c{"10.0.0.3", 7003};

struct lower_epochs_test : ::testing::Test {
    lower_epochs all;
    std::vector<node_address> there{a, b};
    std::vector<claim> const said{{a, 1, 0, 99}, {b, 2, 100, 199}};
    base::instant const begin{std::chrono::hours(1)};
    base::instant const late = begin + lower_epochs::least_time;

    void says(node_address const& who, base::instant when, int times = lower_epochs::least_answers) {
        for (int i = 0; i < times; ++i) all.on_answer(who, said, when);
    }
};

TEST_F(lower_epochs_test, are_believed_when_all_that_are_there_have_said_the_same_for_long) {
    says(a, begin);
    says(b, begin);
    EXPECT_TRUE(all.is_suspected());
    EXPECT_FALSE(all.is_certain(there, begin)) << "for how long?";
    EXPECT_TRUE(all.is_certain(there, late));
    all.forget();
    EXPECT_FALSE(all.is_certain(there, late));
}

TEST_F(lower_epochs_test, are_not_believed_while_somebody_is_there_who_has_not_said_so) {
    says(a, begin);
    EXPECT_FALSE(all.is_certain(there, late));
    there = {a};
    EXPECT_TRUE(all.is_certain(there, late));
}

TEST_F(lower_epochs_test, are_forgotten_when_one_answers_that_knows_more) {
    says(a, begin);
    all.on_answer(b, {}, begin);
    EXPECT_FALSE(all.is_suspected());
    says(a, late, 1);
    says(b, late, 1);
    EXPECT_FALSE(all.is_certain(there, late + lower_epochs::least_time)) << "they have to be said again, and often";
}

TEST_F(lower_epochs_test, are_the_same_in_any_order_and_others_begin_anew) {
    says(a, begin);
    all.on_answer(b, {said[1], said[0]}, begin);
    EXPECT_TRUE(all.is_certain(there, late));
    all.on_answer(b, {{c, 1, 0, 99}}, late);
    EXPECT_FALSE(all.is_certain({}, late + lower_epochs::least_time));
}

} // namespace
} // namespace redlatch::connection
