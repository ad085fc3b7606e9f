// redlatch run NAME --permits N/OF, and hold: at most so many commands at once.
#include "counter_tool.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class run_permits : public counter_tool_test {
protected:
    client user{server.uri()};
    permit_semaphore pool = user.get_permit_semaphore("job");

    /// Nothing is taken any more.
    void TearDown() override {
        if (server.running()) {
            EXPECT_TRUE(wait_until([&] { return pool.inspect().taken == 0; }));
            pool.remove();
        }
        counter_tool_test::TearDown();
    }
    bool becomes_taken(std::int64_t permits) {
        return wait_until([&] { return pool.inspect().taken == permits; });
    }
    outcome run_quickly(std::string const& permits, words more = {}) {
        words flags{"--permits", permits};
        flags.insert(flags.end(), more.begin(), more.end());
        return run(script("echo ran", flags));
    }
    std::string const channel = "redisson_sc:{job}";
};

TEST_F(run_permits, sets_the_total_runs_the_command_and_gives_them_back) {
    auto const result = run(script("redlatch_taken", {"--permits", "2/3"}));
    EXPECT_EQ(result.status, 127);
    EXPECT_EQ(pool.get_permits(), 3);
    EXPECT_EQ(pool.available_permits(), 3);
    auto const tool = start(script("echo here; read line; exit 7", {"--permits", "2/3"}));
    EXPECT_EQ(line_of(*tool), "here");
    EXPECT_EQ(pool.acquired_permits(), 2);
    EXPECT_EQ(pool.available_permits(), 1);
    auto const left = pool.inspect().leases.at(0).remaining_lease;
    EXPECT_GT(left.value_or(0ms), 20s);
    EXPECT_LE(left.value_or(0ms), 30s);
    auto const end = finish(*tool);
    EXPECT_EQ(end.status, 7);
    EXPECT_EQ(end.errors, "");
}

TEST_F(run_permits, runs_as_many_commands_at_once_as_there_are_permits_and_no_more) {
    std::vector<std::unique_ptr<child_process>> running;
    for (int i = 0; i < 3; ++i) running.push_back(start(script("echo here; read line; exit 0", {"--permits", "1/3"})));
    for (auto const& tool : running) EXPECT_EQ(line_of(*tool), "here");
    auto const fourth = start(script("echo here", {"--permits", "1/3"}));
    ASSERT_TRUE(somebody_listens_to(channel));
    EXPECT_FALSE(fourth->ended());
    auto const refused = run_quickly("1/3", {"--no-wait", "--conflict-exit-code", "9"});
    EXPECT_EQ(refused.status, 9);
    EXPECT_NE(refused.errors.find("no permit of the permit semaphore 'job' is free"), std::string::npos)
        << refused.errors;
    EXPECT_EQ(finish(*running.front()).status, 0);
    EXPECT_EQ(line_of(*fourth), "here");
    EXPECT_EQ(finish(*fourth).status, 0);
    for (std::size_t i = 1; i < running.size(); ++i) EXPECT_EQ(finish(*running[i]).status, 0);
}

TEST_F(run_permits, refuses_another_total_and_says_both) {
    EXPECT_EQ(run_quickly("1/3").output, "ran\n");
    auto const other = run_quickly("1/5");
    EXPECT_EQ(other.status, 64);
    EXPECT_EQ(other.output, "");
    for (auto const* said : {"'job' has 3 permits in all", "--permits 1/5 says 5", "redlatch permits set"})
        EXPECT_NE(other.errors.find(said), std::string::npos) << other.errors;
    EXPECT_EQ(pool.get_permits(), 3);
    auto const too_many = run_quickly("4");
    EXPECT_EQ(too_many.status, 64);
    EXPECT_NE(too_many.errors.find("fewer than the 4"), std::string::npos) << too_many.errors;
    EXPECT_EQ(run_quickly("3").output, "ran\n") << "which asks for no total";
}

