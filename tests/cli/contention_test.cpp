// Two hundred tools and one lock.
#include "tool.hpp"

#include <csignal>
#include <fstream>
#include <sstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class contention : public tool_test {};

TEST_F(contention, two_hundred_tools_exclude_each_other_and_all_get_their_turn) {
    constexpr int tools = 200;
    server.run("CONFIG", "SET", "maxclients", "2000");
    auto const taken = (folder.path() / "taken").string();
    auto const count = (folder.path() / "count").string();
    std::ofstream(count) << "0\n";
    // `set -C` makes > fail when the file is there (O_EXCL): whoever finds it is not alone. The counter would lose
    // increments if two ever met.
    std::string const critical = "set -C; : >" + taken + " || exit 9; set +C; read n <" + count + "; echo $((n + 1)) >"
                                 + count + "; rm " + taken;
    std::vector<std::unique_ptr<child_process>> all;
    for (int i = 0; i < tools; ++i) all.push_back(start(script(critical)));
    for (auto& tool : all) {
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, 0) << result.errors;
    }
    int total = 0;
    std::ifstream(count) >> total;
    EXPECT_EQ(total, tools);
    EXPECT_FALSE(is_held());
}

TEST_F(contention, tools_get_a_fair_lock_in_the_order_in_which_they_came) {
    auto const holder = start(script("echo ready; read line", {"--fair"}));
    ASSERT_EQ(line_of(*holder), "ready");
    auto const order = (folder.path() / "order").string();
    std::vector<std::unique_ptr<child_process>> waiters;
    std::string expected;
    for (int i = 0; i < 6; ++i) {
        waiters.push_back(start(script("echo " + std::to_string(i) + " >>" + order, {"--fair"})));
        expected += std::to_string(i) + "\n";
        ASSERT_TRUE(wait_until([&] { return server.run("LLEN", "redisson_lock_queue:{job}").integer == i + 1; }));
    }
    finish(*holder);
    for (auto& tool : waiters) EXPECT_EQ(finish(*tool).status, 0);
    std::stringstream seen;
    seen << std::ifstream(order).rdbuf();
    EXPECT_EQ(seen.str(), expected);
    EXPECT_EQ(server.run("EXISTS", "redisson_lock_queue:{job}").integer, 0);
    EXPECT_EQ(command_counts(server)["rpush"], 6U) << "nobody left its place to come again";
    for (auto const* const other : {"--shared", "--write"})
        EXPECT_EQ(run({"run", "job", "--fair", other, "--", "true"}).status, 64) << other;
}

TEST_F(contention, tools_read_together_and_write_alone) {
    auto const first = start(script("echo ready; read line", {"--shared"}));
    ASSERT_EQ(line_of(*first), "ready");
    auto const second = start(script("echo ready; read line", {"--shared"}));
    ASSERT_EQ(line_of(*second), "ready") << "at the same time";
    EXPECT_NE(run({"status", "job"}).output.find("is held (read)"), std::string::npos);
    EXPECT_EQ(run({"run", "job", "--write", "--no-wait", "--", "true"}).status, 75);
    auto const writer = start(script("redlatch_reads=$(" + the_tool()
                                         + " run job --shared --no-wait -- echo yes); echo \"reads: $redlatch_reads\"",
                                     {"--write"}));
    ASSERT_TRUE(
        wait_until([&] { return server.run("PUBSUB", "NUMSUB", "redisson_rwlock:{job}").items.at(1).integer > 0; }));
    finish(*first);
    finish(*second);
    EXPECT_EQ(line_of(*writer), "reads: ");
    EXPECT_EQ(finish(*writer).status, 0);
    EXPECT_FALSE(is_held());
}

TEST_F(contention, a_waiter_of_each_kind_goes_on_when_the_lock_is_ended_by_force) {
    for (auto const* const kind : {"--fair", "--shared", "--write"}) {
        SCOPED_TRACE(kind);
        std::string const holds = kind == std::string("--shared") ? "--write" : kind;
        auto const holder = start(script("echo ready; read line", {holds, "--lease", "1h"}));
        ASSERT_EQ(line_of(*holder), "ready");
        auto const waiter = start(script("echo ready", {kind}));
        ASSERT_TRUE(wait_until([&] { return !server.run("PUBSUB", "CHANNELS", "*{job}*").items.empty(); }));
        EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
        EXPECT_EQ(line_of(*waiter), "ready");
        EXPECT_EQ(finish(*waiter).status, 0);
        finish(*holder);
    }
}

TEST_F(contention, those_who_do_not_wait_either_run_or_are_told) {
    std::vector<std::unique_ptr<child_process>> all;
    auto const taken = (folder.path() / "taken").string();
    for (int i = 0; i < 30; ++i)
        all.push_back(start(script("set -C; : >" + taken + " || exit 9; rm " + taken, {"--no-wait"})));
    int ran = 0;
    for (auto& tool : all) {
        auto const result = finish(*tool);
        EXPECT_TRUE(result.status == 0 || result.status == 75) << result.status << result.errors;
        if (result.status == 0) ++ran;
    }
    EXPECT_GE(ran, 1);
}

TEST_F(contention, a_waiter_takes_over_from_a_killed_holder_at_the_end_of_its_lease) {
    auto const holder = start(script("echo ready; exec sleep 100", {"--watchdog", "1s"}));
    ASSERT_EQ(line_of(*holder), "ready");
    auto const waiter = start({"run", "job", "--", "echo", "mine"});
    ASSERT_TRUE(becomes_waited_for());
    holder->signal(SIGKILL);
    EXPECT_EQ(line_of(*waiter), "mine");
    EXPECT_EQ(finish(*waiter).status, 0);
}

} // namespace
} // namespace redlatch::test
