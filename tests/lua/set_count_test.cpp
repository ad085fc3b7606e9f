#include "lua/script_test.hpp"

#include <chrono>

namespace redlatch::test {
namespace {

using locking::scripts::lock_set_count;

class set_count_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(set_count_script);

TEST_P(set_count_script, writes_the_count_of_a_held_lock_and_never_shortens_its_lease) {
    run(lock_set_count, {
                            {.what = "re-entry",
                             .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "50000"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {"orders {me:1=2} 100s"}},
                            {.what = "partial release",
                             .before = {{"HSET", "orders", "me:1", "3"}, {"PEXPIRE", "orders", "50000"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {"orders {me:1=2} 100s"}},
                            {.what = "a shorter lease than what is left",
                             .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "200000"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {"orders {me:1=2} 200s"}},
                            {.what = "without expiry",
                             .before = {{"HSET", "orders", "me:1", "1"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {"orders {me:1=2} no expiry"}},
                            {.what = "the largest count",
                             .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2147483647"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {"orders {me:1=2147483647} 100s"}},
                            {.what = "free",
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "0",
                             .reply_to_a_repeat = "0",
                             .after = {}},
                            {.what = "held by another",
                             .before = {{"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "50000"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "0",
                             .reply_to_a_repeat = "0",
                             .after = {"orders {you:1=1} 50s"}},
                            {.what = "a key of another type",
                             .before = {{"SET", "orders", "text"}},
                             .keys = {"orders"},
                             .arguments = {"100000", "me:1", "2"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"orders text no expiry"}},
                        });
}

TEST_P(set_count_script, changes_nothing_where_a_right_is_missing) {
    command({"HSET", "orders", "me:1", "1"});
    command({"PEXPIRE", "orders", "50000"});
    for (auto const* right : {"-hexists", "-hset", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_TRUE(call(client, lock_set_count, {"orders"}, {"100000", "me:1", "2"}).is_error());
        EXPECT_EQ(state(), std::vector<std::string>{"orders {me:1=1} 50s"});
    }
}

/// In the last millisecond of a lease the key is there, and PEXPIRE by 0 would delete it.
TEST_P(set_count_script, never_makes_a_lock_anew_whose_lease_ends) {
    for (int i = 0; i < 300; ++i) {
        command({"HSET", "orders", "mode", "read", "me:1", "2"});
        command({"PEXPIRE", "orders", "2"});
        auto const begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(1'300 + 2 * i)) {
        }
        call(lock_set_count, {"orders"}, {"1", "me:1", "1"});
        auto const fields = command({"HMGET", "orders", "mode", "me:1"}).items;
        ASSERT_EQ(fields.at(0).is_nil(), fields.at(1).is_nil()) << "all of it is there, or nothing";
    }
}

} // namespace
} // namespace redlatch::test
