#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::election_leader;

words const keys{"orders", "counter"};

class election_leader_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(election_leader_script);

TEST_P(election_leader_script, says_that_nobody_leads) {
    EXPECT_EQ(shown(call(election_leader, keys, {})), R"([1 -2 "" ""])");
    EXPECT_EQ(shown(call(election_leader, keys, {""})), R"([0 -2 "" ""])") << "as the caller knows";
    EXPECT_EQ(shown(call(election_leader, keys, {"me:1:ann"})), R"([1 -2 "" ""])");
    EXPECT_EQ(state(), words{});
}

TEST_P(election_leader_script, says_who_leads_and_whether_it_is_another_one) {
    command({"HSET", "orders", "me:1:ann", "1"});
    EXPECT_EQ(shown(call(election_leader, keys, {})), R"([1 -1 "me:1:ann" ""])") << "a mere lock, without an expiry";
    command({"SET", "counter", "9007199254740993"}); // more than a number of Lua can tell apart
    EXPECT_EQ(shown(call(election_leader, keys, {"me:1:ann"})), R"([0 -1 "me:1:ann" "9007199254740993"])");
    EXPECT_EQ(shown(call(election_leader, keys, {"me:1:an"})), R"([1 -1 "me:1:ann" "9007199254740993"])");
    EXPECT_EQ(shown(call(election_leader, keys, {""})), R"([1 -1 "me:1:ann" "9007199254740993"])");
    EXPECT_EQ(state(), (words{"counter 9007199254740993 no expiry", "orders {me:1:ann=1} no expiry"}));
}

TEST_P(election_leader_script, refuses_what_is_no_election) {
    for (auto const& before : {words{"SET", "orders", "7"}, words{"HSET", "orders", "mode", "read", "me:1", "1"}}) {
        command({"FLUSHALL"});
        command(before);
        EXPECT_EQ(shown(call(election_leader, keys, {""})), "!WRONGTYPE");
    }
}

} // namespace
} // namespace redlatch::test
