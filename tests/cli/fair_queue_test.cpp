// Fair locks that nobody holds and that are not to be had: the first of the queue has died, or has not come yet.
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
