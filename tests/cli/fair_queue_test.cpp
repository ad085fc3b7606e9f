// Fair locks that nobody holds and that are not to be had: the first of the queue has died, or has not come yet.
#include "support/byte_proxy.hpp"
#include "tool.hpp"

#include <csignal>
#include <nlohmann/json.hpp>

namespace redlatch::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

class fair_queue_command : public tool_test {
protected:
    std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";
    std::string const first = java + ":7";

    void TearDown() override {
        for (auto const* const name : {"job", "j{o}b"}) server.run("DEL", queue_of(name), timeouts_of(name));
        tool_test::TearDown();
    }
    static std::string queue_of(std::string const& name) { return key("redisson_lock_queue", name); }
    static std::string timeouts_of(std::string const& name) { return key("redisson_lock_timeout", name); }
    /// One that is passed over in two hours, and never asks.
    void queue_a_dead_waiter(std::string const& name = "job", std::string const& waiter = "") const {
        auto const now = std::stoll(server.run("TIME").items.at(0).text) * 1'000;
        auto const& who = waiter.empty() ? first : waiter;
        server.run("RPUSH", queue_of(name), who);
        server.run("ZADD", timeouts_of(name), std::to_string(now + 7'200'000), who);
    }
    bool becomes_queued(std::int64_t waiters) const {
        return wait_until([&] { return server.run("LLEN", queue_of("job")).integer == waiters; });
    }
    outcome passes_over() const { return run({"unlock", "job", "--force"}); }

private:
    static std::string key(std::string const& prefix, std::string const& name) {
        return name.find('{') == std::string::npos ? prefix + ":{" + name + "}" : prefix + ":" + name;
    }
};

TEST_F(fair_queue_command, names_the_first_of_the_queue_where_nobody_holds_the_lock) {
    queue_a_dead_waiter();
    auto const kept = "; nobody holds it, and it is kept for the first of its queue, " + first
                      + ", which is passed over in 1h59m unless it asks again\n";
    auto const at_once = run({"run", "job", "--fair", "--no-wait", "--", "true"});
    EXPECT_EQ(at_once.status, 75);
    EXPECT_EQ(at_once.errors, "redlatch: the lock 'job' is busy" + kept);
    auto const in_time = run({"hold", "job", "--fair", "--wait", "300ms"});
    EXPECT_EQ(in_time.status, 75);
    EXPECT_EQ(in_time.errors, "redlatch: the lock 'job' was busy for 300ms, as long as --wait allows" + kept);
    EXPECT_TRUE(becomes_queued(1)) << "and only the dead one";
}

TEST_F(fair_queue_command, names_the_first_of_the_queue_as_json) {
    queue_a_dead_waiter();
    auto const event = json::parse(run({"run", "job", "--fair", "--no-wait", "--json", "--", "true"}).errors);
    EXPECT_EQ(event["event"], "busy");
    EXPECT_EQ(event["waiter"], first);
    EXPECT_GT(event["passed_over_in_ms"], 7'000'000);
    EXPECT_FALSE(event.contains("holder")) << event;
    EXPECT_FALSE(event.contains("label")) << event;
}

TEST_F(fair_queue_command, names_a_waiter_that_lives_by_its_label) {
    hold_as_stranger(server, "job", 1h);
    auto const waiter = start({"run", "job", "--fair", "--", "true"});
    ASSERT_TRUE(becomes_queued(1));
    waiter->signal(SIGSTOP);
    server.run("DEL", "job");
    auto const busy = run({"run", "job", "--fair", "--no-wait", "--", "true"});
    EXPECT_EQ(busy.status, 75);
    EXPECT_NE(busy.errors.find("it is kept for the first of its queue, "), std::string::npos) << busy.errors;
    EXPECT_NE(busy.errors.find(":" + std::to_string(waiter->pid()) + ":true ("), std::string::npos) << busy.errors;
    waiter->signal(SIGCONT);
    EXPECT_EQ(passes_over().status, 1) << "so it asks for another place at once";
    EXPECT_EQ(finish(*waiter).status, 0);
}

