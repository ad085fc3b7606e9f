// redlatch hold
#include "tool.hpp"

#include <csignal>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class hold_command : public tool_test {};

TEST_F(hold_command, says_held_and_holds_until_a_signal) {
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
        auto const tool = start({"hold", "job"});
        EXPECT_EQ(line_of(*tool), "held");
        EXPECT_TRUE(is_held());
        tool->signal(number);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, 0) << number << result.errors;
        EXPECT_EQ(result.errors, "");
        EXPECT_FALSE(is_held());
    }
}

TEST_F(hold_command, renews) {
    auto const tool = start({"hold", "job", "--watchdog", "600ms"});
    EXPECT_EQ(line_of(*tool), "held");
    auto const first = expiry();
    EXPECT_TRUE(wait_until([&] { return expiry() > first + 1000; }));
    tool->signal(SIGTERM);
    EXPECT_EQ(finish(*tool).status, 0);
}

TEST_F(hold_command, excludes_others_and_wakes_them) {
    auto const holder = start({"hold", "job"});
    EXPECT_EQ(line_of(*holder), "held");
    EXPECT_EQ(run({"run", "job", "--no-wait", "--", "true"}).status, 75);
    auto const waiter = start({"run", "job", "--", "echo", "mine"});
    ASSERT_TRUE(becomes_waited_for());
    holder->signal(SIGTERM);
    EXPECT_EQ(line_of(*waiter), "mine");
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_EQ(finish(*holder).status, 0);
}

TEST_F(hold_command, ends_with_79_when_the_lock_is_lost) {
    auto const tool = start({"hold", "job", "--watchdog", "600ms"});
    EXPECT_EQ(line_of(*tool), "held");
    server.run("DEL", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("'job' was lost"), std::string::npos) << result.errors;
}

TEST_F(hold_command, ends_with_79_at_the_end_of_a_fixed_lease) {
    auto const tool = start({"hold", "job", "--lease", "400ms"});
    EXPECT_EQ(line_of(*tool), "held");
    EXPECT_EQ(finish(*tool).status, 79);
    EXPECT_TRUE(becomes_free());
}

TEST_F(hold_command, that_was_stopped_beyond_its_lease_says_so) {
    auto const tool = start({"hold", "job", "--watchdog", "500ms"});
    EXPECT_EQ(line_of(*tool), "held");
    tool->signal(SIGSTOP);
    ASSERT_TRUE(becomes_free());
    tool->signal(SIGCONT);
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(hold_command, gives_the_lock_back_when_nobody_can_read_that_it_is_held) {
    auto const tool = std::make_unique<child_process>(
        child_options{{"sh", "-c", "exec " REDLATCH_TOOL " hold job >&-"}, {"REDLATCH_SERVER=" + server.uri()}, {}});
    EXPECT_EQ(finish(*tool).status, 70);
    EXPECT_FALSE(is_held());
}

} // namespace
} // namespace redlatch::test
