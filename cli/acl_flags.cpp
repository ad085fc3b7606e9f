#include "acl_flags.hpp"

#include "acl_rule.hpp"
#include "exit_code.hpp"
#include "nearest.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

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

} // namespace

void declare(command_line& line, acl_flags& flags) {
    line.text("--types", "TYPES", "Of what, with commas between: " + listed(acl_types()) + ". Default: all of them.",
              flags.types);
    line.text("--name-prefix", "PREFIX",
              "Only for names that begin with this. Where names contain curly brackets, give them up to the first {, "
              "with it. "
              "Default: all names.",
              flags.name_prefix);
}

void check(acl_flags const& flags) {
    if (flags.name_prefix) check_word_of_rule("--name-prefix", *flags.name_prefix);
    if (flags.types) types_in(*flags.types);
}

std::vector<std::string> types_of(acl_flags const& flags) {
    if (flags.types) return types_in(*flags.types);
    auto const all = acl_types();
    return {all.begin(), all.end()};
}

void check_word_of_rule(std::string const& flag, std::string const& word) {
    auto const unusable = [](unsigned char byte) { return byte <= ' ' || byte == 0x7f; };
    if (word.empty()) throw usage_error(flag + " is empty");
    if (std::any_of(word.begin(), word.end(), unusable))
        throw usage_error(flag + ": a rule of the server's cannot have blanks or control characters in it");
}

} // namespace redlatch::cli
