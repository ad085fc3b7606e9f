// A text that ends within quotes is not taken for one that closes them.
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <gmock/gmock.h>
#include <initializer_list>
#include <string>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char const* server = "singleServerConfig: {address: 'redis://h'}\n";

std::string message_about(std::string const& text) {
    return test::refusal([&] { config::from_yaml(text); });
}

TEST(unclosed_quote, is_refused_with_its_line_however_the_text_ends) {
    for (std::string const value :
         {"\"s3cret", "'s3cret", "\"", "'", "\"s3cret\\\"", "'s3cret''", "\"s3cret\\\\\\\"", "'s3cret\\",
          "\"s3cret # no comment", "'s3cret: \"no\" key", "\"it's", "'say \"s3cret\"", "\"a\n\n  b", "'a\n  # b\n  c",
          "!!str \"s3cret", "&a 's3cret", "\"a\\\n  b"})
        for (std::string const end : {"", "\n", "\n\n", "\n \n", " ", "  \n", "\t\n", "\r\n", "\n\t"})
            EXPECT_THAT(message_about(server + ("password: " + value) + end),
                        AllOf(HasSubstr("line 2: it is not well-formed YAML"), HasSubstr("is not closed"),
                              Not(HasSubstr("s3cret"))))
                << value;
}

TEST(unclosed_quote, may_end_with_a_backslash) {
    for (std::string const end : {"", "\n", "\n\n"})
        EXPECT_THAT(message_about(server + std::string("password: \"s3cret\\") + end),
                    AllOf(HasSubstr("line 2: it is not well-formed YAML"), Not(HasSubstr("s3cret"))));
}

TEST(unclosed_quote, is_found_where_no_key_is_before_it) {
    for (std::string const end : {"", "\n", "\n\n"}) {
        EXPECT_THAT(message_about(server + std::string("\n\"password: x") + end), HasSubstr("line 3: it is not well"));
        EXPECT_THAT(
            message_about("clusterServersConfig:\n  nodeAddresses:\n    - 'redis://a'\n    - \"redis://b" + end),
            HasSubstr("line 4: it is not well-formed"));
        EXPECT_THAT(message_about("{singleServerConfig: {address: redis://h},\n password: 'x}" + end),
                    HasSubstr("line 2: it is not well-formed"));
        EXPECT_THAT(message_about("spring.redis.redisson.config: |\n  singleServerConfig: {address: 'redis://h'}\n"
                                  "  password: \"x"
                                  + end),
                    HasSubstr("line 3: it is not well-formed"));
    }
}

std::string password_in(std::string const& text) {
    return config::from_yaml(server + text).password;
}

TEST(closed_quote, is_read_however_the_text_ends) {
    for (std::string const end :
         {"", "\n", "\n\n", " # it's \"this", "\n# it's \"this", "\n# 'x", "\n...\n", "\n \n"}) {
        EXPECT_EQ(password_in("password: \"a'b\"" + end), "a'b");
        EXPECT_EQ(password_in("password: 'a\"b'" + end), "a\"b");
        EXPECT_EQ(password_in("password: 'a''b'''" + end), "a'b'");
        EXPECT_EQ(password_in("password: 'a\\'" + end), "a\\");
        EXPECT_EQ(password_in("password: \"a\\\"b\\\\\"" + end), "a\"b\\");
        EXPECT_EQ(password_in("password: \"\"" + end), "");
        EXPECT_EQ(password_in("password: ''" + end), "");
        EXPECT_EQ(password_in("password: it's \"so\" 'x" + end), "it's \"so\" 'x");
        EXPECT_EQ(password_in("password: a\"" + end), "a\"");
        EXPECT_EQ(password_in("password: # \"x" + end), "");
        EXPECT_EQ(password_in("\"password\": 'x'" + end), "x");
        EXPECT_EQ(password_in("password: \"a\n  b\"" + end), "a b");
    }
    EXPECT_EQ(password_in("password: |-\n  it's \"so\n"), "it's \"so");
    EXPECT_EQ(password_in("password: |\n  \"x\n  # 'y\n"), "\"x\n# 'y\n");
    EXPECT_EQ(password_in("password: >-\n  'x\n  y\n\n"), "'x y");
}

} // namespace
} // namespace redlatch
