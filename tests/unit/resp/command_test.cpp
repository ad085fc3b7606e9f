#include "resp/command.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace redlatch::resp {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(command, is_an_array_of_bulk_strings) {
    EXPECT_EQ(command("PING"), "*1\r\n$4\r\nPING\r\n");
    EXPECT_EQ(command("CLIENT", "SETNAME", "a"), "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$1\r\na\r\n");
}

TEST(command, keeps_an_empty_argument) {
    EXPECT_EQ(command("SET", "key", ""), "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n");
}

TEST(command, takes_any_bytes) {
    EXPECT_EQ(command("GET", "a\r\n\0\xff$b"sv), "*2\r\n$3\r\nGET\r\n$7\r\na\r\n\0\xff$b\r\n"s);
}

TEST(command, takes_any_kind_of_text) {
    std::string const text = "two";
    EXPECT_EQ(command("one", text, "three"sv), "*3\r\n$3\r\none\r\n$3\r\ntwo\r\n$5\r\nthree\r\n");
}

TEST(command, is_appended_to_what_is_there) {
    std::string out = command("PING");
    append_command(out, {"ECHO", "x"});
    EXPECT_EQ(out, "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n");
}

TEST(command, has_decimal_lengths_of_every_size) {
    for (std::size_t size : {9u, 10u, 99u, 100u, 65'536u, 1'234'567u}) {
        std::string const text(size, 'x');
        EXPECT_EQ(command(text), "*1\r\n$" + std::to_string(size) + "\r\n" + text + "\r\n");
    }
    std::vector<std::string_view> const arguments(1'000, "a");
    std::string out;
    append_command(out, arguments);
    EXPECT_TRUE(out.starts_with("*1000\r\n$1\r\na\r\n"));
    EXPECT_EQ(out.size(), "*1000\r\n"sv.size() + 1'000 * "$1\r\na\r\n"sv.size());
}

} // namespace
} // namespace redlatch::resp
