#include "complaint.hpp"

#include "nearest.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace redlatch::cli {
namespace {

/// What other tools (flock, timeout, ssh) call what some of our flags do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> other_names{{
    {"-n", "--no-wait"},
    {"--nb", "--no-wait"},
    {"--nonblock", "--no-wait"},
    {"-w", "--wait"},
    {"--timeout", "--wait"},
    {"-E", "--conflict-exit-code"},
    {"--ttl", "--lease"},
    {"--expire", "--lease"},
    {"--host", "--server"},
    {"--url", "--server"},
    {"-v", "--verbose"},
}};

std::string quoted(std::string const& word) {
    return "'" + printable(word) + "'";
}

std::string about_unknown_flag(std::string const& name, known_words const& known) {
    std::vector<std::string> names{"--help"};
    for (auto const& flag : known.flags) names.push_back(flag.name);
    std::string meant;
    for (auto const& [other, ours] : other_names)
        if (other == name && std::find(names.begin(), names.end(), ours) != names.end()) meant = ours;
    if (meant.empty()) meant = nearest(name, names);
    return "there is no flag " + quoted(name) + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// One flag; moves `at` beyond its value.
std::string about_flag(std::vector<std::string> const& words, std::size_t& at, known_words const& known,
                       std::set<std::string>& seen) {
    auto const& word = words[at];
    auto const equals = word.find('=');
    auto const name = word.substr(0, equals);
    auto const found =
        std::find_if(known.flags.begin(), known.flags.end(), [&](auto const& one) { return one.name == name; });
    if (found == known.flags.end()) return about_unknown_flag(name, known);
    if (found->value.empty()) return equals == std::string::npos ? "" : name + " takes no value";
    if (!seen.insert(name).second) return name + " is given twice";
    if (equals != std::string::npos) return {};
    if (++at < words.size()) return {};
    return name + " needs a value: " + name + ' ' + found->value;
}

} // namespace

std::string complaint_about(std::vector<std::string> const& words, known_words const& known) {
    std::set<std::string> seen;
    std::size_t places = 0;
    bool only_words = false;
    for (std::size_t at = 0; at < words.size(); ++at) {
        auto const& word = words[at];
        if (!only_words && word == "--") {
            only_words = true;
        } else if (!only_words && word.size() > 1 && word.starts_with('-')) {
            if (auto problem = about_flag(words, at, known, seen); !problem.empty()) return problem;
        } else if (++places > known.required.size() + known.optional.size()) {
            return quoted(word) + " is one word too many; "
                   + (known.surplus.empty() ? "usage: " + known.usage : known.surplus + printable(word));
        }
    }
    if (places < known.required.size()) return known.required[places] + " is missing; usage: " + known.usage;
    return {};
}

} // namespace redlatch::cli
