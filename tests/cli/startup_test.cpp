// What makes the tool cheap to start, and small.
#include "support/sanitized.hpp"
#include "tool.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class startup : public tool_test {};

TEST_F(startup, a_short_command_needs_no_thread) {
    // The command looks at its parent, the tool. On a loaded machine it may take so long that the tool's threads have been
    // started; a tool that always started them would never be seen without.
    EXPECT_TRUE(wait_until([this] { return run(script("ls /proc/$PPID/task | wc -l")).output == "1\n"; }));
}

TEST_F(startup, an_uncontended_run_costs_two_calls_and_no_script) {
    server.run("CONFIG", "RESETSTAT");
    ASSERT_EQ(run({"run", "job", "--", "true"}).status, 0);
    auto const counts = command_counts(server);
    for (auto const* once : {"restore", "hdel", "publish"}) {
        SCOPED_TRACE(once);
        ASSERT_TRUE(counts.contains(once));
        EXPECT_EQ(counts.at(once), 1U);
    }
    for (auto const* never : {"evalsha", "eval", "subscribe"}) EXPECT_FALSE(counts.contains(never)) << never;
}

TEST_F(startup, a_program_whose_standard_streams_are_not_constructed_names_none) {
    if (is_sanitized()) GTEST_SKIP() << "the sanitizers' runtime names them";
    child_process nm(child_options{{REDLATCH_NM, "-C", the_tool()}, {}, {}});
    auto const symbols = finish(nm).output;
    EXPECT_NE(symbols.find(" main\n"), std::string::npos) << "they can be read";
    for (auto const* stream : {"std::cin", "std::cout", "std::cerr", "std::clog", "std::wcout"})
        EXPECT_EQ(symbols.find(std::string(" ") + stream + "\n"), std::string::npos) << stream;
}

#ifdef REDLATCH_HAS_TLS
TEST_F(startup, openssl_is_loaded_for_a_server_with_tls_and_for_no_other) {
    auto const libraries_of = [&](words arguments) {
        auto const log = folder.path() / arguments.front();
        run(std::move(arguments), {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + log.string()});
        std::string text;
        for (auto const& one : std::filesystem::directory_iterator(folder.path())) {
            if (!one.path().string().starts_with(log.string())) continue;
            std::ifstream file(one.path());
            text.append(std::istreambuf_iterator<char>(file), {});
        }
        return text;
    };
    auto const without = libraries_of({"run", "job", "--", "true"});
    EXPECT_NE(without.find("libc.so"), std::string::npos) << "they are told";
    EXPECT_EQ(without.find("libssl"), std::string::npos);
    EXPECT_EQ(without.find("libcrypto"), std::string::npos);
    auto const with = libraries_of({"ping", "--server", "rediss://127.0.0.1:1"});
    EXPECT_NE(with.find("libssl"), std::string::npos);
}
#endif

TEST_F(startup, a_holding_tool_is_small) {
    if (is_sanitized()) GTEST_SKIP() << "a sanitized program is large";
    // How many pages of files the kernel maps around one that is needed differs from start to start.
    constexpr int most_starts = 5;
    long in_all = 0;
    for (int starts = 0; starts < most_starts && (starts == 0 || in_all >= 6 * 1024); ++starts) {
        auto const tool = start(script("echo ready; read line"));
        ASSERT_EQ(line_of(*tool), "ready");
        auto const number = [&](std::string const& field) {
            std::ifstream status("/proc/" + std::to_string(tool->pid()) + "/status");
            for (std::string line; std::getline(status, line);)
                if (line.starts_with(field + ":")) return std::stol(line.substr(field.size() + 1));
            return -1L;
        };
        ASSERT_TRUE(wait_until([&] { return number("Threads") > 1; })) << "those that renew the lock count too";
        // Many tools that wait or hold share the pages of the program; what they have of their own is what costs.
        EXPECT_GT(number("RssAnon"), 0);
        EXPECT_LT(number("RssAnon"), 1024) << "kB of its own";
        in_all = number("VmHWM");
        tool->write("\n");
        EXPECT_EQ(finish(*tool).status, 0);
    }
    EXPECT_GT(in_all, 0);
    EXPECT_LT(in_all, 6 * 1024) << "kB in all";
}

} // namespace
} // namespace redlatch::test