TEST_F(run_permits, refuses_where_a_total_is_set_while_it_waits) {
    pool.try_set_permits(1);
    permits mine = pool.acquire();
    auto const waiter = start(script("echo ran", {"--permits", "1/1", "--verbose"}));
    ASSERT_TRUE(wait_until([&] { return waiter->error_text().find("waiting for 1 permit") != std::string::npos; }));
    pool.set_permits(2);
    auto const result = finish(*waiter);
    EXPECT_EQ(result.status, 64);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find("has 2 permits in all"), std::string::npos) << result.errors;
    mine.release();
}

TEST_F(run_permits, counts_what_is_still_taken_when_it_sets_the_total) {
    pool.try_set_permits(2);
    permits mine = pool.acquire();
    server.run("DEL", "job"); // by hand, without what is beside it
    auto const result = run_quickly("1/2");
    EXPECT_EQ(result.status, 64) << "two more beside that one would be three";
    EXPECT_NE(result.errors.find("has 3 permits in all"), std::string::npos) << result.errors;
    mine.release();
}

TEST_F(run_permits, without_a_total_the_semaphore_must_be_there) {
    auto const result = run_quickly("1");
    EXPECT_EQ(result.status, 64);
    EXPECT_NE(result.errors.find("'job' is not set"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("--permits 1/OF"), std::string::npos) << result.errors;
    EXPECT_FALSE(pool.inspect().is_set);
}

TEST_F(run_permits, sets_the_total_again_where_it_was_removed_meanwhile) {
    pool.try_set_permits(1);
    permits mine = pool.acquire();
    auto const waiter = start(script("echo ran", {"--permits", "1/1"}));
    ASSERT_TRUE(somebody_listens_to(channel));
    pool.remove();
    auto const result = finish(*waiter);
    EXPECT_EQ(result.output, "ran\n");
    EXPECT_EQ(result.status, 0) << result.errors;
    mine.release_detached();
}

TEST_F(run_permits, are_renewed_while_the_command_runs) {
    auto const tool = start(script("echo here; read line; exit 0", {"--permits", "1/1", "--watchdog", "2500ms"}));
    line_of(*tool);
    auto const id = pool.inspect().leases.at(0).id;
    EXPECT_TRUE(stays([&] { return pool.acquired_permits() == 1; }, 4s));
    EXPECT_EQ(pool.inspect().leases.at(0).id, id);
    EXPECT_EQ(finish(*tool).status, 0);
}

TEST_F(run_permits, come_back_when_the_tool_is_killed_and_the_command_is_ended) {
    auto const tool = start(script(obedient, {"--permits", "2/2", "--watchdog", "1s"}));
    stranger const command(std::stoi(line_of(*tool)));
    tool->signal(SIGKILL);
    EXPECT_TRUE(command.ends());
    permits const mine = pool.acquire({.permits = 2, .wait = 20s});
    EXPECT_TRUE(mine);
}

TEST_F(run_permits, the_command_is_ended_when_they_are_lost) {
    for (std::string const action : {"term", "kill"}) {
        auto const tool =
            start(script(obedient, {"--permits", "1/1", "--watchdog", "900ms", "--on-lost", action, "--json"}));
        line_of(*tool);
        pool.release(pool.inspect().leases.at(0).id);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, 79) << result.errors;
        EXPECT_EQ(result.output, action == "term" ? "told\n" : "");
        EXPECT_NE(
            result.errors.find("the hold of 1 permit of the permit semaphore 'job' was lost while the command ran"),
            std::string::npos)
            << result.errors;
    }
}

TEST_F(run_permits, the_command_is_gone_before_others_can_have_them) {
    auto const signs = folder.path() / "signs";
    auto const tool =
        start(script("trap '' TERM; echo $$; while :; do echo x >" + signs.string() + "; sleep 0.01; done",
                     {"--permits", "1/1", "--lease", "2s", "--grace", "300ms"}));
    stranger const command(std::stoi(line_of(*tool)));
    permits const mine = pool.acquire({.wait = 20s});
    auto const taken = wall_clock();
    EXPECT_TRUE(command.ends());
    EXPECT_LT(written_at(signs), taken);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("is at the end of its lease"), std::string::npos) << result.errors;
}

