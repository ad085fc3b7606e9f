// A hold whose renewals stay unanswered: suspect first, then recovered or lost.
#include "locking/held_tenures.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::ms;
using ::testing::ElementsAre;
using batch = lease_keeper::batch;

TEST(lease_keeper, calls_a_hold_suspect_once_when_half_of_the_lease_went_by_without_a_renewal) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.timer(at(10s)); // and no answer comes
    EXPECT_FALSE(one->suspect);
    EXPECT_THAT(all.timer(at(15s)).suspect, ElementsAre(one));
    EXPECT_TRUE(one->suspect);
    EXPECT_TRUE(one->holds(at(15s))) << "suspect is held";
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(29s))));
    EXPECT_EQ(ms(all.keeper.next()), 29'700);
}

TEST(lease_keeper, calls_a_hold_suspect_that_the_first_renewal_was_to_prolong_when_no_answer_comes) {
    held_tenures all;
    auto const one = all.fixed(20s, at(0s));
    one->levels.push_back(
        {2, 30s, true, false}); // joined, but only the lease of the first level is known to be written
    all.keeper.acknowledged(one, 20s, at(1s));
    EXPECT_THAT(all.timer(at(1s)).renew, ElementsAre(batch{one})) << "at once: who knows for how long the key lives";
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(16s) - 1ns)));
    EXPECT_THAT(all.timer(at(16s)).suspect, ElementsAre(one)) << "half of the watchdog's lease, before it can be lost";
    EXPECT_THAT(all.timer(one->validity()).lost, ElementsAre(one));
}

TEST(lease_keeper, says_that_a_suspect_hold_has_recovered) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    all.timer(at(15s));
    EXPECT_THAT(all.answer(sent, at(10s)).recovered, ElementsAre(one));
    EXPECT_FALSE(one->suspect);
    EXPECT_EQ(ms(all.keeper.next()), 20'000);
}

TEST(lease_keeper, loses_a_hold_before_its_key_can_expire_when_no_answer_comes) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    all.timer(at(15s));
    EXPECT_TRUE(held_tenures::nothing(all.timer(at(29'700ms) - 1ns)));
    EXPECT_THAT(all.timer(at(29'700ms)).lost, ElementsAre(one));
    EXPECT_EQ(all.keeper.size(), 0U);
    EXPECT_TRUE(held_tenures::nothing(all.answer(sent, at(10s)))) << "lost is final";
    EXPECT_EQ(all.keeper.size(), 0U);
    EXPECT_EQ(ms(one->validity()), 29'700);
}

TEST(lease_keeper, never_moves_validity_back) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    all.keeper.acknowledged(one, 30s, at(5s));
    EXPECT_EQ(ms(one->validity()), 34'700);
    all.keeper.acknowledged(one, 30s, at(2s)); // an older answer that came later
    EXPECT_EQ(ms(one->validity()), 34'700);
    all.keeper.acknowledged(one, 1s, at(6s));
    EXPECT_EQ(ms(one->validity()), 34'700);
}

} // namespace
} // namespace redlatch::locking
