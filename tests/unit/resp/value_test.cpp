#include "resp/value.hpp"

#include <gtest/gtest.h>

namespace redlatch::resp {
namespace {

value text_of(value::kind type, std::string text) {
    return {.type = type, .text = std::move(text)};
}

TEST(value, is_nil_at_first) {
    value const fresh;
    EXPECT_TRUE(fresh.is_nil());
    EXPECT_FALSE(fresh.is_integer() || fresh.is_error() || fresh.is_text() || fresh.is_array());
}

TEST(value, of_status_and_of_string_is_text) {
    EXPECT_TRUE(text_of(value::kind::status, "OK").is_text());
    EXPECT_TRUE(text_of(value::kind::string, "OK").is_text());
    EXPECT_FALSE(text_of(value::kind::error, "OK").is_text());
}

TEST(value, knows_an_error_by_its_whole_first_word) {
    struct row {
        char const* text;
        char const* word;
        bool named;
    };
    row const rows[] = {
        {"BUSY Redis is busy running a script.", "BUSY", true},
        {"BUSYKEY Target key name already exists.", "BUSY", false},
        {"BUSYKEY Target key name already exists.", "BUSYKEY", true},
        {"BUSY", "BUSY", true},
        {"BUS", "BUSY", false},
        {"", "BUSY", false},
        {"NOSCRIPT No matching script.", "NOSCRIPT", true},
        {"noscript No matching script.", "NOSCRIPT", false},
        {"ERR unknown command 'NOSCRIPT'", "NOSCRIPT", false},
        {" NOSCRIPT", "NOSCRIPT", false},
    };
    for (auto const& [text, word, named] : rows) {
        EXPECT_EQ(text_of(value::kind::error, text).is_error_named(word), named) << text << " / " << word;
    }
}

TEST(value, of_text_is_no_error_whatever_it_says) {
    EXPECT_FALSE(text_of(value::kind::string, "BUSY").is_error_named("BUSY"));
    EXPECT_FALSE(text_of(value::kind::status, "BUSY").is_error_named("BUSY"));
}

} // namespace
} // namespace redlatch::resp
