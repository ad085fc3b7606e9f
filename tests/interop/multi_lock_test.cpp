// Multi locks of Java and of C++ over the same members; without an order Java names them the other way round.
#include "contest.hpp"
#include "interop_test.hpp"

#include <atomic>
#include <thread>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct multi_lock_interop : interop_test, ::testing::WithParamInterface<multi_lock_order> {
    std::string const first = name + ": first";
    std::string const second = name + ": second";
    /// With an order all have to keep it.
    std::string const as_java_names_them =
        GetParam() == multi_lock_order::none ? second + "," + first : first + "," + second;
    multi_lock both{{cpp.get_lock(first), cpp.get_lock(second)}, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(of, multi_lock_interop, ::testing::Values(multi_lock_order::none, multi_lock_order::by_name),
                         [](auto const& about) {
                             return about.param == multi_lock_order::none ? "no_order" : "by_name";
                         });

TEST_P(multi_lock_interop, exclude_each_other) {
    auto held = both.acquire();
    EXPECT_EQ(java().ask("a", "multi/tryLock", {as_java_names_them}).value, "false");
    held.release();
    EXPECT_EQ(java().ask("a", "multi/tryLock", {as_java_names_them}).value, "true");
    EXPECT_FALSE(both.try_acquire());
    ASSERT_TRUE(java().ask("a", "multi/unlock", {as_java_names_them}).ok);
    EXPECT_TRUE(both.try_acquire());
    EXPECT_FALSE(exists(first) || exists(second));
}

TEST_P(multi_lock_interop, a_waiter_is_woken_by_javas_release) {
    ASSERT_TRUE(java().ask("a", "multi/lock", {as_java_names_them}).ok);
    std::atomic<bool> acquired{false};
    std::jthread const waiter([&] {
        auto const held = both.acquire({.wait = 60s});
        acquired = true;
    });
    ASSERT_TRUE(wait_until([&] { return subscribers(first) + subscribers(second) > 0; }));
    EXPECT_FALSE(acquired);
    EXPECT_TRUE(java().ask("a", "multi/unlock", {as_java_names_them}).ok);
    EXPECT_TRUE(wait_until([&] { return acquired.load(); }));
}

TEST_P(multi_lock_interop, let_in_one_at_a_time) {
    expect_one_at_a_time_and_a_tenth_each(up_to_three([&] {
        return contest(server(), java(), "multi/contest", as_java_names_them, {80},
                       [&] { return both.acquire({.wait = patience}); });
    }));
}

} // namespace
} // namespace redlatch::test
