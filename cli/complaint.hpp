// What is wrong with a command line, in a message that says what to write instead.
#pragma once

#include <string>
#include <vector>

namespace redlatch::cli {

/// What a command knows.
struct known_words {
    struct flag {
        std::string name;
        std::string value; ///< how its value is called; empty: it has none
    };
    std::vector<std::string> required{}; ///< words, in their order
    std::vector<std::string> optional{};
    std::vector<flag> flags{};
    std::string usage{};   ///< the whole of it, as in "redlatch status NAME [FLAGS]"
    std::string surplus{}; ///< what to say of a word that is too many; empty: the usage
};

/// The first thing that is wrong; empty: nothing is.
std::string complaint_about(std::vector<std::string> const& words, known_words const& known);

} // namespace redlatch::cli
