#include "base/function_ref.hpp"
#include "base/waker.hpp"
#include "scripted/wake_counter.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace redlatch::base {
namespace {

using scripted::make_sleeper;

TEST(wake_list, wakes_everybody_once) {
    auto const one = make_sleeper();
    auto const other = make_sleeper();
    wake_list list;
    EXPECT_TRUE(list.empty());
    list.add(one);
    list.add(other);
    EXPECT_FALSE(list.empty());
    list.wake_all();
    list.wake_all();
    EXPECT_EQ(one->times, 1);
    EXPECT_EQ(other->times, 1);
    EXPECT_TRUE(list.empty());
}

TEST(wake_list, takes_nobody_for_a_caller_who_does_not_sleep) {
    wake_list list;
    list.add(nullptr);
    EXPECT_TRUE(list.empty());
}

TEST(wake_list, does_not_wake_the_one_who_is_awake) {
    auto const me = make_sleeper();
    auto const other = make_sleeper();
    wake_list list;
    list.add(me);
    list.add(other);
    list.wake_all(me.get());
    EXPECT_EQ(me->times, 0);
    EXPECT_EQ(other->times, 1);
}

TEST(wake_list, keeps_a_task_alive_until_it_was_woken) {
    auto task = make_sleeper();
    std::weak_ptr const watched = task;
    wake_list list;
    list.add(task);
    task.reset();
    EXPECT_FALSE(watched.expired());
    list.wake_all();
    EXPECT_TRUE(watched.expired());
}

TEST(function_ref, calls_what_it_refers_to_and_copies_nothing) {
    int calls = 0;
    auto add = [&calls, owned = std::make_unique<int>(5)](int n) { return calls += n + *owned; };
    function_ref<int(int)> const ref = add;
    auto const copy = ref;
    EXPECT_EQ(ref(1), 6);
    EXPECT_EQ(copy(2), 13);
}

TEST(function_ref, hands_references_through) {
    auto set = [](int& what) { what = 7; };
    function_ref<void(int&)> const ref = set;
    int value = 0;
    ref(value);
    EXPECT_EQ(value, 7);
}

} // namespace
} // namespace redlatch::base
