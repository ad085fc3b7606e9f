// redlatch elect: a command that runs while its candidate leads. What it has in common with run, the other files ask of run.
#include "support/wait_until.hpp"
#include "tool.hpp"

#include <csignal>
#include <nlohmann/json.hpp>

namespace redlatch::test {
namespace {

class elect_command : public tool_test {
protected:
    void TearDown() override {
        server.run("DEL", "redisson_lock_token:{job}"); // it outlives the lock
        tool_test::TearDown();
    }
    static words elected(std::string const& text, words flags = {}) {
        words all{"elect", "job"};
        all.insert(all.end(), flags.begin(), flags.end());
        all.insert(all.end(), {"--", "sh", "-c", text});
        return all;
    }
    nlohmann::json leader() const {
        return nlohmann::json::parse(run({"elect", "job", "--who", "--json"}).output).at("leader");
    }
};

TEST_F(elect_command, runs_its_command_as_leader_with_a_token_that_grows) {
    for (auto const* expected : {"1 job\n", "2 job\n"}) {
        auto const end = run(elected("echo $REDLATCH_TOKEN $REDLATCH_LOCK; exit 7", {"--candidate", "ann"}));
        EXPECT_EQ(end.output, expected);
        EXPECT_EQ(end.errors, "");
        EXPECT_EQ(end.status, 7);
    }
    EXPECT_TRUE(leader().is_null());
}

TEST_F(elect_command, says_who_leads) {
    auto const none = run({"elect", "job", "--who"});
    EXPECT_EQ(none.output, "nobody leads 'job'\n");
    EXPECT_EQ(none.status, 1);
    auto const tool = start(elected("echo $REDLATCH_OWNER; read line", {"--candidate", "ann of 7"}));
    ASSERT_TRUE(becomes_held());
    auto const seen = leader();
    EXPECT_EQ(seen.at("candidate"), "ann of 7");
    EXPECT_EQ(seen.at("token"), 1);
    EXPECT_EQ(seen.at("owner"), holders(server, "job").begin()->first);
    EXPECT_GT(seen.at("ttl_ms"), 20'000);
    EXPECT_EQ(seen.at("resigned"), false);
    auto const text = run({"elect", "job", "--who"});
    EXPECT_EQ(text.status, 0);
    EXPECT_EQ(text.output.find("ann of 7 ("), 0U) << text.output;
    EXPECT_NE(text.output.find(" leads 'job', token 1, for "), std::string::npos) << text.output;
    auto const status = nlohmann::json::parse(run({"status", "job", "--json"}).output);
    EXPECT_EQ(status.at("type"), "election");
    EXPECT_EQ(status.at("owners").at(0).at("label"), "ann of 7");
    finish(*tool);
}

TEST_F(elect_command, is_named_by_host_process_and_program_if_nothing_else_is_said) {
    auto const tool = start(elected("read line"));
    ASSERT_TRUE(becomes_held());
    std::string const candidate = leader().at("candidate");
    EXPECT_TRUE(candidate.ends_with(":" + std::to_string(tool->pid()) + ":sh")) << candidate;
    finish(*tool);
}

TEST_F(elect_command, waits_for_its_turn_and_is_told_who_leads_when_it_does_not_wait) {
    auto const first = start(elected("read line", {"--candidate", "ann"}));
    ASSERT_TRUE(becomes_held());
    auto const busy = run(elected("echo never", {"--candidate", "bob", "--no-wait"}));
    EXPECT_EQ(busy.status, 75);
    EXPECT_EQ(busy.output, "");
    EXPECT_NE(busy.errors.find("held by ann ("), std::string::npos) << busy.errors;
    auto const second = start(elected("echo leads", {"--candidate", "bob"}));
    ASSERT_TRUE(becomes_waited_for());
    finish(*first);
    EXPECT_EQ(finish(*second).output, "leads\n");
}

TEST_F(elect_command, ends_its_command_when_the_leadership_is_lost) {
    auto const tool = start(elected("trap 'echo told; exit 3' TERM; while :; do sleep 0.05; done",
                                    {"--watchdog", "1s", "--candidate", "ann"}));
    ASSERT_TRUE(becomes_held());
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
    auto const end = finish(*tool);
    EXPECT_EQ(end.status, 79);
    EXPECT_EQ(end.output, "told\n");
}

TEST_F(elect_command, does_not_wait_for_the_elect_around_it_without_an_end) {
    auto const inside =
        run(elected(the_tool() + " elect job --candidate inner -- true", {"--candidate", "an outer one"}));
    EXPECT_EQ(inside.status, 64);
    EXPECT_NE(inside.errors.find("the command has the lock 'job' already"), std::string::npos) << inside.errors;
}

TEST_F(elect_command, keeps_the_election_closed_for_the_rest_of_a_minimum_hold) {
    auto const first = run(elected("echo once", {"--candidate", "ann", "--min-hold", "60s"}));
    EXPECT_EQ(first.status, 0) << first.errors;
    EXPECT_EQ(first.output, "once\n");
    EXPECT_GT(server.run("PTTL", "job").integer, 30'000) << "more than the lease of a term that is renewed";
    auto const second = run(elected("echo twice", {"--candidate", "bob", "--no-wait"}));
    EXPECT_EQ(second.status, 75);
    EXPECT_EQ(second.output, "");
    EXPECT_NE(second.errors.find("is busy; its last holder has released it, and the rest is its minimum hold, 5"),
              std::string::npos)
        << second.errors;
    auto const who = run({"elect", "job", "--who"});
    EXPECT_EQ(who.status, 1) << "nobody leads";
    EXPECT_TRUE(who.output.starts_with("nobody leads 'job': ann (")) << who.output;
    EXPECT_NE(who.output.find(") has resigned, and the rest is its minimum hold, 5"), std::string::npos) << who.output;
    auto const seen = leader();
    EXPECT_EQ(seen.at("candidate"), "ann");
    EXPECT_EQ(seen.at("resigned"), true);
    EXPECT_GT(seen.at("ttl_ms"), 30'000);
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
    EXPECT_TRUE(leader().is_null());
}

TEST_F(elect_command, refuses_what_cannot_be_meant) {
    for (auto const& [line, said] : std::vector<std::pair<words, std::string>>{
             {{"elect", "job"},
              "there is no command to run; write it behind --, as in: redlatch elect NAME -- COMMAND"},
             {{"elect"}, "the name of the lock is missing, as in: redlatch elect NAME -- COMMAND"},
             {{"elect", "job", "--who", "--", "true"}, "--who only asks"},
             {{"elect", "job", "--who", "--candidate", "ann"}, "--who only asks"},
             {{"elect", "job", "--who", "--min-hold", "5s"}, "--who only asks"},
             {{"elect", "job", "--fair", "--", "true"}, "--fair"},
             {{"elect", "job", "--candidate", "", "--", "true"}, "1 to 256 bytes and no control characters"},
             {{"elect", "job", "--candidate", "a\nb", "--", "true"}, "1 to 256 bytes and no control characters"},
             {{"elect", "job", "--candidate", std::string(10'000, 'x'), "--", "true"}, "1 to 256 bytes"}}) {
        auto const end = run(line);
        EXPECT_EQ(end.status, 64) << said;
        EXPECT_NE(end.errors.find(said), std::string::npos) << end.errors;
    }
    server.run("SET", "job", "7");
    EXPECT_EQ(run({"elect", "job", "--who"}).status, 69);
    server.run("DEL", "job");
}

} // namespace
} // namespace redlatch::test
