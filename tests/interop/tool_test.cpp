// The command-line tool beside Java.
#include "interop_test.hpp"
#include "support/temporary_folder.hpp"

#include <csignal>
#include <fstream>
#include <sys/wait.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class tool : public interop_test {
protected:
    /// "redlatch COMMAND --server URI …"
    static child_options redlatch(std::string const& command, std::vector<std::string> const& rest) {
        child_options options{.arguments = {REDLATCH_TOOL, command, "--server", server().uri()}};
        options.arguments.insert(options.arguments.end(), rest.begin(), rest.end());
        return options;
    }

    static int exit_status(child_process& process) {
        auto const status = process.wait();
        EXPECT_TRUE(status && WIFEXITED(*status)) << process.error_text();
        return status ? WEXITSTATUS(*status) : -1;
    }
};

TEST_F(tool, java_waits_for_the_command_that_runs_under_the_lock) {
    child_process run(redlatch("run", {name, "--", "cat"}));
    run.write("inside\n");
    ASSERT_EQ(run.read_line(), "inside");
    EXPECT_FALSE(java().yes("a", "tryLock", {name}));
    auto const waits = java_waits("a", name);

    run.close_input();
    EXPECT_EQ(exit_status(run), 0);
    EXPECT_TRUE(java().end_of(waits, 10s).ok);
    java().value("a", "unlock", {name});
}

TEST_F(tool, waits_for_java_and_runs_the_command_when_java_unlocks) {
    java().value("a", "lock", {name});
    child_process impatient(redlatch("run", {"--no-wait", name, "--", "echo", "inside"}));
    EXPECT_EQ(exit_status(impatient), 75);

    child_process run(redlatch("run", {name, "--", "echo", "inside"}));
    EXPECT_TRUE(wait_until([&] { return subscribers(name) > 0; }));
    EXPECT_FALSE(run.ended());
    java().value("a", "unlock", {name});
    EXPECT_EQ(run.read_line(10s), "inside");
    EXPECT_EQ(exit_status(run), 0);
}

TEST_F(tool, status_shows_who_in_java_holds_the_lock) {
    java().value("a", "lock", {name});
    java().value("a", "lock", {name});
    child_process held(redlatch("status", {name, "--json"}));
    auto const line = held.read_line().value_or("");
    EXPECT_EQ(exit_status(held), 0);
    auto const owner = java().value("main", "id") + ":" + java().value("a", "threadId");
    for (auto const& part :
         {std::string("\"state\":\"held\""), "\"owner\":\"" + owner + "\"", std::string("\"count\":2")})
        EXPECT_NE(line.find(part), std::string::npos) << part << " is not in " << line;

    java().value("a", "unlock", {name});
    java().value("a", "unlock", {name});
    child_process free(redlatch("status", {name}));
    EXPECT_EQ(exit_status(free), 1);
}

TEST_F(tool, unlock_by_force_ends_a_hold_of_java_and_wakes_java) {
    java().value("a", "lock", {name});
    auto const waits = java_waits("b", name);
    child_process unlock(redlatch("unlock", {name, "--force"}));
    EXPECT_EQ(exit_status(unlock), 0);
    EXPECT_TRUE(java().end_of(waits, 10s).ok);
    EXPECT_FALSE(java().yes("a", "isHeld", {name}));
    java().value("b", "unlock", {name});
}

TEST_F(tool, that_is_killed_in_the_queue_of_a_fair_lock_is_passed_over_by_java) {
    temporary_folder const folder;
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << server().uri() << "'}\nfairLockWaitTimeout: 1000\n";
    auto const queue_becomes = [&](std::int64_t length) {
        return wait_until([&] { return server().run("LLEN", "redisson_lock_queue:{" + name + "}").integer == length; });
    };
    client holder{as_variant(config{.address = server().uri(), .lock_watchdog_timeout = brief_watchdog})};
    hold held = holder.get_fair_lock(name).acquire({.owner = owner()});
    child_process queued({.arguments = {REDLATCH_TOOL, "run", "--config", file, "--fair", name, "--", "true"}});
    ASSERT_TRUE(queue_becomes(1)) << queued.error_text();
    auto const java_waits = java().start("a", "fair/lock", {name});
    ASSERT_TRUE(queue_becomes(2));
    queued.signal(SIGKILL);
    ASSERT_TRUE(queued.wait());
    held.release();
    auto const end = java().end_of(java_waits);
    EXPECT_TRUE(end.ok) << end.value;
    EXPECT_TRUE(queue_becomes(0));
    java().value("a", "fair/unlock", {name});
}

} // namespace
} // namespace redlatch::test
