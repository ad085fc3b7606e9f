// What --help shows, the man page and the completions know too.
#include "tool.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace redlatch::test {
namespace {

std::string text_of(std::string const& file) {
    std::ifstream in(REDLATCH_CLI_SOURCES "/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// All flags in the help of a command.
std::set<std::string> flags_in(std::string const& help) {
    std::set<std::string> result;
    auto const belongs = [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); };
    for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) {
        auto const end = static_cast<std::size_t>(
            std::find_if_not(help.begin() + static_cast<std::ptrdiff_t>(at), help.end(), belongs) - help.begin());
        if (end > at + 2) result.insert(help.substr(at, end - at));
        at = end;
    }
    return result;
}

std::vector<words> const commands{{"run"},    {"hold"}, {"status"},           {"list"},
                                  {"unlock"}, {"ping"}, {"server", "status"}, {"server", "stop"}};

class documentation : public tool_test {};

TEST_F(documentation, the_man_page_and_the_completions_know_each_flag) {
    auto manual = text_of("man/redlatch.1");
    for (std::size_t at = 0; (at = manual.find("\\-", at)) != std::string::npos;) manual.erase(at, 1);
    auto const bash = text_of("completions/redlatch.bash");
    auto const zsh = text_of("completions/_redlatch");
    for (auto const& command : commands) {
        auto arguments = command;
        arguments.emplace_back("--help");
        auto const flags = flags_in(run(arguments).output);
        EXPECT_GE(flags.size(), 2U) << command.front();
        for (auto const& flag : flags) {
            EXPECT_TRUE(flag == "--help" || manual.find(flag) != std::string::npos)
                << flag << " is not in the man page";
            EXPECT_NE(bash.find(flag), std::string::npos) << flag << " is not completed by bash";
            EXPECT_NE(zsh.find(flag), std::string::npos) << flag << " is not completed by zsh";
        }
    }
}

TEST_F(documentation, the_man_page_and_the_completions_know_each_command) {
    for (auto const* file : {"man/redlatch.1", "completions/redlatch.bash", "completions/_redlatch"})
        for (auto const& command : commands)
            EXPECT_NE(text_of(file).find(command.back()), std::string::npos) << command.back() << " is not in " << file;
}

TEST_F(documentation, the_man_page_knows_each_exit_status) {
    auto const manual = text_of("man/redlatch.1");
    for (auto const* status : {"64", "69", "70", "74", "75", "79", "126", "127"})
        EXPECT_NE(manual.find(std::string("\n.B ") + status + "\n"), std::string::npos) << status;
}

} // namespace
} // namespace redlatch::test
