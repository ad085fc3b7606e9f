#include "locking/tenure_list.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>
#include <vector>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using phase = tenure::phase;

tenure_ptr of(std::uint64_t owner) {
    auto one = std::make_shared<tenure>();
    one->owner_number = owner;
    return one;
}

void acquire(tenure_list& list, tenure_ptr const& which) {
    which->now_in.store(phase::held);
    list.has_acquired(*which);
}

TEST(tenure_list, has_those_that_had_the_lock_first_and_in_their_order) {
    tenure_list list;
    auto const one = of(1);
    auto const two = of(2);
    auto const three = of(3);
    for (auto const& each : {one, two, three}) list.add(each);
    EXPECT_THAT(list.acquired(), IsEmpty());
    acquire(list, three);
    acquire(list, one);
    acquire(list, three);
    EXPECT_THAT(list.acquired(), ElementsAre(three, one)) << "a re-entry changes nothing";
    list.remove(*three);
    EXPECT_THAT(list.acquired(), ElementsAre(one));
    EXPECT_THAT(list, ElementsAre(one, two));
    list.remove(*three);
    EXPECT_THAT(list, ElementsAre(one, two)) << "what is not here stays away";
}

TEST(tenure_list, lets_go_of_what_is_removed) {
    tenure_list list;
    for (std::uint64_t owner = 0; owner < 2 * tenure_list::most_without_index; ++owner) list.add(of(owner));
    std::vector<std::weak_ptr<tenure>> all(list.begin(), list.end());
    while (!list.empty()) list.remove(**(list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2)));
    for (auto const& one : all) EXPECT_TRUE(one.expired());
}

TEST(tenure_list, finds_what_an_owner_holds_and_not_what_it_has_lost) {
    for (std::uint64_t others : {0U, 100U}) { // without an index and with one
        tenure_list list;
        for (std::uint64_t other = 0; other < others; ++other) list.add(of(1'000 + other));
        auto const lost = of(1);
        list.add(lost);
        acquire(list, lost);
        EXPECT_EQ(list.current(1), lost);
        lost->now_in.store(phase::lost);
        EXPECT_EQ(list.current(1), nullptr);
        auto const again = of(1);
        list.add(again);
        EXPECT_EQ(list.current(1), again);
        list.remove(*again);
        EXPECT_EQ(list.current(1), nullptr);
        EXPECT_THAT(list.acquired(), ElementsAre(lost));
    }
}

/// Beside a list that does the same by looking at all.
TEST(tenure_list, agrees_with_a_plain_list_after_each_of_many_changes) {
    std::mt19937 dice(7);
    tenure_list list;
    std::vector<tenure_ptr> waiting;
    std::vector<tenure_ptr> acquired;
    auto const take = [&](std::vector<tenure_ptr>& from) {
        auto const at = from.begin() + static_cast<std::ptrdiff_t>(dice() % from.size());
        auto const which = *at;
        from.erase(at);
        return which;
    };
    std::size_t most = 0;
    for (int change = 0; change < 20'000; ++change) {
        bool const grows = change / 500 % 2 == 0; // crowds come and go
        auto const what = dice() % 10;
        if (what < (grows ? 6U : 2U)) {
            waiting.push_back(of(dice() % 200));
            list.add(waiting.back());
        } else if (what < 7 && !waiting.empty()) {
            if (acquired.size() < 4) {
                acquired.push_back(take(waiting));
                acquire(list, acquired.back());
            } else {
                list.remove(*take(waiting));
            }
        } else if (auto& from = dice() % 2 == 0 ? waiting : acquired; !from.empty()) {
            list.remove(*take(from));
        }
        most = std::max(most, list.size());
        ASSERT_EQ(list.size(), waiting.size() + acquired.size());
        ASSERT_TRUE(std::ranges::equal(list.acquired(), acquired));
        for (auto const& one : list) ASSERT_EQ(list.of(*one), one);
        auto const owner = dice() % 200;
        auto const mine = [&](tenure_ptr const& one) { return one->owner_number == owner; };
        auto const found = list.current(owner);
        ASSERT_EQ(found != nullptr, std::ranges::any_of(waiting, mine) || std::ranges::any_of(acquired, mine));
        if (found) {
            ASSERT_EQ(found->owner_number, owner);
        }
    }
    EXPECT_GT(most, 4 * tenure_list::most_without_index) << "the index was of use";
}

} // namespace
} // namespace redlatch::locking