TEST_F(run_permits, the_guard_ends_the_command_of_a_stopped_tool) {
    auto const tool = start(script(obedient, {"--permits", "1/1", "--lease", "1s"}));
    stranger const command(std::stoi(line_of(*tool)));
    tool->signal(SIGSTOP);
    EXPECT_TRUE(command.ends());
    tool->signal(SIGCONT);
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(run_permits, are_held_no_longer_than_was_asked_for) {
    auto const tool = start(script(obedient, {"--permits", "1/1", "--max-hold", "700ms", "--grace", "100ms"}));
    line_of(*tool);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("as long as --max-hold allows"), std::string::npos) << result.errors;
}

TEST_F(run_permits, a_signal_ends_the_wait_and_nothing_is_taken) {
    pool.try_set_permits(1);
    permits mine = pool.acquire();
    for (words const& how : {words{}, words{"--wait", "1h"}}) {
        words flags{"--permits", "1/1", "--json"};
        flags.insert(flags.end(), how.begin(), how.end());
        auto const tool = start(script("echo ran", flags));
        ASSERT_TRUE(somebody_listens_to(channel));
        tool->signal(SIGINT);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, died_of(SIGINT));
        EXPECT_EQ(result.output, "");
        EXPECT_NE(result.errors.find("{\"event\":\"signal\""), std::string::npos) << result.errors;
    }
    mine.release();
    EXPECT_TRUE(wait_until([&] { return pool.available_permits() == 1; }));
}

TEST_F(run_permits, a_signal_reaches_the_command) {
    auto const tool = start(script(obedient, {"--permits", "1/1"}));
    line_of(*tool);
    tool->signal(SIGTERM);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 33);
    EXPECT_EQ(result.output, "told\n");
}

TEST_F(run_permits, a_wait_ends_in_time) {
    pool.try_set_permits(1);
    permits mine = pool.acquire();
    auto const begin = std::chrono::steady_clock::now();
    auto const result = run_quickly("1/1", {"--wait", "1s"});
    EXPECT_EQ(result.status, 75);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
    EXPECT_NE(result.errors.find("was free for 1s, as long as --wait allows"), std::string::npos) << result.errors;
    mine.release();
}

TEST_F(run_permits, says_what_happens_as_json) {
    auto const result = run_quickly("2/2", {"--json"});
    EXPECT_EQ(result.status, 0);
    auto const at = result.errors.find("{\"event\":\"acquired\"");
    ASSERT_NE(at, std::string::npos) << result.errors;
    auto const acquired = nlohmann::json::parse(result.errors.substr(at, result.errors.find('\n', at) - at));
    EXPECT_EQ(acquired["name"], "job");
    EXPECT_EQ(acquired["permits"], 2);
    EXPECT_EQ(acquired["ids"].get<std::string>().size(), 65U) << "two of 32, and a blank";
    EXPECT_EQ(acquired["message"], "holding 2 permits of the permit semaphore 'job'");
    EXPECT_NE(result.errors.find("{\"event\":\"released\""), std::string::npos) << result.errors;
}

TEST_F(run_permits, the_command_knows_them_and_not_a_lock_around_it) {
    auto const result =
        run({"run", "outer", "--fenced", "--", the_tool(), "run", "job", "--permits", "2/2", "--", "sh", "-c",
             "echo \"$REDLATCH_SEMAPHORE ${REDLATCH_LOCK-none} ${REDLATCH_TOKEN-none}\"; "
             "echo $REDLATCH_PERMITS | wc -w; echo $REDLATCH_OWNERS | wc -w"});
    EXPECT_EQ(result.output, "job none none\n2\n1\n") << result.errors;
    server.run("DEL", "redisson_lock_token:{outer}");
}

