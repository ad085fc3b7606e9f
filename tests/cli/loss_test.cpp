// A lost lock ends the command before the key can expire.
#include "tool.hpp"

#include <csignal>
#include <fstream>
#include <unistd.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class loss : public tool_test {
protected:
    std::filesystem::path const signs = folder.path() / "signs";
    /// Says its pid, cannot be ended by TERM, and gives signs of life.
    std::string const stubborn = "trap '' TERM; echo $$; while :; do echo x >" + signs.string() + "; sleep 0.01; done";

    /// Stops the server under a running command and waits for its end; false: it outlived the key.
    bool dies_before_the_key(child_process& tool) {
        stranger const command(std::stoi(line_of(tool)));
        server.pause();
        // What the server had in hand when it was stopped may count after all, so the end is read where nothing moves it.
        bool const ended = command.ends();
        server.resume();
        if (!ended) return false;
        auto const death = written_at(signs);
        auto const end = expiry();
        if (end < 0) return last_end_ > death;
        return end > death;
    }
    /// The key goes, and the connection: on a new one the client asks at once whether it still holds what it held.
    void lose() const {
        server.run("DEL", "job");
        server.run("CLIENT", "KILL", "TYPE", "normal");
    }
    void note_expiry() { last_end_ = expiry(); }

    std::int64_t last_end_ = 0;
};

/// Of a lock, and of a leadership.
class loss_of : public loss, public testing::WithParamInterface<std::string> {
protected:
    void TearDown() override {
        server.run("DEL", "redisson_lock_token:{job}"); // it outlives a leadership
        loss::TearDown();
    }
};
INSTANTIATE_TEST_SUITE_P(each, loss_of, testing::Values("run", "elect"), [](auto const& about) { return about.param; });

TEST_P(loss_of, by_a_stopped_server_kills_even_a_stubborn_command_in_time) {
    auto const tool = start(script(stubborn, {"--lease", "3s", "--grace", "500ms"}, "job", GetParam()));
    ASSERT_TRUE(becomes_held());
    note_expiry();
    EXPECT_TRUE(dies_before_the_key(*tool));
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79) << result.errors;
    EXPECT_NE(result.errors.find("end of its lease"), std::string::npos) << result.errors;
    EXPECT_TRUE(becomes_free());
}

TEST_F(loss, of_a_renewed_lock_terminates_a_grace_before_the_end) {
    auto const tool = start(
        script("trap 'echo told; echo x >" + signs.string() + "; exit 33' TERM; echo $$; while :; do sleep 0.01; done",
               {"--watchdog", "3s", "--grace", "1s"}));
    ASSERT_TRUE(becomes_held());
    stranger const command(std::stoi(line_of(*tool)));
    auto const first = expiry();
    ASSERT_TRUE(wait_until([&] { return expiry() > first; })) << "it is renewed";
    auto const end = expiry();
    server.pause();
    ASSERT_TRUE(command.ends());
    auto const told = written_at(signs);
    EXPECT_LT(told, end - 500) << "half of the grace is left at least";
    EXPECT_GT(told, end - 1500) << "and it was not ended early";
    server.resume();
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_EQ(result.output, "told\n");
    EXPECT_NE(result.errors.find("could not be renewed in time"), std::string::npos) << result.errors;
}

TEST_F(loss, by_a_killed_server_ends_the_command) {
    auto const tool = start(script(obedient, {"--watchdog", "1500ms"}));
    ASSERT_TRUE(becomes_held());
    line_of(*tool);
    server.kill9();
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79) << result.errors;
    EXPECT_EQ(result.output, "told\n");
}

TEST_F(loss, by_an_administrator_is_noticed_at_the_next_renewal) {
    auto const tool = start(script(obedient, {"--watchdog", "900ms"}));
    ASSERT_TRUE(becomes_held());
    line_of(*tool);
    server.run("DEL", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_EQ(result.output, "told\n");
    EXPECT_NE(result.errors.find("'job' was lost while the command ran"), std::string::npos) << result.errors;
}

TEST_F(loss, to_somebody_else_leaves_them_alone) {
    auto const tool = start(script(obedient, {"--watchdog", "900ms"}));
    ASSERT_TRUE(becomes_held());
    line_of(*tool);
    server.run("DEL", "job");
    hold_as_stranger(server, "job", 1h);
    EXPECT_EQ(finish(*tool).status, 79);
    EXPECT_EQ(holders(server, "job").size(), 1U);
    EXPECT_GT(pttl(server, "job"), 3'000'000) << "the stranger's lease is as it was";
    server.run("DEL", "job");
}

TEST_F(loss, that_shows_only_at_the_release_counts_too) {
    auto const tool = start(script("echo ready; read line; exit 0"));
    ASSERT_EQ(line_of(*tool), "ready");
    server.run("DEL", "job");
    tool->write("\n");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("was lost while the command ran"), std::string::npos) << result.errors;
}