TEST_F(fair_queue_command, says_for_whom_it_waits) {
    queue_a_dead_waiter();
    auto const waiter = start({"run", "job", "--fair", "--verbose", "--", "true"});
    ASSERT_TRUE(becomes_queued(2));
    EXPECT_EQ(passes_over().status, 1);
    auto const end = finish(*waiter);
    EXPECT_EQ(end.status, 0) << end.errors;
    EXPECT_NE(end.errors.find("waiting for the lock 'job': nobody holds it, and it is kept for the first of its queue, "
                              + first),
              std::string::npos)
        << end.errors;
}

TEST_F(fair_queue_command, is_told_who_was_passed_over_by_force_and_the_next_one_keeps_the_lock) {
    queue_a_dead_waiter();
    auto const waiter = start(script("echo mine; read line", {"--fair"}));
    ASSERT_TRUE(becomes_queued(2));
    byte_proxy proxy(server.address());
    auto const pass = run({"unlock", "job", "--force", "--server", proxy.uri()});
    EXPECT_EQ(pass.status, 1) << "it was free";
    EXPECT_EQ(pass.output,
              "'job' was free, and the first of its queue was passed over: " + first + "; behind it 1 waits\n");
    EXPECT_EQ(proxy.count(a_command("HSCAN")), 1U) << "whoever holds it later is not to be found, and ended";
    EXPECT_EQ(line_of(*waiter), "mine");
    waiter->write("\n");
    EXPECT_EQ(finish(*waiter).status, 0);
    auto const nobody = passes_over();
    EXPECT_EQ(nobody.status, 1);
    EXPECT_EQ(nobody.output, "'job' was free\n");
    queue_a_dead_waiter();
    auto const object = json::parse(run({"unlock", "job", "--force", "--json"}).output);
    EXPECT_EQ(object["was_held"], false);
    EXPECT_EQ(object["passed_over"], first);
    EXPECT_EQ(passes_over().output, "'job' was free\n") << "and its queue is empty";
    queue_a_dead_waiter();
    hold_as_stranger(server, "job", 1h);
    EXPECT_EQ(passes_over().output, "'job' was held and is free now\n") << "its queue stays";
    EXPECT_TRUE(becomes_queued(1));
}

TEST_F(fair_queue_command, list_shows_a_queue_without_a_holder) {
    queue_a_dead_waiter();
    queue_a_dead_waiter("job", java + ":8");
    queue_a_dead_waiter("j{o}b");
    for (auto const* const pattern : {"*", "job", "jo[b]"}) {
        SCOPED_TRACE(pattern);
        auto const shown = run({"list", pattern});
        EXPECT_EQ(shown.status, 0);
        EXPECT_EQ(shown.errors, "");
        auto const row = shown.output.find("\njob ");
        ASSERT_NE(row, std::string::npos) << shown.output;
        auto const line = shown.output.substr(row + 1, shown.output.find('\n', row + 1) - row - 1);
        EXPECT_NE(line.find(" fair "), std::string::npos) << line;
        EXPECT_NE(line.find("(free for the first of its queue)"), std::string::npos) << line;
        EXPECT_NE(line.find(" 2 "), std::string::npos) << line;
        EXPECT_EQ(shown.output.find("j{o}b") != std::string::npos, pattern == std::string("*")) << shown.output;
    }
    EXPECT_NE(run({"list", "j{*"}).output.find("\nj{o}b "), std::string::npos);
    EXPECT_EQ(run({"list", "j"}).output.find("job"), std::string::npos);
    auto const object = json::parse(run({"list", "job", "--json"}).output);
    EXPECT_EQ(object["state"], "free");
    EXPECT_EQ(object["type"], "fair");
    EXPECT_TRUE(object["owners"].empty());
    EXPECT_EQ(object["waiters"].size(), 2U);
}

TEST_F(fair_queue_command, status_shows_the_place_of_each_waiter) {
    queue_a_dead_waiter();
    queue_a_dead_waiter("job", java + ":8");
    auto const shown = run({"status", "job"});
    EXPECT_EQ(shown.status, 1);
    EXPECT_NE(shown.output.find("  waiting in place 1: client " + java + ", holder 7; passed over in 1h59m"),
              std::string::npos)
        << shown.output;
    EXPECT_NE(shown.output.find("  waiting in place 2: client " + java + ", holder 8; "), std::string::npos)
        << shown.output;
    auto const object = json::parse(run({"status", "job", "--json"}).output);
    EXPECT_EQ(object["waiters"][0]["place"], 1);
    EXPECT_EQ(object["waiters"][1]["place"], 2);
}

} // namespace
} // namespace redlatch::test