TEST_F(run_permits, does_not_wait_for_those_that_wait_for_it) {
    words const inner{the_tool(), "run", "job", "--permits", "2/3", "--", "echo", "ran"};
    words outer{"run", "job", "--permits", "2/3", "--"};
    outer.insert(outer.end(), inner.begin(), inner.end());
    auto const result = run(outer);
    EXPECT_EQ(result.status, 64);
    EXPECT_NE(result.errors.find("neither would ever go on"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("2 permits of the permit semaphore 'job' are held by"), std::string::npos)
        << result.errors;
    outer[3] = "1/3";
    EXPECT_EQ(run(outer).output, "ran\n") << "two are left";
    words const one{"run", "job", "--permits", "1/1", "--", the_tool(), "run", "job", "--permits", "1/1", "--", "true"};
    server.run("DEL", "job");
    EXPECT_NE(run(one).errors.find("1 permit of the permit semaphore 'job' is held by"), std::string::npos);
}

TEST_F(run_permits, bad_numbers_are_refused) {
    for (std::string const bad : {"0", "0/3", "-1/3", "1/0", "1/-3", "4/3", "x", "1/x", "1/", "/3", "", "1.5/3", "1 /3",
                                  "1001/2000", "1/3/5", "99999999999/99999999999"}) {
        auto const result = run_quickly(bad);
        EXPECT_EQ(result.status, 64) << bad;
        EXPECT_NE(result.errors.find("N/OF"), std::string::npos) << result.errors;
        EXPECT_EQ(result.output, "") << bad;
    }
    for (words const& kind : {words{"--fair"}, words{"--fenced"}, words{"--shared"}, words{"--write"},
                              words{"--min-hold", "1s"}, words{"--lock-delay", "1s"}}) {
        auto const result = run_quickly("1/3", kind);
        EXPECT_EQ(result.status, 64) << kind.front();
        EXPECT_NE(result.errors.find("leave one of them out"), std::string::npos) << result.errors;
    }
    EXPECT_FALSE(pool.inspect().is_set);
}

TEST_F(run_permits, a_key_that_is_something_else_is_refused) {
    server.run("HSET", "job", "name", "Bob");
    auto const result = run_quickly("1/3");
    EXPECT_EQ(result.status, 69);
    EXPECT_NE(result.errors.find("is not a permit semaphore"), std::string::npos) << result.errors;
    EXPECT_EQ(server.run("HGET", "job", "name").text, "Bob");
    server.run("DEL", "job");
}

TEST_F(run_permits, sets_the_total_for_no_longer_than_the_wait) {
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << server.uri() << "', timeout: 60000}\n";
    server.run("CONFIG", "SET", "maxmemory", "1");
    auto const begin = lease_clock::now();
    auto const result = run_quickly("1/3", {"--wait", "500ms", "--config", file});
    EXPECT_LT(lease_clock::now() - begin, 30s);
    server.run("CONFIG", "SET", "maxmemory", "0");
    EXPECT_EQ(result.status, 69);
    EXPECT_NE(result.errors.find("'job'"), std::string::npos) << result.errors;
}

TEST_F(run_permits, hold_keeps_them_until_a_signal_comes) {
    auto const tool = start({"hold", "job", "--permits", "1/2"});
    EXPECT_EQ(line_of(*tool), "held");
    EXPECT_EQ(pool.acquired_permits(), 1);
    tool->signal(SIGTERM);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(pool.acquired_permits(), 0);
}

TEST_F(run_permits, hold_says_that_they_were_lost) {
    auto const tool = start({"hold", "job", "--permits", "1/2", "--watchdog", "600ms"});
    EXPECT_EQ(line_of(*tool), "held");
    pool.release(pool.inspect().leases.at(0).id);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("the hold of 1 permit of the permit semaphore 'job' was lost while it was held"),
              std::string::npos)
        << result.errors;
}

} // namespace
} // namespace redlatch::test
