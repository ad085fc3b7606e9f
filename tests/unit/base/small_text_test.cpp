#include "base/small_text.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace redlatch::base {
namespace {

bool is_in_place(small_text<8> const& text) {
    auto const* const at = text.view().data();
    auto const* const begin = reinterpret_cast<char const*>(&text);
    return at >= begin && at < begin + sizeof(text);
}

TEST(small_text, is_empty_at_first) {
    small_text<8> const text{};
    EXPECT_EQ(text.view(), "");
}

TEST(small_text, keeps_in_place_what_has_room_and_elsewhere_what_has_none) {
    small_text<8> text;
    text = "12345678";
    EXPECT_EQ(text, "12345678");
    EXPECT_TRUE(is_in_place(text));
    text = "123456789";
    EXPECT_EQ(text, "123456789");
    EXPECT_FALSE(is_in_place(text));
    text = "1";
    EXPECT_EQ(text, "1") << "nothing is left of the longer one";
    EXPECT_TRUE(is_in_place(text));
}

TEST(small_text, joins_pieces_of_any_length) {
    small_text<8> text;
    text.assign({"uuid", ":", "", "7"});
    EXPECT_EQ(text, "uuid:7");
    text.assign({"uuid", ":", std::string(300, 'x')});
    EXPECT_EQ(text.str(), "uuid:" + std::string(300, 'x'));
    text.assign({});
    EXPECT_EQ(text.view(), "");
}

TEST(small_text, copies_another_one) {
    small_text<8> shorter, longer, copy;
    shorter = "abc";
    longer = "abcdefghijk";
    copy = longer;
    EXPECT_EQ(copy, "abcdefghijk");
    EXPECT_NE(copy.view().data(), longer.view().data());
    copy = shorter;
    EXPECT_EQ(copy, "abc");
}

} // namespace
} // namespace redlatch::base
