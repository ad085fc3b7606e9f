// Memory that ends at any allocation: what could not be kept is not there in part.
#include "base/waker.hpp"
#include "locking/reaper.hpp"
#include "locking/recipes/recipes.hpp"
#include "locking/tenure_list.hpp"
#include "scripted/missing_memory.hpp"
#include "scripted/virtual_time.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <string>
#include <vector>

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

/// Notes where it was woken.
class light_sleeper final : public base::wakeable {
public:
    void wake() noexcept override { ++woken; }
    void wake_under_mutex() noexcept override { ++woken_under_mutex; }
    int woken = 0;
    int woken_under_mutex = 0;
};

TEST(out_of_memory, wakes_whoever_cannot_be_woken_later_as_with_a_mutex_held) {
    std::vector<std::shared_ptr<light_sleeper>> all;
    for (int i = 0; i < 100; ++i)
        all.push_back(std::make_shared<light_sleeper>()); // more than a thread's stock has room for
    base::wake_list list;
    allocations_left = 0;
    for (auto const& one : all) list.add(one);
    allocations_left = -1;
    int under_mutex = 0;
    for (auto const& one : all) {
        EXPECT_EQ(one->woken, 0);
        under_mutex += one->woken_under_mutex;
    }
    EXPECT_GT(under_mutex, 0);
    list.wake_all();
    for (auto const& one : all) EXPECT_EQ(one->woken + one->woken_under_mutex, 1);
}

// A release of nobody ends any hold, as one by force.
TEST(out_of_memory, releases_nobody_again_whose_departure_could_not_be_remembered) {
    record_settings const settings{};
    auto const record = std::make_shared<lock_record>("orders", reentrant_recipe, settings);
    std::string const id = "an id that needs memory of its own:1";
    int remembered = 0;
    for (int allocations = 0; allocations < 4; ++allocations) {
        reaper dead;
        dead.remember_departures();
        allocations_left = allocations;
        dead.on_departed(record, id, std::chrono::seconds(30), base::instant::min(),
                         scripted::at(std::chrono::seconds(0)));
        allocations_left = -1;
        dead.repeat_departures(scripted::at(std::chrono::seconds(0)), [](auto const&) { return true; });
        for (auto const& job : dead.on_timer(scripted::at(std::chrono::seconds(0)))) {
            EXPECT_EQ(job.owner_id, id) << allocations << " allocations";
            ++remembered;
        }
    }
    EXPECT_GT(remembered, 0);
    EXPECT_LT(remembered, 4) << "memory was refused";
}

} // namespace
} // namespace redlatch::locking
