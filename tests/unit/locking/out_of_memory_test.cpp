// Memory that ends at any allocation: what could not be kept is not there in part.
#include "locking/tenure_list.hpp"
#include "scripted/missing_memory.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <new>

namespace redlatch::locking {
namespace {

using scripted::allocations_left;

bool add_with(int allocations, tenure_list& list, tenure_ptr const& which) {
    bool kept = true;
    allocations_left = allocations;
    try {
        list.add(which);
    } catch (std::bad_alloc const&) {
        kept = false;
    }
    allocations_left = -1;
    return kept;
}

TEST(out_of_memory, leaves_nothing_in_a_tenure_list) {
    tenure_list list;
    int refused = 0;
    for (std::uint64_t owner = 1; owner < 3 * tenure_list::most_without_index; ++owner) {
        auto const one = std::make_shared<tenure>();
        one->owner_number = owner;
        auto const before = list.size();
        for (int allocations = 0; !add_with(allocations, list, one); ++allocations) {
            ++refused;
            ASSERT_EQ(list.size(), before) << allocations << " allocations";
            ASSERT_EQ(list.current(owner), nullptr);
        }
        ASSERT_EQ(list.size(), before + 1);
        ASSERT_EQ(list.current(owner), one);
    }
    EXPECT_GT(refused, static_cast<int>(tenure_list::most_without_index)) << "the index was refused memory too";
    while (!list.empty()) list.remove(**list.begin());
}

} // namespace
} // namespace redlatch::locking
