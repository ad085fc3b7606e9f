#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::lock_inspect;

words const keys{"orders", "redisson_lock_queue:{orders}", "redisson_lock_token:{orders}"};

class inspect_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(inspect_script);

TEST_P(inspect_script, shows_who_holds_a_lock_and_changes_nothing) {
    run(lock_inspect,
        {
            {.what = "free", .keys = keys, .arguments = {}, .reply = "nil", .reply_to_a_repeat = "nil", .after = {}},
            {.what = "held",
             .before = {{"HSET", "orders", "me:1", "2"}, {"PEXPIRE", "orders", "100000"}},
             .keys = keys,
             .arguments = {},
             .reply = "[100s 0 0 \"me:1\" \"2\"]",
             .reply_to_a_repeat = "[100s 0 0 \"me:1\" \"2\"]",
             .after = {"orders {me:1=2} 100s"}},
            {.what = "held without expiry",
             .before = {{"HSET", "orders", "me:1", "2"}},
             .keys = keys,
             .arguments = {},
             .reply = "[-1 0 0 \"me:1\" \"2\"]",
             .reply_to_a_repeat = "[-1 0 0 \"me:1\" \"2\"]",
             .after = {"orders {me:1=2} no expiry"}},
            {.what = "with a fence counter",
             .before = {{"HSET", "orders", "me:1", "1"}, {"SET", keys[2], "5"}},
             .keys = keys,
             .arguments = {},
             .reply = "[-1 0 1 \"me:1\" \"1\"]",
             .reply_to_a_repeat = "[-1 0 1 \"me:1\" \"1\"]",
             .after = {"orders {me:1=1} no expiry", keys[2] + " 5 no expiry"}},
            {.what = "a read lock",
             .before = {{"HSET", "orders", "mode", "read", "me:1", "1", "you:1", "2"}},
             .keys = keys,
             .arguments = {},
             .reply = "[-1 0 0 \"mode\" \"read\" \"me:1\" \"1\" \"you:1\" \"2\"]",
             .reply_to_a_repeat = "[-1 0 0 \"mode\" \"read\" \"me:1\" \"1\" \"you:1\" \"2\"]",
             .after = {"orders {mode=read me:1=1 you:1=2} no expiry"}},
            {.what = "only a fence counter of a free lock",
             .before = {{"SET", keys[2], "5"}},
             .keys = keys,
             .arguments = {},
             .reply = "nil",
             .reply_to_a_repeat = "nil",
             .after = {keys[2] + " 5 no expiry"}},
            {.what = "a key of another type",
             .before = {{"SET", "orders", "text"}},
             .keys = keys,
             .arguments = {},
             .reply = "!WRONGTYPE",
             .reply_to_a_repeat = "!WRONGTYPE",
             .after = {"orders text no expiry"}},
        });
}

TEST_P(inspect_script, sees_the_queue_of_a_fair_lock) {
    command({"HSET", "orders", "me:1", "1"});
    command({"RPUSH", keys[1], "you:1"});
    EXPECT_EQ(shown(call(lock_inspect, keys, {})), "[-1 1 0 \"me:1\" \"1\"]");
}

} // namespace
} // namespace redlatch::test
