#include "text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace redlatch::cli {
namespace {

using namespace std::string_literals;

TEST(printable, leaves_text_as_it_is) {
    EXPECT_EQ(printable("orders"), "orders");
    EXPECT_EQ(printable("Größe, 日本, 🔒"), "Größe, 日本, 🔒");
}

TEST(printable, shows_what_a_terminal_would_obey) {
    EXPECT_EQ(printable("\x1b[31mred\n\r\t\x7f"), "\\x1b[31mred\\x0a\\x0d\\x09\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character beyond ASCII";
    EXPECT_EQ(printable("a\0b"s), "a\\x00b");
}

TEST(printable, shows_what_is_not_utf8) {
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
    EXPECT_EQ(printable("\xc3\xa4\xff"), "ä\\xff");
}

TEST(printable, can_be_read_back) {
    EXPECT_EQ(printable("\\x41"), "\\\\x41");
    EXPECT_EQ(printable_sentence("C:\\x41"), "C:\\x41") << "a sentence may already have been made printable";
}

TEST(columns, counts_characters) {
    EXPECT_EQ(columns("Größe"), 5U);
}

TEST(write_all, says_when_it_cannot) {
    EXPECT_FALSE(write_all(-1, "text"));
}

} // namespace
} // namespace redlatch::cli
