// What makes the tool cheap to start, and small.
#include "tool.hpp"

#include <fstream>

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

#ifdef REDLATCH_NM
TEST_F(startup, a_program_whose_standard_streams_are_not_constructed_names_none) {
    child_process nm(child_options{{REDLATCH_NM, "-C", REDLATCH_TOOL}, {}, {}});
    auto const symbols = finish(nm).output;
    EXPECT_NE(symbols.find(" main\n"), std::string::npos) << "they can be read";
    for (auto const* stream : {"std::cin", "std::cout", "std::cerr", "std::clog", "std::wcout"})
        EXPECT_EQ(symbols.find(std::string(" ") + stream + "\n"), std::string::npos) << stream;
}
#endif

TEST_F(startup, a_holding_tool_is_small) {
    auto const tool = start(script("echo ready; read line"));
    ASSERT_EQ(line_of(*tool), "ready");
    // Its threads run when renewal has begun to matter; wait for them, they count too.
    ASSERT_TRUE(
        wait_until([&] { return std::filesystem::exists("/proc/" + std::to_string(tool->pid()) + "/status"); }));
    long kilobytes = 0;
    std::ifstream status("/proc/" + std::to_string(tool->pid()) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) kilobytes = std::stol(line.substr(6));
    EXPECT_GT(kilobytes, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(kilobytes, 15 * 1024);
#endif
    finish(*tool);
}

} // namespace
} // namespace redlatch::test
