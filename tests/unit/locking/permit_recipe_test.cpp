#include "locking/recipes/counter_kinds.hpp"
#include "scripted/replies.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace redlatch::locking {
namespace {

TEST(permit_recipe, reads_what_is_left_and_when_the_next_lease_ends) {
    using kind = acquire_answer::kind;
    using scripted::array;
    using scripted::integer;
    auto const some = permit_kind.read(array({integer(3), integer(-1)}));
    EXPECT_EQ(some.what, kind::acquired);
    EXPECT_EQ(some.left, 3);
    EXPECT_FALSE(some.retry_after);
    auto const none = permit_kind.read(array({integer(0), integer(500)}));
    EXPECT_EQ(none.what, kind::acquired);
    EXPECT_EQ(none.left, 0);
    EXPECT_EQ(none.retry_after, base::milliseconds(500));
    auto const by_an_earlier_copy = permit_kind.read(scripted::nil());
    EXPECT_EQ(by_an_earlier_copy.what, kind::acquired);
    EXPECT_FALSE(by_an_earlier_copy.left);
    auto const too_few = permit_kind.read(integer(500));
    EXPECT_EQ(too_few.what, kind::busy);
    EXPECT_EQ(too_few.retry_after, base::milliseconds(500));
    for (auto const& odd : {integer(0), integer(-2), array({}), array({integer(1)}), array({integer(-1), integer(-1)}),
                            array({integer(1), integer(0)}), array({integer(1), integer(-2)}),
                            array({integer(1), integer(2), integer(3)}), scripted::status("OK")})
        EXPECT_EQ(permit_kind.read(odd).what, kind::not_understood);
}

/// Waiters are told of as many: numbers that a server lies about must not overflow when more come.
TEST(permit_recipe, believes_no_more_permits_than_there_may_be_waiters_for) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t enough = 1'000'000'000;
    using scripted::integer;
    EXPECT_EQ(semaphore_kind.read(integer(most)).left, enough);
    EXPECT_EQ(semaphore_kind.read(integer(enough + 1)).left, enough);
    EXPECT_EQ(semaphore_kind.read(integer(enough)).left, enough - 1);
    EXPECT_EQ(permit_kind.read(scripted::array({integer(most), integer(-1)})).left, enough);
}

} // namespace
} // namespace redlatch::locking
