// How many permits there are in all, and what becomes of those who ask for more.
#include "behaviour/permit_fixture.hpp"

#include <future>

namespace redlatch::test {
namespace {

class permit_total_test : public permit_fixture {};

TEST_F(permit_total_test, says_that_there_are_not_so_many_in_all) {
    mine.try_set_permits(3);
    permits const one = theirs.acquire();
    auto const waits = outcome_of([&] { (void)mine.acquire({.permits = 5, .lease = 60s}); });
    EXPECT_EQ(waits.reason, errc::invalid_argument);
    for (auto const& part : {name, std::string("can never give 5 permits"), std::string("it has 3 in all")})
        EXPECT_NE(waits.message.find(part), std::string::npos) << waits.message;
    EXPECT_EQ(outcome_of([&] { (void)mine.try_acquire({.permits = 4}); }).reason, errc::invalid_argument);
    EXPECT_FALSE(mine.try_acquire({.permits = 3})) << "there are, but not now";
    EXPECT_EQ(value(), "2") << "nothing has changed";
    EXPECT_EQ(taken(), 1);
}

TEST_F(permit_total_test, tells_a_waiter_that_there_are_too_few_when_they_become_fewer) {
    mine.try_set_permits(3);
    permits one = theirs.acquire();
    auto waiter =
        std::async(std::launch::async, [&] { return outcome_of([&] { (void)mine.acquire({.permits = 3}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    theirs.set_permits(2);
    one.release();
    EXPECT_EQ(waiter.get(), errc::invalid_argument);
    EXPECT_EQ(value(), "2");
}

TEST_F(permit_total_test, waits_where_it_is_set_to_none) {
    mine.set_permits(0);
    auto waiter = std::async(std::launch::async, [&] { return mine.acquire({.permits = 2}).ids().size(); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    theirs.set_permits(2);
    EXPECT_EQ(waiter.get(), 2U);
}

} // namespace
} // namespace redlatch::test
