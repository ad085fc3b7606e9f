#include "io/thread_identity.hpp"

#include <redlatch/owner.hpp>

#include <functional>
#include <gmock/gmock.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace redlatch::io {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class recorder final : public thread_exit_listener {
public:
    void on_thread_exit(std::uint64_t owner_number) noexcept override {
        std::scoped_lock const guard(mutex_);
        ended_.push_back(owner_number);
    }

    std::vector<std::uint64_t> ended() {
        std::scoped_lock const guard(mutex_);
        return ended_;
    }

private:
    std::mutex mutex_;
    std::vector<std::uint64_t> ended_;
};

/// Runs it on a thread of its own, to the end of that thread; returns the number of that thread.
std::uint64_t on_a_thread(std::function<void()> const& work) {
    std::uint64_t number = 0;
    std::thread([&] {
        number = owner::this_thread().number();
        work();
    }).join();
    return number;
}

TEST(owner, is_different_for_every_thread_and_every_new_owner) {
    std::set<std::uint64_t> numbers{owner::this_thread().number()};
    for (int count = 0; count < 100; ++count) {
        EXPECT_TRUE(numbers.insert(owner().number()).second);
        EXPECT_TRUE(numbers.insert(on_a_thread([] {})).second);
    }
    EXPECT_EQ(numbers.count(0), 0U);
}

TEST(owner, is_the_same_for_one_thread_and_for_copies) {
    EXPECT_EQ(owner::this_thread(), owner::this_thread());
    EXPECT_EQ(owner::this_thread().number(), this_thread_number());
    owner const one;
    auto const copy = one;
    EXPECT_EQ(one, copy);
    EXPECT_NE(one, owner());
}

TEST(thread_exit, is_told_once_with_the_number_of_the_owner) {
    auto const listener = std::make_shared<recorder>();
    auto const number = on_a_thread([&] {
        EXPECT_TRUE(subscribe_thread_exit(listener));
        for (int count = 0; count < 2; ++count) EXPECT_FALSE(subscribe_thread_exit(listener)) << "it is one already";
        EXPECT_THAT(listener->ended(), IsEmpty());
    });
    EXPECT_THAT(listener->ended(), ElementsAre(number));
}

TEST(thread_exit, is_told_to_each_listener_that_asked_and_is_alive) {
    auto const first = std::make_shared<recorder>();
    auto const second = std::make_shared<recorder>();
    auto gone = std::make_shared<recorder>();
    auto const number = on_a_thread([&] {
        subscribe_thread_exit(first);
        subscribe_thread_exit(gone);
        subscribe_thread_exit(second);
        gone.reset();
    });
    on_a_thread([&] { subscribe_thread_exit(second); });
    EXPECT_THAT(first->ended(), ElementsAre(number));
    EXPECT_EQ(second->ended().size(), 2U);
}

TEST(thread_exit, forgets_listeners_that_are_gone) {
    auto const listener = std::make_shared<recorder>();
    auto const number = on_a_thread([&] {
        subscribe_thread_exit(listener);
        // Weak references keep the memory of a listener, which a custom deleter cannot show; that this ends, and ends
        // soon, is what a list without pruning would not do: each round would compare with all the former ones.
        for (int count = 0; count < 200'000; ++count) subscribe_thread_exit(std::make_shared<recorder>());
        subscribe_thread_exit(listener);
    });
    EXPECT_THAT(listener->ended(), ElementsAre(number));
}

TEST(thread_exit, comes_after_thread_local_objects_that_subscribe_while_they_are_destroyed) {
    auto const listener = std::make_shared<recorder>();
    struct late {
        std::shared_ptr<recorder> listener;
        ~late() {
            if (!listener) return;
            EXPECT_THAT(listener->ended(), IsEmpty());
            subscribe_thread_exit(listener);
        }
    };
    auto const number = on_a_thread([&] {
        static thread_local late object;
        object.listener = listener;
    });
    EXPECT_THAT(listener->ended(), ElementsAre(number));
}

} // namespace
} // namespace redlatch::io
