// What --help shows, the man page and the completions know too.
#include "tool.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

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

std::vector<words> const commands{{"run"},
                                  {"elect"},
                                  {"hold"},
                                  {"status"},
                                  {"list"},
                                  {"unlock"},
                                  {"semaphore", "set"},
                                  {"semaphore", "acquire"},
                                  {"semaphore", "release"},
                                  {"semaphore", "add"},
                                  {"semaphore", "available"},
                                  {"semaphore", "drain"},
                                  {"semaphore", "remove"},
                                  {"permits", "set"},
                                  {"permits", "show"},
                                  {"permits", "release"},
                                  {"permits", "remove"},
                                  {"latch", "set"},
                                  {"latch", "count-down"},
                                  {"latch", "wait"},
                                  {"latch", "count"},
                                  {"latch", "remove"},
                                  {"ping"},
                                  {"doctor"},
                                  {"acl"},
                                  {"config", "check"},
                                  {"server", "status"},
                                  {"server", "stop"}};

/// Without the backslashes before its dashes.
std::string manual() {
    auto text = text_of("man/redlatch.1");
    for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

/// What stands first in the lines of `Commands:` in a help.
std::set<std::string> commands_in(std::string const& help) {
    std::set<std::string> result;
    std::istringstream lines(help.substr(help.find("Commands:\n") + 10));
    for (std::string line; std::getline(lines, line) && line.starts_with("  ");)
        result.insert(line.substr(2, line.find(' ', 2) - 2));
    return result;
}

/// What bash offers behind these words.
std::set<std::string> completions_behind(std::string const& line) {
    auto const script = "source " REDLATCH_CLI_SOURCES "/completions/redlatch.bash; COMP_WORDS=(" + line
                        + " ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _redlatch; printf '%s\\n' \"${COMPREPLY[@]}\"";
    child_process bash({{"bash", "-c", script}, {}, {}});
    std::set<std::string> result;
    while (auto const word = bash.read_line()) result.insert(*word);
    return result;
}

/// The names of the members of an object in JSON, in their order, without those of objects in it. The manual's is none that
/// could be parsed: its values are words.
std::vector<std::string> members_of(std::string const& object) {
    std::vector<std::string> result;
    int depth = 0;
    for (std::size_t at = 0; at < object.size(); ++at) {
        if (object[at] == '{' || object[at] == '[') ++depth;
        if (object[at] == '}' || object[at] == ']') --depth;
        if (object[at] != '"') continue;
        auto const end = object.find('"', at + 1);
        bool const begins = object[at - 1] == '{' || object[at - 1] == ',' || object[at - 1] == '\n';
        if (depth == 1 && begins) result.push_back(object.substr(at + 1, end - at - 1));
        at = end;
    }
    return result;
}

class documentation : public tool_test {};

TEST_F(documentation, the_man_page_and_the_completions_know_each_flag) {
    auto const in_manual = manual();
    auto const bash = text_of("completions/redlatch.bash");
    auto const zsh = text_of("completions/_redlatch");
    for (auto const& command : commands) {
        auto arguments = command;
        arguments.emplace_back("--help");
        auto const flags = flags_in(run(arguments).output);
        EXPECT_GE(flags.size(), 2U) << command.front();
        for (auto const& flag : flags) {
            EXPECT_TRUE(flag == "--help" || in_manual.find(flag) != std::string::npos)
                << flag << " is not in the man page";
            EXPECT_NE(bash.find(flag), std::string::npos) << flag << " is not completed by bash";
            EXPECT_NE(zsh.find(flag), std::string::npos) << flag << " is not completed by zsh";
        }
    }
}

TEST_F(documentation, the_man_page_and_the_completions_know_each_command) {
    auto const in_manual = manual();
    for (auto const& command : commands) {
        std::string whole = command.front();
        if (command.size() > 1) whole += ' ' + command.back();
        EXPECT_TRUE(std::regex_search(in_manual, std::regex("\\n\\.TP\\n\\.(B|BI|BR) \"?" + whole + "[ \"\\n]")))
            << whole << " has no paragraph in the man page";
        for (auto const* file : {"completions/redlatch.bash", "completions/_redlatch"})
            for (auto const& word : command)
                EXPECT_TRUE(std::regex_search(text_of(file), std::regex("[ ':|]" + word + "[ ':)\\n]")))
                    << word << " is not in " << file;
    }
}

/// Names of events, as the tool's sources have them.
std::set<std::string> events_of_the_tool() {
    std::set<std::string> result;
    std::regex const told(R"re((note|problem)\("([a-z_]+)"|not_done\("[a-z]+", "([a-z_]+)")re");
    for (auto const& file : std::filesystem::recursive_directory_iterator(REDLATCH_CLI_SOURCES)) {
        if (file.path().extension() != ".cpp") continue;
        std::ifstream in(file.path());
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        for (std::sregex_iterator one(text.begin(), text.end(), told), end; one != end; ++one)
            result.insert((*one)[2].matched ? (*one)[2] : (*one)[3]);
    }
    return result;
}

TEST_F(documentation, the_man_page_knows_each_event) {
    auto const all = manual();
    auto const from = all.find("Events:\n");
    ASSERT_NE(from, std::string::npos);
    auto const part = all.substr(from, all.find("Further events", from) - from);
    auto const events = events_of_the_tool();
    EXPECT_TRUE(events.contains("acquired") && events.contains("no_permit"));
    for (auto const& event : events)
        EXPECT_TRUE(std::regex_search(part, std::regex("\n\\.(B|BR|IR) .*\\b" + event + "\\b"))) << event;
}

TEST_F(documentation, bash_completes_each_command) {
    auto const first = completions_behind("redlatch");
    for (auto const& command : commands) {
        EXPECT_TRUE(first.contains(command.front())) << command.front();
        if (command.size() == 1) continue;
        EXPECT_TRUE(completions_behind("redlatch " + command.front()).contains(command.back()))
            << command.front() << ' ' << command.back();
    }
}

TEST_F(documentation, the_man_page_knows_the_order_of_what_config_check_says) {
    auto const file = folder.path() / "redisson.yaml";
    std::ofstream(file) << "singleServerConfig: {address: 'redis://h:1'}\n";
    auto const said = run({"config", "check", file.string(), "--json"}).output;
    auto const in_manual = manual();
    auto const begin = in_manual.find(".EX\n", in_manual.find(".TP\n.B config check\n")) + 4;
    auto const written = in_manual.substr(begin, in_manual.find(".EE", begin) - begin);
    ASSERT_GT(members_of(said).size(), 20U);
    EXPECT_EQ(members_of(written), members_of(said));
}

TEST_F(documentation, help_of_a_command_is_that_of_its_flag) {
    for (auto const& command : commands) {
        auto by_flag = command;
        by_flag.emplace_back("--help");
        words by_word{"help"};
        by_word.insert(by_word.end(), command.begin(), command.end());
        auto const result = run(by_word);
        EXPECT_EQ(result.status, 0) << command.front();
        EXPECT_EQ(result.output, run(by_flag).output) << command.front();
    }
    EXPECT_EQ(run({"help"}).output, run({"--help"}).output);
    EXPECT_EQ(run({"help", "help"}).output, run({"--help"}).output);
}

TEST_F(documentation, bash_completes_the_values_of_lists) {
    for (auto const* type : {"reentrant", "faster_multi", "permit_semaphore"})
        EXPECT_TRUE(completions_behind("redlatch acl --types").contains(type)) << type;
    for (auto const* guarantee : {"version", "failover", "renewal_in_time"})
        EXPECT_TRUE(completions_behind("redlatch doctor --accept").contains(guarantee)) << guarantee;
    for (auto const* command : {"status", "list"})
        for (auto const* type : {"semaphore", "latch", "permits"})
            EXPECT_TRUE(completions_behind(std::string("redlatch ") + command + " a --type").contains(type)) << type;
}

TEST_F(documentation, the_help_and_this_test_know_each_command) {
    std::set<std::string> all{"version"};
    for (auto const& command : commands) all.insert(command.front());
    EXPECT_EQ(commands_in(run({"--help"}).output), all);
    for (std::string const of : {"semaphore", "permits", "latch", "config", "server"}) {
        std::set<std::string> known;
        for (auto const& command : commands)
            if (command.front() == of) known.insert(command.back());
        EXPECT_EQ(commands_in(run({of, "--help"}).output), known) << of;
    }
}

TEST_F(documentation, the_man_page_knows_each_exit_status) {
    auto const manual = text_of("man/redlatch.1");
    for (auto const* status : {"64", "69", "70", "74", "75", "79", "126", "127"})
        EXPECT_NE(manual.find(std::string("\n.B ") + status + "\n"), std::string::npos) << status;
}

} // namespace
} // namespace redlatch::test
