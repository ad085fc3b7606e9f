#include "base/recycling.hpp"
#include "support/sanitized.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace redlatch::base {
namespace {

constexpr char const* nothing_is_kept = "under a sanitizer each block is a new one";

TEST(recycling, gives_the_same_memory_again_to_the_same_thread) {
    if (test::is_sanitized()) GTEST_SKIP() << nothing_is_kept;
    auto* const first = take_memory(89); // the smallest and the largest of one size class
    keep_memory(first, 89);
    auto* const second = take_memory(104);
    EXPECT_EQ(second, first);
    keep_memory(second, 104);
}

TEST(recycling, keeps_texts_that_have_the_room_for_a_command) {
    if (test::is_sanitized()) GTEST_SKIP() << nothing_is_kept;
    auto command = spare_text();
    EXPECT_GE(command.capacity(), 512U);
    command.assign(500, 'x');
    auto const* const where = command.data();
    keep_text(std::move(command));
    keep_text(std::string(100, 'x')); // too short
    auto const again = spare_text();
    EXPECT_EQ(again.data(), where);
    EXPECT_TRUE(again.empty());
}

TEST(recycling, gives_every_block_the_room_that_was_asked_for_also_the_second_time) {
    // The smallest and the largest of some size classes, the smallest first: what it leaves has to do for the largest.
    for (std::size_t const bytes : {1UL, 8UL, 41UL, 56UL, 57UL, 72UL, 617UL, 632UL, 1001UL, 1016UL, 1017UL, 100000UL}) {
        std::vector<std::string_view> all;
        for (char mark = 'a'; mark <= 'z'; ++mark) {
            auto* const block = static_cast<char*>(take_memory(bytes));
            ASSERT_GE(::malloc_usable_size(block), bytes);
            std::memset(block, mark, bytes);
            all.emplace_back(block, bytes);
        }
        for (char mark = 'a'; auto const& block : all)
            EXPECT_EQ(block.find_first_not_of(mark++), std::string_view::npos)
                << "two blocks of " << bytes << " overlap";
        for (auto const& block : all) keep_memory(const_cast<char*>(block.data()), block.size());
    }
}

TEST(recycling, may_be_given_back_by_another_thread_and_after_a_threads_end) {
    std::shared_ptr<int> kept;
    std::thread([&] { kept = std::allocate_shared<int>(recycling<int>(), 7); }).join();
    EXPECT_EQ(*kept, 7) << "its thread has ended, and it has not";
    std::thread([mine = std::move(kept)]() mutable { mine.reset(); }).join();

    static std::size_t room_at_the_end = 0;
    struct last_one {
        ~last_one() {
            keep_text(std::string(700, 'x')); // is not kept any more
            room_at_the_end = spare_text().capacity();
        }
    };
    std::thread([] {
        // Made before the stock of this thread, and so destroyed after it.
        thread_local std::shared_ptr<last_one> last;
        last = std::allocate_shared<last_one>(recycling<last_one>());
        keep_text(std::string(600, 'x'));
    }).join();
    EXPECT_GE(room_at_the_end, test::is_sanitized() ? 0U : 512U);
    EXPECT_LT(room_at_the_end, 600U) << "a new text, none of the stock that has ended";
}

} // namespace
} // namespace redlatch::base
