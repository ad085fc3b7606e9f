#include "holders.hpp"

#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace redlatch::cli {
namespace {

lock_owner holder(std::string owner, std::optional<std::string> label = {}) {
    return {std::move(owner), "client", "1", 1, std::move(label)};
}

TEST(text_of_holders, says_who_it_is_and_where_it_is_found) {
    EXPECT_EQ(text_of_holders(std::vector{holder("uuid:1", "web-1:4711:importer")}), "web-1:4711:importer (uuid:1)");
    EXPECT_EQ(text_of_holders(std::vector{holder("uuid:1")}), "uuid:1") << "Java's";
    EXPECT_EQ(text_of_holders(std::vector{holder("uuid:1", "a"), holder("uuid:2"), holder("uuid:3")}),
              "a (uuid:1) and 2 more");
    EXPECT_EQ(text_of_holders(std::vector{holder("\x1b", "\x1b[31m")}), "\\x1b[31m (\\x1b)");
    EXPECT_LT(text_of_holders(std::vector{holder(std::string(100'000, 'x'))}).size(), 200U);
}

std::string label_for(config settings, std::string const& program) {
    label_holds(settings, program);
    return settings.holder_label.value_or("(none)");
}

TEST(label_holds, names_the_command_under_the_lock) {
    auto const mine = ":" + std::to_string(::getpid()) + ":";
    EXPECT_TRUE(label_for({}, "/usr/bin/importer").ends_with(mine + "importer"));
    EXPECT_TRUE(label_for({}, "importer").ends_with(mine + "importer"));
    EXPECT_TRUE(label_for({}, "./two words\n\xc3\xa4").ends_with(mine + "two_words___"));
    EXPECT_EQ(label_for({}, std::string(1000, 'x')).size(), 128U);
}

TEST(label_holds, leaves_what_the_user_has_chosen) {
    EXPECT_EQ(label_for({.holder_label = "mine"}, "importer"), "mine");
    EXPECT_EQ(label_for({.holder_label = ""}, "importer"), "");
    EXPECT_EQ(label_for({.client_name = "till-3"}, "importer"), "(none)");
}

} // namespace
} // namespace redlatch::cli
