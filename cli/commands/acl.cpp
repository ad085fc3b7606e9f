// redlatch acl: the least rights that a user of the server needs.
#include "acl_rule.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "nearest.hpp"
#include "options.hpp"
#include "text.hpp"

#include <algorithm>
#include <sstream>

namespace redlatch::cli {
namespace {

std::string listed(std::vector<std::string_view> const& names) {
    std::string text;
    for (auto const& one : names) text.append(text.empty() ? "" : ", ").append(one);
    return text;
}

std::vector<std::string> types_in(std::string const& text) {
    auto const known = acl_types();
    std::vector<std::string> chosen;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            auto const meant = nearest(word, {known.begin(), known.end()});
            throw usage_error("--types: there is no type '" + word + "'"
                              + (meant.empty() ? std::string() : "; did you mean " + meant + "?") + "; the types are "
                              + listed(known));
        }
        chosen.push_back(word);
    }
    if (chosen.empty()) throw usage_error("--types is empty; the types are " + listed(known));
    return chosen;
}

/// One word of a rule, which ends at a blank.
void check_word(std::string const& flag, std::string const& word) {
    auto const unusable = [](unsigned char byte) { return byte <= ' ' || byte == 0x7f; };
    if (word.empty()) throw usage_error(flag + " is empty");
    if (std::any_of(word.begin(), word.end(), unusable))
        throw usage_error(flag + ": a rule of the server's cannot have blanks or control characters in it");
}

} // namespace

int show_acl(arguments const& words) {
    std::optional<std::string> types;
    std::optional<std::string> prefix;
    std::optional<std::string> user;
    command_line line("acl [FLAGS]",
                      "Print the least rights that a user of the server needs, as an ACL rule. Speaks to no "
                      "server.");
    auto const known = acl_types();
    line.text("--types", "TYPES", "Of what, with commas between: " + listed(known) + ". Default: all of them.", types);
    line.text(
        "--name-prefix", "PREFIX",
        "Only for names that begin with this. Names with curly brackets: up to the first one, and with it. Default: "
        "all names.",
        prefix);
    line.text("--user", "NAME", "The name of the user. Default: locks.", user);
    line.example("redlatch acl --name-prefix jobs:");
    line.example("redlatch acl --types reentrant,semaphore --user importer");
    line.footer(exit_status_help);
    line.parse(words);
    if (prefix) check_word("--name-prefix", *prefix);
    if (user) check_word("--user", *user);
    auto const chosen = types ? types_in(*types) : std::vector<std::string>(known.begin(), known.end());
    std::string rule = "ACL SETUSER " + user.value_or("locks") + " on >PASSWORD";
    for (auto const& word : acl_rule(chosen, prefix.value_or(""))) rule += ' ' + word;
    print(rule + '\n');
    return 0;
}

} // namespace redlatch::cli
