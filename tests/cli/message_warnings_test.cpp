// A user who may not publish, or not subscribe: the tool says so once, without --verbose too.
#include "tool.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class tool_without_messages : public tool_test {
protected:
    /// Of lines of JSON.
    static int warnings_in(std::string const& text) {
        int found = 0;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            if (nlohmann::json::parse(line)["event"] == "warning") ++found;
        return found;
    }
};

TEST_F(tool_without_messages, says_once_that_nobody_can_be_told_of_a_release) {
    server.run("ACL", "SETUSER", "default", "-publish");
    auto const plain = run(script("true"));
    EXPECT_EQ(plain.status, 0) << plain.errors;
    EXPECT_EQ(
        plain.errors,
        "redlatch: lock 'job' was released, but this user may not publish: waiters were not told, and ask again only "
        "when the lease that they saw is over; grant 'publish' and the channel "
        "&redisson_lock__channel:{job}\n");
    EXPECT_EQ(warnings_in(run(script("true", {"--json"})).errors), 1);
    server.run("SET", "permits", "1");
    for (words const& change :
         {words{"semaphore", "release", "permits"}, words{"semaphore", "release", "permits", "--json"}}) {
        auto const result = run(change);
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
        EXPECT_NE(result.errors.find("may not publish"), std::string::npos) << result.errors;
    }
    server.run("FLUSHALL"); // also what the two requests have left for a minute
    server.run("ACL", "SETUSER", "default", "+@all");
    EXPECT_EQ(run(script("true")).errors, "");
}

TEST_F(tool_without_messages, says_once_that_a_waiter_hears_no_messages) {
    hold_as_stranger(server, "job", 1h);
    server.run("ACL", "SETUSER", "default", "-subscribe");
    auto const result = run(script("true", {"--wait", "500ms"}));
    server.run("ACL", "SETUSER", "default", "+@all", "resetchannels");
    auto const of_channel = run(script("true", {"--wait", "500ms"}));
    server.run("ACL", "SETUSER", "default", "allchannels");
    server.run("DEL", "job");
    for (auto const& [said, part] :
         {std::pair(result, "'subscribe'"), std::pair(of_channel, "&redisson_lock__channel:{job}")}) {
        EXPECT_EQ(said.status, 75);
        EXPECT_EQ(std::count(said.errors.begin(), said.errors.end(), '\n'), 2) << said.errors << "and that it is busy";
        EXPECT_NE(said.errors.find("does not let this user listen to messages"), std::string::npos) << said.errors;
        EXPECT_NE(said.errors.find(part), std::string::npos) << said.errors;
    }
}

} // namespace
} // namespace redlatch::test
