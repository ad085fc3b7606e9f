#include "subcommands.hpp"

#include "exit_code.hpp"
#include "nearest.hpp"
#include "text.hpp"

#include <algorithm>

namespace redlatch::cli {
namespace {

/// "set, acquire or release"; `last`: " or ".
std::string names_of(std::vector<subcommand> const& known, char const* last) {
    std::string result;
    for (auto const& one : known) {
        if (!result.empty()) result += &one == &known.back() ? last : ", ";
        result += one.name;
    }
    return result;
}

std::string about_unknown(std::string const& command, std::vector<subcommand> const& known, std::string const& word) {
    std::string const said = command + " has no command '" + printable(word) + "'; ";
    if (word.starts_with('-'))
        return said + "flags stand behind the command, as in: redlatch " + command + " COMMAND ... --json";
    std::vector<std::string> names;
    for (auto const& one : known) names.push_back(one.name);
    auto const meant = nearest(word, names);
    return said + (meant.empty() ? "it has " + names_of(known, " and ") : "did you mean " + meant + "?");
}

} // namespace

int run_subcommand(std::string const& command, std::vector<subcommand> const& known, char const* help,
                   arguments const& words) {
    if (words.empty())
        throw usage_error(command + " needs a command: " + names_of(known, " or ") + ", as in: redlatch " + command
                          + ' ' + known.front().name);
    auto const& word = words.front();
    if (word == "--help" || word == "-h") throw help_requested{help};
    auto const found =
        std::find_if(known.begin(), known.end(), [&word](subcommand const& one) { return one.name == word; });
    if (found == known.end()) throw usage_error(about_unknown(command, known, word));
    return found->run({words.begin() + 1, words.end()});
}

} // namespace redlatch::cli
