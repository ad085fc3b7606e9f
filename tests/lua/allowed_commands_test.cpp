#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::allowed_commands;

class allowed_commands_script : public script_test {
protected:
    std::string answer_to(raw_client& client, words const& arguments) {
        return call(client, allowed_commands, {}, arguments).text;
    }
    /// A server that can say it; Valkey can, and Redis from 7.0 on.
    words const commands{"2", "GET", "orders", "3", "DEL", "orders", "x", "3", "PUBLISH", "news", "m", "1", "NONSENSE"};
};
REDLATCH_ON_EVERY_SERVER(allowed_commands_script);

TEST_P(allowed_commands_script, says_of_each_command_whether_it_is_allowed) {
    EXPECT_EQ(answer_to(admin(), commands), "111?");
    EXPECT_EQ(answer_to(admin(), {}), "");
    auto some = restricted({"-del", "resetchannels"});
    EXPECT_EQ(answer_to(some, commands), "100?");
    auto others = restricted({"resetkeys", "~invoices"});
    EXPECT_EQ(answer_to(others, commands), "001?");
}

TEST_P(allowed_commands_script, runs_none_of_them) {
    command({"SET", "orders", "here"});
    EXPECT_EQ(answer_to(admin(), {"2", "DEL", "orders", "1", "FLUSHALL", "3", "SET", "new", "v"}), "111");
    EXPECT_EQ(state(), words{"orders here no expiry"});
}

} // namespace
} // namespace redlatch::test
