// What the lease keeper asks when a connection is new, or the server is another one.
#include "locking/held_tenures.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::ms;
using ::testing::ElementsAre;
using batch = lease_keeper::batch;

TEST(new_connection, asks_about_every_hold_when_the_connection_is_new) {
    held_tenures all;
    auto const watched = all.watched(at(0s));
    auto const fixed = all.fixed(60s, at(0s));
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    ASSERT_THAT(found.renew, ElementsAre(batch{watched}, batch{fixed}));
    EXPECT_EQ(all.keeper.lease_of(found.renew[0]), 30s);
    EXPECT_EQ(all.keeper.lease_of(found.renew[1]), 1ms) << "a fixed lease is not made longer by a question";
    EXPECT_TRUE(held_tenures::nothing(all.answer(found.renew[1], at(1s))));
    EXPECT_EQ(ms(fixed->validity()), 59'400);
    EXPECT_THAT(all.answer(found.renew[0], at(1s), {1}).lost, ElementsAre(watched));
}

TEST(new_connection, learns_from_a_question_that_a_fixed_lease_is_lost) {
    held_tenures all;
    auto const one = all.fixed(60s, at(0s));
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    EXPECT_THAT(all.answer(found.renew.at(0), at(1s), {1}).lost, ElementsAre(one));
}

TEST(new_connection, asks_about_a_fixed_lease_until_the_server_has_answered) {
    held_tenures all;
    auto const one = all.fixed(60s, at(0s));
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    all.keeper.on_failure(found.renew.at(0), at(2s));
    EXPECT_GE(ms(all.keeper.next()), 3'000);
    EXPECT_LE(ms(all.keeper.next()), 3'250);
    auto const again = all.timer(all.keeper.next()).renew;
    ASSERT_THAT(again, ElementsAre(batch{one}));
    EXPECT_EQ(all.keeper.lease_of(again[0]), 1ms);
    EXPECT_EQ(ms(all.keeper.next()), 59'400) << "it is under way";
    EXPECT_TRUE(held_tenures::nothing(all.answer(again[0], at(4s))));
    EXPECT_EQ(ms(all.keeper.next()), 59'400) << "it is answered";
    EXPECT_FALSE(one->suspect);
}

TEST(new_connection, asks_about_a_hold_at_its_max_hold_until_the_server_has_answered) {
    held_tenures all;
    auto const one = all.watched(at(0s), at(20s));
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    all.keeper.on_failure(found.renew.at(0), at(2s));
    auto const again = all.timer(all.keeper.next()).renew;
    ASSERT_THAT(again, ElementsAre(batch{one}));
    EXPECT_THAT(all.answer(again[0], at(4s), {1}).lost, ElementsAre(one));
}

/// The master that has the lock now may not know the last renewal of the one before, and nothing would renew it any more.
TEST(new_connection, renews_a_hold_at_its_max_hold_when_it_asks_about_it) {
    held_tenures all;
    auto const one = all.watched(at(0s), at(20s));
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    ASSERT_THAT(found.renew, ElementsAre(batch{one}));
    EXPECT_EQ(all.keeper.lease_of(found.renew[0]), 30s);
    all.answer(found.renew[0], at(1s));
    EXPECT_EQ(ms(one->validity()), 20'000) << "and not beyond";
    EXPECT_EQ(ms(all.keeper.next()), 20'000) << "it is answered";
}

TEST(new_connection, does_not_ask_again_about_what_is_under_way_or_over) {
    held_tenures all;
    all.watched(at(0s));
    all.timer(at(10s));
    all.fixed(1s, at(5s)); // its validity is over, the timer has not come yet
    lease_keeper::effects found;
    all.keeper.verify_all(at(10s), found);
    EXPECT_TRUE(held_tenures::nothing(found));
}

TEST(new_connection, asks_in_batches_when_the_connection_is_new) {
    held_tenures all;
    for (int i = 0; i < 150; ++i) {
        all.watched(at(0s));
        all.fixed(60s, at(0s));
    }
    lease_keeper::effects found;
    all.keeper.verify_all(at(1s), found);
    std::vector<std::size_t> sizes;
    for (auto const& some : found.renew) {
        sizes.push_back(some.size());
        for (auto const& one : some)
            EXPECT_EQ(one->renewed(), some.front()->renewed()) << "one lease for all of a batch";
    }
    EXPECT_THAT(sizes, ::testing::UnorderedElementsAre(100, 100, 50, 50));
}

} // namespace
} // namespace redlatch::locking
