#include "connection/holder_label.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string const client = "0e1f2a3b-0000-4000-8000-0123456789ab";
std::string const another = "11111111-0000-4000-8000-0123456789ab";

std::string line(std::string const& name, std::string const& behind = " age=0 idle=0 lib-name=x lib-ver=1\n") {
    return "id=7 addr=1.2.3.4:5 laddr=1.2.3.5:6379 fd=8 name=" + name + behind;
}

TEST(holder_label, is_what_a_connections_name_can_carry) {
    EXPECT_TRUE(is_holder_label("web-1:4711:importer"));
    EXPECT_TRUE(is_holder_label("!~"));
    EXPECT_TRUE(is_holder_label(std::string(128, 'x')));
    for (std::string const& wrong :
         {std::string(), std::string("two words"), std::string("line\n"), std::string("\x1b[31m"),
          std::string("\xc3\xa4"), std::string("\x7f"), std::string(129, 'x')})
        EXPECT_FALSE(is_holder_label(wrong)) << wrong;
}

TEST(holder_label, is_made_of_any_text) {
    EXPECT_EQ(made_holder_label("web 1:4711:\xc3\xa4\n"), "web_1:4711:___");
    EXPECT_EQ(made_holder_label(std::string(200, 'x')), std::string(128, 'x'));
}

TEST(connection_name, carries_the_label_and_leaves_the_users_name_in_front) {
    EXPECT_EQ(connection_name("", client, "a:1:b"), "redlatch:" + client + ":a:1:b");
    EXPECT_EQ(connection_name("till", client, "a:1:b"), "till|redlatch:" + client + ":a:1:b");
    EXPECT_EQ(connection_name("till", client, ""), "till");
    EXPECT_EQ(connection_name("", client, ""), "");
}

TEST(labels, are_found_in_the_list_of_clients) {
    EXPECT_THAT(labels_in(line("redlatch:" + client + ":a:1:b") + line("") + line("java")
                          + line("redlatch:" + client + ":a:1:b") + line("till|redlatch:" + another + ":c|redlatch:d")),
                ElementsAre(Pair(client, "a:1:b"), Pair(another, "c|redlatch:d")));
    EXPECT_THAT(labels_in(line("redlatch:" + client + ":a", "")), ElementsAre(Pair(client, "a"))) << "the last field";
}

TEST(labels, are_not_made_of_what_is_none) {
    EXPECT_THAT(labels_in(""), IsEmpty());
    EXPECT_THAT(labels_in("\n\n"), IsEmpty());
    EXPECT_THAT(labels_in("NOPERM this user has no permissions"), IsEmpty());
    for (std::string const& name :
         {std::string("redlatch:"), "redlatch:" + client, "redlatch:" + client + ":", "redlatch:" + client + "xa",
          "redlatch:" + client + ":\x1b[31m", "redlatch:" + client + ":" + std::string(129, 'x'),
          "xredlatch:" + client + ":a", std::string("redlatch:short:a")})
        EXPECT_THAT(labels_in(line(name)), IsEmpty()) << name;
    EXPECT_THAT(labels_in("lib-name=redlatch:" + client + ":a\n"), IsEmpty());
}

} // namespace
} // namespace redlatch::connection
