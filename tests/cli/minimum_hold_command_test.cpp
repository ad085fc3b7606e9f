// --min-hold and --lock-delay.
#include "tool.hpp"

#include <nlohmann/json.hpp>

namespace redlatch::test {
namespace {

class minimum_hold_command : public tool_test {
protected:
    long long pttl() { return server.run("PTTL", "job").integer; }
};

TEST_F(minimum_hold_command, keeps_the_lock_when_the_command_has_ended) {
    auto const first = run({"run", "job", "--min-hold", "60s", "--", "echo", "once"});
    EXPECT_EQ(first.status, 0) << first.errors;
    EXPECT_EQ(first.output, "once\n");
    EXPECT_TRUE(is_held());
    EXPECT_GT(pttl(), 30'000) << "more than the lease of a lock that is renewed";
    EXPECT_LE(pttl(), 60'000);
    auto const second = run({"run", "job", "--no-wait", "--", "echo", "twice"});
    EXPECT_EQ(second.status, 75);
    EXPECT_EQ(second.output, "");
    EXPECT_NE(second.errors.find("is busy; its last holder has released it, and the rest is its minimum hold, 5"),
              std::string::npos)
        << second.errors;
    EXPECT_EQ(second.errors.find("held by"), std::string::npos) << second.errors;
    auto const event = nlohmann::json::parse(run({"run", "job", "--no-wait", "--json", "--", "true"}).errors);
    EXPECT_EQ(event["event"], "busy");
    EXPECT_FALSE(event.contains("holder")) << event;
    auto const seen = run({"status", "job"});
    EXPECT_EQ(seen.status, 0);
    EXPECT_EQ(seen.output.find("unless renewed"), std::string::npos) << seen.output;
    EXPECT_NE(seen.output.find("which has released it: the rest is its minimum hold"), std::string::npos)
        << seen.output;
    auto const object = nlohmann::json::parse(run({"status", "job", "--json"}).output);
    EXPECT_EQ(object["owners"].size(), 1U);
    EXPECT_EQ(object["owners"][0]["released"], true);
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
    EXPECT_FALSE(is_held());
}

TEST_F(minimum_hold_command, costs_nothing_when_the_command_takes_longer) {
    EXPECT_EQ(run({"run", "job", "--min-hold", "1ms", "--", "sleep", "0.02"}).status, 0);
    EXPECT_FALSE(is_held());
}

TEST_F(minimum_hold_command, keeps_it_when_the_command_fails) {
    EXPECT_EQ(run({"run", "job", "--fair", "--min-hold", "60s", "--", "false"}).status, 1);
    EXPECT_TRUE(is_held());
    run({"unlock", "job", "--force"});
}

TEST_F(minimum_hold_command, keeps_a_read_write_lock) {
    EXPECT_EQ(run({"run", "job", "--write", "--min-hold", "60s", "--", "true"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--shared", "--no-wait", "--", "true"}).status, 75);
    auto const seen = run({"status", "job"});
    EXPECT_NE(seen.output.find("which has released it: the rest is its minimum hold"), std::string::npos)
        << seen.output;
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--shared", "--min-hold", "60s", "--", "true"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--shared", "--no-wait", "--", "true"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--write", "--no-wait", "--", "true"}).status, 75);
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 0);
    EXPECT_FALSE(is_held());
}

TEST_F(minimum_hold_command, lock_delay_prolongs_the_lease_and_not_the_hold) {
    auto const tool = start(script("echo $REDLATCH_VALID_UNTIL; read line", {"--lock-delay", "60s"}));
    auto const valid_until = std::stoll(line_of(*tool));
    auto const now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    EXPECT_LE(valid_until - now, 30'000);
    EXPECT_GT(pttl(), 60'000);
    EXPECT_EQ(finish(*tool).status, 1) << "read finds no line";
    EXPECT_FALSE(is_held()) << "given back";
}

} // namespace
} // namespace redlatch::test
