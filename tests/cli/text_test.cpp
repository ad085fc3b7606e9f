#include "text.hpp"

#include <climits>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace redlatch::cli {
namespace {

using namespace std::string_literals;

TEST(printable, leaves_text_as_it_is) {
    EXPECT_EQ(printable("orders"), "orders");
    EXPECT_EQ(printable("Größe, 日本, 🔒"), "Größe, 日本, 🔒");
    for (std::string const edge :
         {"\u00a0", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"})
        EXPECT_EQ(printable(edge), edge) << "the first or last character of its length";
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

TEST(printable, shows_what_deceives_a_reader) {
    EXPECT_EQ(printable("a\xe2\x80\xaetxt.exe"), "a\\xe2\\x80\\xaetxt.exe")
        << "what follows would be written backwards";
    for (std::string const& mark :
         {"\xd8\x9c"s, "\xe2\x80\x8e"s, "\xe2\x80\x8f"s, "\xe2\x80\xaa"s, "\xe2\x81\xa6"s, "\xe2\x81\xa9"s,
          "\xe2\x80\xa8"s, "\xe2\x80\x8b"s, "\xef\xbb\xbf"s, "\xc2\x85"s, "\xf3\xa0\x81\x81"s}) {
        auto const shown = printable("a" + mark + "b");
        EXPECT_EQ(shown.find(mark), std::string::npos) << shown;
        EXPECT_EQ(shown.size(), 2 + 4 * mark.size()) << shown;
        auto const json = printable_json("\"a" + mark + "b\"");
        EXPECT_EQ(json.find(mark), std::string::npos) << json;
        EXPECT_NE(json.find("\\u"), std::string::npos) << json;
    }
}

std::string utf8(std::uint32_t code) {
    auto const tail = [code](int shift) { return static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xF0U | code >> 18), tail(12), tail(6), tail(0)};
}

struct range {
    std::uint32_t first;
    std::uint32_t last;
};

TEST(printable, shows_no_more_than_what_deceives) {
    for (auto const& one : {range{0x00, 0x1F}, range{0x7F, 0x9F}, range{0xAD, 0xAD}, range{0x61C, 0x61C},
                            range{0x200B, 0x200B}, range{0x200E, 0x200F}, range{0x2028, 0x202E}, range{0x2060, 0x206F},
                            range{0xFEFF, 0xFEFF}, range{0xFFF9, 0xFFFB}, range{0xE0000, 0xE007F}}) {
        EXPECT_NE(printable(utf8(one.first)), utf8(one.first)) << one.first;
        EXPECT_NE(printable(utf8(one.last)), utf8(one.last)) << one.last;
        if (one.first > 0) {
            EXPECT_EQ(printable(utf8(one.first - 1)), utf8(one.first - 1)) << one.first - 1;
        }
        EXPECT_EQ(printable(utf8(one.last + 1)), utf8(one.last + 1)) << one.last + 1;
    }
}

TEST(printable_json, leaves_everything_else) {
    EXPECT_EQ(printable_json(R"({"a":"Größe, 日本, 🔒 \u001b"})"), R"({"a":"Größe, 日本, 🔒 \u001b"})");
    EXPECT_EQ(printable_json("\xc2\x9b \xe2\x80\xae \x7f \xf3\xa0\x81\x81"), "\\u009b \\u202e \\u007f \\udb40\\udc41");
}

TEST(printable, can_be_read_back) {
    EXPECT_EQ(printable("\\x41"), "\\\\x41");
    EXPECT_EQ(printable_message("C:\\x41"), "C:\\x41") << "a message may already have been made printable";
}

TEST(columns, counts_characters) {
    EXPECT_EQ(columns("Größe"), 5U);
    EXPECT_EQ(columns("日本"), 4U) << "wide characters take two";
    EXPECT_EQ(columns("🔒"), 2U);
    EXPECT_EQ(columns("e\xcc\x81"), 1U) << "an accent stands over its letter";
}

TEST(columns, knows_what_is_wide_and_what_is_drawn_over_others_to_the_edges) {
    for (auto const& one : {range{0x300, 0x36F}, range{0x483, 0x489}, range{0x591, 0x5BD}, range{0x610, 0x61A},
                            range{0x64B, 0x65F}, range{0x1AB0, 0x1AFF}, range{0x1DC0, 0x1DFF}, range{0x20D0, 0x20FF},
                            range{0xFE00, 0xFE0F}, range{0xFE20, 0xFE2F}}) {
        EXPECT_EQ(columns(utf8(one.first)) + columns(utf8(one.last)), 0U) << one.first;
        EXPECT_NE(columns(utf8(one.first - 1)), 0U) << one.first - 1;
        EXPECT_NE(columns(utf8(one.last + 1)), 0U) << one.last + 1;
    }
    for (auto const& one : {range{0x1100, 0x115F}, range{0x231A, 0x231B}, range{0x2E80, 0x303E}, range{0x4E00, 0xA4CF},
                            range{0xAC00, 0xD7A3}, range{0xF900, 0xFAFF}, range{0xFE30, 0xFE6F}, range{0xFF00, 0xFF60},
                            range{0xFFE0, 0xFFE6}, range{0x1F300, 0x1F64F}, range{0x1F680, 0x1F6FF},
                            range{0x1F900, 0x1F9FF}, range{0x20000, 0x3FFFD}}) {
        EXPECT_EQ(columns(utf8(one.first)), 2U) << one.first;
        EXPECT_EQ(columns(utf8(one.last)), 2U) << one.last;
        EXPECT_NE(columns(utf8(one.first - 1)), 2U) << one.first - 1;
        EXPECT_NE(columns(utf8(one.last + 1)), 2U) << one.last + 1;
    }
}

TEST(shortened, keeps_the_beginning_and_the_end) {
    EXPECT_EQ(shortened("orders", 6), "orders");
    EXPECT_EQ(shortened("orders:of:2026", 9), "ord...026");
    EXPECT_EQ(shortened("orders:of:2026", 10), "orde...026");
    EXPECT_EQ(shortened("\x1b[31m", 20), "\\x1b[31m");
}

TEST(shortened, is_never_wider_and_never_tears_a_character) {
    std::vector<std::string> const texts{std::string(65536, 'x'), std::string(40, '\x1b'), std::string(40, '\\')};
    std::string wide;
    std::string accents = "e";
    for (int i = 0; i < 30; ++i) wide += "日";
    for (int i = 0; i < 40'000; ++i) accents += "\xcc\x81";
    for (auto const& text : {texts[0], texts[1], texts[2], wide, accents, accents + wide + accents})
        for (std::size_t most = 3; most < 40; ++most) {
            auto const cell = shortened(text, most);
            EXPECT_LE(columns(cell), most);
            EXPECT_LE(cell.size(), 40 * most);
            EXPECT_EQ(printable_message(cell), cell) << "well-formed";
            if (text != texts[1]) {
                EXPECT_EQ(cell.find("\\x"), std::string::npos) << cell;
            }
        }
}

/// Of a longer line a pipe might take a part, and another one's would come between.
TEST(write_at_once, leaves_a_line_out_that_a_pipe_does_not_take_in_one) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_TRUE(write_at_once(ends[1], "short\n"));
    EXPECT_FALSE(write_at_once(ends[1], std::string(PIPE_BUF + 1, 'x')));
    int there = 0;
    EXPECT_EQ(::ioctl(ends[0], FIONREAD, &there), 0);
    EXPECT_EQ(there, 6);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(write_at_once, writes_all_of_it_to_a_file) {
    int const file = ::memfd_create("log", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    EXPECT_TRUE(write_at_once(file, std::string(PIPE_BUF + 1, 'x')));
    EXPECT_EQ(::lseek(file, 0, SEEK_END), PIPE_BUF + 1);
    ::close(file);
}

TEST(write_all, says_when_it_cannot) {
    EXPECT_FALSE(write_all(-1, "text"));
}

} // namespace
} // namespace redlatch::cli
