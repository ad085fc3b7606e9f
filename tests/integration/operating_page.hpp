// The ACL rule in docs/operating.md, and what the page says of each of its rights.
#pragma once

#include "support/lock_helpers.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::test::operating_page {

inline std::vector<std::string> lines() {
    std::ifstream file(REDLATCH_OPERATING_PAGE);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    if (all.empty()) throw std::runtime_error("cannot read " REDLATCH_OPERATING_PAGE);
    return all;
}

/// The words behind `ACL SETUSER locks on >PASSWORD`.
inline std::vector<std::string> rule() {
    std::string const beginning = "ACL SETUSER locks on >PASSWORD ";
    for (auto const& line : lines()) {
        if (line.rfind(beginning, 0) != 0) continue;
        std::istringstream rest(line.substr(beginning.size()));
        std::vector<std::string> words;
        for (std::string word; rest >> word;) words.push_back(word);
        return words;
    }
    throw std::runtime_error(REDLATCH_OPERATING_PAGE " has no line that begins with " + beginning);
}

/// A row of the table of rights: "| `+evalsha` | what for | without it |".
struct right {
    std::string word;
    bool needed; ///< the last column begins with "refused"
};

inline std::vector<right> table() {
    std::vector<right> rights;
    for (auto const& line : lines()) {
        if (line.rfind("| `+", 0) != 0) continue;
        auto const last = line.rfind(" | ");
        auto const end = line.find('`', 3);
        auto word = line.substr(3, end - 3);
        std::erase(word, '\\'); // in a table | is written so
        rights.push_back({std::move(word), line.compare(last + 3, 7, "refused") == 0});
    }
    return rights;
}

} // namespace redlatch::test::operating_page
