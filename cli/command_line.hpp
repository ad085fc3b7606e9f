// The command line of one command. Only the command that was asked for declares its flags, and CLI11 gets to know only those
// that are given: building the tree of all of them would cost more than a lock.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::cli {

using arguments = std::vector<std::string>;

/// --help was asked for; the text is complete.
struct help_requested {
    std::string text;
};

/// Thread safety: distinct objects: safe. The targets must live until parse() has returned.
class command_line {
public:
    /// `usage` is what follows the program's name.
    command_line(std::string const& usage, std::string const& description);
    ~command_line();

    void word(std::string const& name, std::string const& text, std::string& target);
    /// A whole number from `least` to `most`.
    void number_word(std::string const& name, std::string const& text, int least, int most, int& target);
    void optional_word(std::string const& name, std::string const& text, std::optional<std::string>& target);
    void flag(std::string const& name, std::string const& text, bool& target);
    void text(std::string const& name, std::string const& value_name, std::string const& text,
              std::optional<std::string>& target);
    void time(std::string const& name, std::string const& text, std::optional<duration>& target);
    void number(std::string const& name, std::string const& text, int least, int most, int& target);
    void choice(std::string const& name, std::vector<std::string> values, std::string const& text, std::string& target);
    /// What to say before a word that is too many; the usage, if nothing is given.
    void surplus(std::string hint);
    /// A line of the help.
    void example(std::string const& text);
    /// Below the flags in the help.
    void footer(std::string text);

    /// Throws usage_error, or help_requested.
    void parse(arguments const& words);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace redlatch::cli
