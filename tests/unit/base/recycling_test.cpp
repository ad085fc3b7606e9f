#include "base/recycling.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace redlatch::base {
namespace {

#if !defined(REDLATCH_SANITIZED)
TEST(recycling, gives_the_same_memory_again_to_the_same_thread) {
    auto* const first = take_memory(100);
    keep_memory(first, 100);
    auto* const second = take_memory(110); // of the same size class
    EXPECT_EQ(second, first);
    keep_memory(second, 110);
}

TEST(recycling, keeps_texts_by_the_room_that_they_have) {
    auto name = spare_text(text_for::name);
    auto command = spare_text(text_for::command);
    EXPECT_GE(name.capacity(), 64U);
    EXPECT_GE(command.capacity(), 512U);
    command.assign(500, 'x');
    auto const* const where = command.data();
    keep_text(std::move(command));
    keep_text(std::move(name));
    auto const again = spare_text(text_for::command);
    EXPECT_EQ(again.data(), where);
    EXPECT_TRUE(again.empty());
}
#endif

TEST(recycling, takes_any_number_of_any_size) {
    std::vector<std::pair<char*, std::size_t>> all;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t const bytes : {1UL, 63UL, 64UL, 65UL, 640UL, 1023UL, 1024UL, 1025UL, 100000UL})
            for (int i = 0; i < 20; ++i) {
                auto* const block = static_cast<char*>(take_memory(bytes));
                block[0] = block[bytes - 1] = 'x';
                all.emplace_back(block, bytes);
            }
        for (auto const& [block, bytes] : all) keep_memory(block, bytes);
        all.clear();
    }
}

TEST(recycling, may_be_given_back_by_another_thread_and_after_a_threads_end) {
    std::shared_ptr<int> kept;
    std::thread([&] { kept = std::allocate_shared<int>(recycling<int>(), 7); }).join();
    std::thread([mine = std::move(kept)]() mutable { mine.reset(); }).join();
    std::thread([] {
        // Made before the stock of this thread, and so destroyed after it.
        thread_local std::shared_ptr<int> last;
        last = std::allocate_shared<int>(recycling<int>(), 8);
        keep_text(std::string(600, 'x'));
    }).join();
}

} // namespace
} // namespace redlatch::base