TEST_F(loss, kills_what_ignores_term_when_the_grace_is_over) {
    auto const tool = start(script(stubborn, {"--watchdog", "3s", "--grace", "300ms"}));
    ASSERT_TRUE(becomes_held());
    stranger const command(std::stoi(line_of(*tool)));
    server.run("DEL", "job");
    EXPECT_TRUE(command.ends());
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(loss, with_on_lost_kill_gives_no_warning_to_the_command) {
    auto const tool = start(script(obedient, {"--watchdog", "900ms", "--on-lost", "kill"}));
    ASSERT_TRUE(becomes_held());
    line_of(*tool);
    server.run("DEL", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_EQ(result.output, "") << "no TERM";
    EXPECT_NE(result.errors.find("killed"), std::string::npos) << result.errors;
}

TEST_F(loss, with_on_lost_warn_lets_the_command_finish) {
    auto const tool =
        start(script("echo ready; read line; echo done; exit 3", {"--watchdog", "300ms", "--on-lost", "warn"}));
    ASSERT_EQ(line_of(*tool), "ready");
    server.run("DEL", "job");
    ASSERT_TRUE(wait_until([&] { return tool->error_text().find("runs on without it") != std::string::npos; }));
    tool->write("\n");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_EQ(result.output, "done\n");
}

TEST_F(loss, with_on_lost_warn_leaves_the_processor_alone_too) {
    auto const tool = start(script("echo ready; read line; exit 3", {"--watchdog", "300ms", "--on-lost", "warn"}));
    ASSERT_EQ(line_of(*tool), "ready");
    server.run("DEL", "job");
    ASSERT_TRUE(wait_until([&] { return tool->error_text().find("runs on without it") != std::string::npos; }));
    clockid_t of_tool = 0;
    ASSERT_EQ(::clock_getcpuclockid(tool->pid(), &of_tool), 0);
    auto const used = [of_tool] {
        timespec time{};
        ::clock_gettime(of_tool, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    auto const before = used();
    EXPECT_FALSE(tool->wait(1s).has_value()) << "until long after the end of what was the lease";
    EXPECT_LT(used() - before, 50ms) << "the timer that was set has fired, and another one is not set";
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(loss, max_hold_ends_the_command_and_frees_the_lock) {
    auto const tool = start(script(obedient, {"--max-hold", "600ms", "--verbose"}));
    auto const begin = std::chrono::steady_clock::now();
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << "long before the watchdog's 30 s";
    EXPECT_NE(result.errors.find("--max-hold"), std::string::npos) << result.errors;
    EXPECT_TRUE(becomes_free());
}

TEST_F(loss, continues_a_stopped_command_so_that_it_can_obey) {
    auto const tool = start(script(obedient, {"--grace", "10s"}));
    pid_t const command = std::stoi(line_of(*tool));
    ::kill(command, SIGSTOP);
    ASSERT_TRUE(wait_until([&] { return stranger(command).state() == 'T'; }));
    lose();
    auto const result = finish(*tool);
    EXPECT_EQ(result.output, "told\n") << "TERM waits for as long as a command is stopped";
    EXPECT_EQ(result.status, 79);
}

TEST_F(loss, gives_the_rest_of_the_group_its_grace_too) {
    // The shell ends at once with TERM. Its child cleans up for as long as the file is there.
    auto const file = folder.path() / "dirt";
    std::ofstream(file) << "x";
    auto const tool = start(script("echo $$; sh -c 'trap \"echo told; while [ -e " + file.string()
                                       + " ]; do sleep 0.01; done; echo cleaned; exit\" TERM; echo ready; "
                                         "while :; do sleep 0.01; done' & wait",
                                   {"--grace", "10s"}));
    stranger const shell(std::stoi(line_of(*tool)));
    ASSERT_EQ(line_of(*tool), "ready");
    lose();
    ASSERT_EQ(line_of(*tool), "told");
    ASSERT_TRUE(shell.ends());
    EXPECT_FALSE(tool->wait(300ms)) << "it waits for the rest";
    std::filesystem::remove(file);
    EXPECT_EQ(line_of(*tool), "cleaned");
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(loss, kills_what_was_orphaned_before_it_and_ends_right_then) {
    // Its parent has ended before the loss, so the tool does not adopt it, and nobody tells the tool of its end.
    auto const tool = start(script("(sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.01; done' &); exec sleep 1000",
                                   {"--grace", "300ms"}));
    stranger const orphan(std::stoi(line_of(*tool)));
    ASSERT_TRUE(wait_until([&] { return orphan.parent() == ::getpid(); })) << "we are the one that adopts here";
    lose();
    EXPECT_TRUE(orphan.ends());
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(loss, sees_that_what_was_orphaned_before_it_has_obeyed_after_the_command) {
    auto const file = folder.path() / "dirt";
    std::ofstream(file) << "x";
    auto const tool =
        start(script("echo $$; (sh -c 'trap \"while [ -e " + file.string()
                         + " ]; do sleep 0.01; done; exit\" TERM; echo $$; while :; do sleep 0.01; done' &); "
                           "exec sleep 1000",
                     {"--watchdog", "300s", "--grace", "100s"}));
    stranger const command(std::stoi(line_of(*tool)));
    stranger const orphan(std::stoi(line_of(*tool)));
    ASSERT_TRUE(wait_until([&] { return orphan.parent() == ::getpid(); })) << "we are the one that adopts here";
    lose();
    ASSERT_TRUE(command.ends());
    EXPECT_FALSE(tool->wait(300ms)) << "it waits for the rest";
    std::filesystem::remove(file);
    EXPECT_EQ(finish(*tool).status, 79) << "long before the end of the grace";
}

TEST_F(loss, does_not_wait_for_the_rest_of_the_group_that_it_may_not_kill) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can start a command as another user";
    child_process tool(
        child_options{{"setpriv", "--bounding-set", "-kill", the_tool(), "run", "job", "--grace", "100ms", "--", "sh",
                       "-c", "setpriv --reuid 65534 --clear-groups sh -c 'echo $$; exec sleep 100' & wait"},
                      {"REDLATCH_SERVER=" + server.uri()},
                      {}});
    auto const first = tool.read_line();
    if (!first) GTEST_SKIP() << "setpriv is not permitted here: " << tool.error_text();
    stranger const rest(std::stoi(*first));
    lose();
    auto const status = tool.wait();
    EXPECT_TRUE(rest.runs()) << "it could not be killed";
    rest.kill();
    ASSERT_TRUE(status) << "it waits for what it cannot end";
    EXPECT_EQ(outcome_of(*status), 79);
    EXPECT_NE(tool.error_text().find("its process " + *first + " runs as another user"), std::string::npos)
        << tool.error_text();
}

/// A tool of root's that may not signal others: as near as a test can come to a user's tool whose command is sudo.
TEST_F(loss, of_a_command_that_became_another_user_says_that_it_cannot_be_ended) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can start a command as another user";
    for (std::string const action : {"term", "kill"}) {
        child_process tool(child_options{{"setpriv", "--bounding-set", "-kill", the_tool(), "run", "job", "--on-lost",
                                          action, "--grace", "100ms", "--", "setpriv", "--reuid", "65534",
                                          "--clear-groups", "sh", "-c", "echo $$; exec sleep 100"},
                                         {"REDLATCH_SERVER=" + server.uri()},
                                         {}});
        auto const first = tool.read_line();
        if (!first) GTEST_SKIP() << "setpriv is not permitted here: " << tool.error_text();
        stranger const command(std::stoi(*first));
        tool.signal(SIGTERM);
        EXPECT_TRUE(wait_until([&] { return tool.error_text().find("could not be passed on") != std::string::npos; }))
            << tool.error_text();
        lose();
        EXPECT_TRUE(wait_until([&] { return tool.error_text().find("'job' was lost") != std::string::npos; }));
        EXPECT_NE(tool.error_text().find("but its process " + *first + " runs as another user"), std::string::npos)
            << tool.error_text();
        EXPECT_TRUE(command.runs()) << "so it was no lie";
        command.kill();
        EXPECT_EQ(finish(tool).status, 79);
    }
}

TEST_F(loss, does_not_touch_a_command_that_is_renewed_for_many_leases) {
    auto const result = run(script("sleep 5", {"--watchdog", "2s"}));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
}

TEST_F(loss, does_not_happen_when_the_server_is_away_for_less_than_the_lease) {
    auto const tool = start(script("echo ready; read line; exit 4", {"--watchdog", "6s"}));
    ASSERT_EQ(line_of(*tool), "ready");
    auto const first = expiry();
    server.pause();
    EXPECT_FALSE(tool->wait(2500ms).has_value()) << "longer than until a renewal is due, shorter than the lease";
    server.resume();
    EXPECT_TRUE(wait_until([&] { return expiry() > first; })) << "it is renewed again";
    tool->write("\n");
    EXPECT_EQ(finish(*tool).status, 4);
}

} // namespace
} // namespace redlatch::test
