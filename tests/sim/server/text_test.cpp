#include "locking/script.hpp"
#include "sim/server/sha1.hpp"
#include "sim/server/text.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

TEST(sha1, gives_the_published_digests) {
    EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    EXPECT_EQ(sha1_hex(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(sha1, agrees_on_the_embedded_scripts) {
    using namespace locking::scripts;
    for (auto const* script : {&lock_acquire, &lock_force_release, &lock_release, &lock_renew}) {
        EXPECT_EQ(sha1_hex(script->text), script->sha1) << script->name;
    }
}

TEST(numbers, have_one_form) {
    EXPECT_EQ(integer_in("0"), 0);
    EXPECT_EQ(integer_in("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(integer_in("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    for (auto const* const text : {"", "-", "-0", "00", "01", "+1", " 1", "1 ", "1x", "1.0", "9223372036854775808"}) {
        EXPECT_EQ(integer_in(text), std::nullopt) << text;
    }
}

TEST(patterns, match_as_redis_does) {
    struct {
        char const* pattern;
        char const* text;
        bool matches;
    } const cases[] = {
        {"*", "", true},           {"*", "abc", true},        {"a*c", "abbc", true},   {"a*c", "abbd", false},
        {"?", "", false},          {"a?c", "abc", true},      {"[a-c]x", "bx", true},  {"[c-a]x", "bx", true},
        {"[^a]", "b", true},       {"[^a]", "a", false},      {"[ab", "b", true},      {"[ab", "c", false},
        {"\\*", "*", true},        {"\\*", "a", false},       {"a\\", "a\\", true},    {"", "", true},
        {"", "a", false},          {"a**b", "ab", true},      {"*a*b*", "xaxb", true}, {"[\\]]", "]", true},
        {"*[0-9]", "lock7", true}, {"*[0-9]", "lock", false},
    };
    for (auto const& [pattern, text, expected] : cases) {
        EXPECT_EQ(matches(pattern, text), expected) << pattern << " " << text;
    }
}

} // namespace
} // namespace redlatch::sim
