#include "io/counter_index.hpp"
#include "locking/recipes/counter_kinds.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace redlatch::io {
namespace {

TEST(counter_index, has_one_for_each_name_and_kind) {
    counter_index all;
    auto const one = all.get("a", locking::semaphore_kind);
    EXPECT_EQ(all.get("a", locking::semaphore_kind), one);
    EXPECT_NE(all.get("b", locking::semaphore_kind), one);
    EXPECT_NE(all.get("a", locking::latch_kind), one);
}

/// Whoever asks for a semaphore anew each time finds what its last release has left to others.
TEST(counter_index, keeps_for_a_while_what_nobody_refers_to) {
    counter_index all;
    std::weak_ptr<locking::counter> const former = all.get("a", locking::semaphore_kind);
    EXPECT_EQ(all.get("a", locking::semaphore_kind), former.lock());
    for (std::size_t i = 1; i < counter_index::most_kept; ++i)
        (void)all.get("other " + std::to_string(i), locking::semaphore_kind);
    EXPECT_FALSE(former.expired());
    (void)all.get("one more", locking::semaphore_kind);
    EXPECT_TRUE(former.expired());
}

} // namespace
} // namespace redlatch::io
