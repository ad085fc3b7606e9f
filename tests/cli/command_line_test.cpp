// The command line of one command: words, flags, and complaints that do not depend on which flags were given.
#include "command_line.hpp"
#include "exit_code.hpp"

#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

/// A command with one of each kind.
struct example {
    std::string name;
    std::optional<std::string> pattern;
    bool loud = false;
    std::optional<std::string> place;
    std::optional<duration> wait;
    int number = 7;
    std::string colour = "red";

    /// What it complained about, or the help, or nothing.
    std::string parse(arguments const& words) {
        command_line line("paint NAME [PATTERN]", "Paints.");
        line.word("NAME", "Whom.", name);
        line.optional_word("PATTERN", "How.", pattern);
        line.flag("--loud", "Say so.", loud);
        line.text("--place", "WHERE", "Where.", place);
        line.time("--wait", "How long.", wait);
        line.number("--number", "How many.", 1, 9, number);
        line.choice("--colour", {"red", "blue"}, "Which.", colour);
        line.footer("That is all.\n");
        try {
            line.parse(words);
        } catch (usage_error const& problem) {
            return problem.what();
        } catch (help_requested const& help) {
            return help.text;
        }
        return {};
    }
};

TEST(command_line, takes_words_without_flags) {
    example one;
    EXPECT_EQ(one.parse({"wall"}), "");
    EXPECT_EQ(one.name, "wall");
    EXPECT_FALSE(one.pattern);
    EXPECT_EQ(one.parse({"wall", "dots and lines"}), "");
    EXPECT_EQ(one.pattern, "dots and lines");
    EXPECT_EQ(one.parse({"", ""}), "") << "it is not the parser that refuses an empty name";
    EXPECT_EQ(one.name, "");
}

TEST(command_line, does_not_take_the_next_word_for_the_value_that_a_flag_has_left_empty) {
    for (auto const* flag : {"--place", "--wait", "--number", "--colour"}) {
        example one;
        EXPECT_TRUE(one.parse({std::string(flag) + "=", "wall"}).starts_with(std::string(flag) + " needs a value: "))
            << flag;
        EXPECT_EQ(one.name, "") << flag;
    }
    example one;
    EXPECT_EQ(one.parse({"--loud", "--", "--place="}), "") << "a word behind -- is no flag";
    EXPECT_EQ(one.name, "--place=");
    EXPECT_EQ(one.parse({"--place", "", "wall"}), "") << "here it was given";
    EXPECT_EQ(one.place, "");
}

TEST(command_line, takes_no_value_for_a_flag_that_has_none) {
    for (auto const* value : {"", "5", "true", "false", "0", "-1", "no"}) {
        example one;
        EXPECT_TRUE(one.parse({"wall", std::string("--loud=") + value}).starts_with("--loud takes no value")) << value;
        EXPECT_FALSE(one.loud) << value;
    }
    example one;
    EXPECT_TRUE(one.parse({"wall", "--help=no"}).starts_with("--help takes no value"));
    EXPECT_EQ(one.parse({"--", "--loud="}), "") << "a word behind -- is no flag";
    EXPECT_EQ(one.name, "--loud=");
    EXPECT_FALSE(one.loud);
}

TEST(command_line, takes_a_number_as_a_word) {
    int number = 0;
    auto const parse = [&number](arguments const& words) {
        command_line line("paint COUNT", "Paints.");
        line.number_word("COUNT", "How many.", 1, 9, number);
        line.parse(words);
    };
    parse({"7"});
    EXPECT_EQ(number, 7);
    for (std::string const wrong : {"0", "10", "x", "", "7 ", "-1"}) EXPECT_THROW(parse({wrong}), usage_error) << wrong;
    EXPECT_THROW(parse({}), usage_error);
    EXPECT_EQ(number, 7);
}

TEST(command_line, takes_flags_before_between_and_after_words) {
    example one;
    EXPECT_EQ(
        one.parse({"--wait", "2s", "wall", "--loud", "dots", "--colour=blue", "--number", "3", "--place", "here"}), "");
    EXPECT_EQ(one.name, "wall");
    EXPECT_EQ(one.pattern, "dots");
    EXPECT_TRUE(one.loud);
    EXPECT_EQ(one.wait, 2s);
    EXPECT_EQ(one.colour, "blue");
    EXPECT_EQ(one.number, 3);
    EXPECT_EQ(one.place, "here");
}

TEST(command_line, takes_a_word_that_looks_like_a_flag_as_the_value_of_a_flag) {
    example one;
    EXPECT_EQ(one.parse({"wall", "--place=--loud"}), "");
    EXPECT_EQ(one.place, "--loud");
    EXPECT_FALSE(one.loud);
}

TEST(command_line, leaves_what_was_not_given_as_it_was) {
    example one;
    EXPECT_EQ(one.parse({"wall", "--loud"}), "");
    EXPECT_EQ(one.number, 7);
    EXPECT_EQ(one.colour, "red");
    EXPECT_FALSE(one.wait || one.place || one.pattern);
}

TEST(command_line, complains_about_words_that_are_missing_or_too_many) {
    for (auto const& words : {arguments{}, arguments{"--loud"}}) {
        example one;
        EXPECT_NE(one.parse(words).find("NAME"), std::string::npos) << one.parse(words);
    }
    for (auto const& words : {arguments{"a", "b", "surplus"}, arguments{"a", "b", "--loud", "surplus"}}) {
        example one;
        EXPECT_NE(one.parse(words).find("surplus"), std::string::npos) << one.parse(words);
    }
}

TEST(command_line, complains_about_flags_that_it_does_not_know) {
    for (auto const& words :
         {arguments{"wall", "--lout"}, arguments{"--loud", "wall", "--lout"}, arguments{"wall", "-l"}}) {
        example one;
        auto const complaint = one.parse(words);
        EXPECT_NE(complaint.find(words.back()), std::string::npos) << complaint;
    }
}

TEST(command_line, names_the_flag_whose_value_is_wrong) {
    for (auto const& [flag, value] :
         {std::pair{"--wait", "3"}, {"--number", "10"}, {"--number", "x"}, {"--colour", "green"}}) {
        example one;
        auto const complaint = one.parse({"wall", flag, value});
        EXPECT_EQ(complaint.find(std::string(flag) + ": "), 0U) << complaint;
    }
    example one;
    EXPECT_NE(one.parse({"wall", "--wait"}).find("--wait"), std::string::npos) << "its value is missing";
}

TEST(command_line, shows_everything_in_its_help) {
    for (auto const& words : {arguments{"--help"}, arguments{"-h"}, arguments{"wall", "--loud", "--help"}}) {
        example one;
        auto const help = one.parse(words);
        for (auto const* what :
             {"Usage: redlatch paint NAME [PATTERN]", "Paints.", "NAME", "PATTERN", "--loud", "--place WHERE",
              "--wait DURATION", "--number N", "--colour red|blue", "-h,--help", "That is all."})
            EXPECT_NE(help.find(what), std::string::npos) << what << " is missing in:\n" << help;
    }
}

} // namespace
} // namespace redlatch::cli
