#include "base/one_or_more.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::base {
namespace {

using numbers = std::vector<int>;

numbers content_of(one_or_more<int> const& all) {
    return {all.begin(), all.end()};
}

bool is_in_place(one_or_more<int> const& all) {
    auto const* const begin = reinterpret_cast<char const*>(&all);
    auto const* const at = reinterpret_cast<char const*>(all.data());
    return at >= begin && at < begin + sizeof(all);
}

TEST(one_or_more, has_nothing_at_first) {
    one_or_more<int> const none{};
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.size(), 0U);
    EXPECT_EQ(none.begin(), none.end());
}

TEST(one_or_more, keeps_one_in_place) {
    one_or_more<int> all;
    all.push_back(7);
    EXPECT_EQ(content_of(all), (numbers{7}));
    EXPECT_EQ(all.back(), 7);
    EXPECT_TRUE(is_in_place(all));
    all[0] = 8;
    EXPECT_EQ(content_of(all), (numbers{8}));
    all.pop_back();
    EXPECT_TRUE(all.empty());
}

TEST(one_or_more, keeps_the_order_of_several) {
    one_or_more<int> all;
    for (int number = 1; number <= 5; ++number) all.push_back(number);
    EXPECT_EQ(content_of(all), (numbers{1, 2, 3, 4, 5}));
    all.erase(all.begin() + 1);
    EXPECT_EQ(content_of(all), (numbers{1, 3, 4, 5}));
    all.pop_back();
    all.erase(all.begin());
    EXPECT_EQ(content_of(all), (numbers{3, 4}));
    EXPECT_EQ(all.back(), 4);
    EXPECT_EQ(all[0], 3);
}

TEST(one_or_more, takes_a_copy_of_its_own_element) {
    one_or_more<std::optional<std::string>> all;
    all.push_back("a text that is too long to have its place in the string");
    for (int times = 0; times < 4; ++times) all.push_back(all[0]);
    EXPECT_EQ(all.size(), 5U);
    for (auto const& one : all) EXPECT_EQ(one, "a text that is too long to have its place in the string");
}

TEST(one_or_more, can_be_filled_again_after_the_last_one) {
    for (int const first : {1, 2, 3}) {
        for (bool const at_once : {false, true}) {
            one_or_more<int> all;
            for (int number = 1; number <= first; ++number) all.push_back(number);
            while (!at_once && !all.empty()) all.erase(all.begin());
            if (at_once) all.clear();
            EXPECT_TRUE(all.empty());
            all.push_back(8);
            all.push_back(9);
            EXPECT_EQ(content_of(all), (numbers{8, 9}));
        }
    }
}

TEST(one_or_more, lets_go_of_what_is_erased) {
    one_or_more<std::shared_ptr<int>> all;
    std::weak_ptr<int> first, second;
    auto const add = [&](std::weak_ptr<int>& watched) {
        auto const made = std::make_shared<int>(1);
        watched = made;
        all.push_back(made);
    };
    add(first);
    all.pop_back();
    EXPECT_TRUE(first.expired());
    add(first);
    add(second);
    all.erase(all.begin());
    EXPECT_TRUE(first.expired());
    EXPECT_FALSE(second.expired());
    all.clear();
    EXPECT_TRUE(second.expired());
}

TEST(one_or_more, is_in_order_for_what_an_element_does_when_it_is_destroyed) {
    struct last_words {
        std::function<void()> say;
        ~last_words() { say(); }
    };
    one_or_more<std::shared_ptr<last_words>> all;
    std::size_t seen = 99;
    auto mine = std::make_shared<last_words>();
    mine->say = [&] { seen = all.size(); };
    all.push_back(std::exchange(mine, nullptr));
    all.pop_back();
    EXPECT_EQ(seen, 0U);
}

} // namespace
} // namespace redlatch::base
