#include "locking/counter.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

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

} // namespace
} // namespace redlatch::locking
