#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::lock_acquire;

class acquire_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(acquire_script);

TEST_P(acquire_script, takes_a_free_lock_and_tells_others_how_long_it_is_held) {
    run(lock_acquire, {
                          {.what = "free",
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "nil",
                           .reply_to_a_repeat = "nil",
                           .after = {"orders {me:1=1} 100s"}},
                          {.what = "held by another",
                           .before = {{"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"200000", "me:1"},
                           .reply = "100s",
                           .reply_to_a_repeat = "100s",
                           .after = {"orders {you:1=1} 100s"}},
                          {.what = "held by another holder of the same client",
                           .before = {{"HSET", "orders", "me:2", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"200000", "me:1"},
                           .reply = "100s",
                           .reply_to_a_repeat = "100s",
                           .after = {"orders {me:2=1} 100s"}},
                          {.what = "held by another, with the number of those that listen",
                           .before = {{"HSET", "orders", "you:1", "1"}},
                           .keys = {"orders"},
                           .arguments = {"200000", "me:1", "nobody listens here"},
                           .reply = "[-1 0]",
                           .reply_to_a_repeat = "[-1 0]",
                           .after = {"orders {you:1=1} no expiry"}},
                          {.what = "held by another without expiry",
                           .before = {{"HSET", "orders", "you:1", "1"}},
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "-1",
                           .reply_to_a_repeat = "-1",
                           .after = {"orders {you:1=1} no expiry"}},
                          {.what = "taken by an earlier copy of the call, whose lease is longer",
                           .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "200000"}},
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "nil",
                           .reply_to_a_repeat = "nil",
                           .after = {"orders {me:1=1} 200s"}},
                          {.what = "taken by an earlier copy of the call, whose lease is shorter",
                           .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"200000", "me:1"},
                           .reply = "nil",
                           .reply_to_a_repeat = "nil",
                           .after = {"orders {me:1=1} 200s"}},
                          {.what = "a late copy finds a higher count and leaves it",
                           .before = {{"HSET", "orders", "me:1", "3"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "nil",
                           .reply_to_a_repeat = "nil",
                           .after = {"orders {me:1=3} 100s"}},
                          {.what = "own lock that an administrator made endless stays so",
                           .before = {{"HSET", "orders", "me:1", "1"}},
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "nil",
                           .reply_to_a_repeat = "nil",
                           .after = {"orders {me:1=1} no expiry"}},
                          {.what = "a key of another type",
                           .before = {{"SET", "orders", "text"}},
                           .keys = {"orders"},
                           .arguments = {"100000", "me:1"},
                           .reply = "!WRONGTYPE",
                           .reply_to_a_repeat = "!WRONGTYPE",
                           .after = {"orders text no expiry"}},
                          {.what = "a lease that the server cannot count",
                           .keys = {"orders"},
                           .arguments = {"9223372036854775807", "me:1"},
                           .reply = "!ERR",
                           .reply_to_a_repeat = "!ERR",
                           .after = {}},
                      });
}

TEST_P(acquire_script, takes_names_and_owners_of_any_bytes) {
    std::string const name("a\r\n\0{\xff", 6);
    EXPECT_EQ(shown(call(lock_acquire, {name}, {"100000", "me:1"})), "nil");
    EXPECT_EQ(state(), std::vector{name + " {me:1=1} 100s"});
}

TEST_P(acquire_script, takes_a_lock_whose_lease_has_run_out) {
    call(lock_acquire, {"orders"}, {"50", "you:1"});
    ASSERT_TRUE(wait_until([&] { return shown(call(lock_acquire, {"orders"}, {"100000", "me:1"})) == "nil"; }));
    EXPECT_EQ(state(), std::vector<std::string>{"orders {me:1=1} 100s"});
}

TEST_P(acquire_script, leaves_nothing_behind_where_a_right_is_missing) {
    for (auto const* right : {"-hset", "-pexpire", "-pttl", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_TRUE(call(client, lock_acquire, {"orders"}, {"100000", "me:1"}).is_error());
        EXPECT_EQ(state(), std::vector<std::string>{});
    }
}

TEST_P(acquire_script, leaves_another_ones_lock_alone_where_a_right_is_missing) {
    call(lock_acquire, {"orders"}, {"100000", "you:1"});
    for (auto const* right : {"-hexists", "-pttl", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_TRUE(call(client, lock_acquire, {"orders"}, {"100000", "me:1"}).is_error());
        EXPECT_EQ(state(), std::vector<std::string>{"orders {you:1=1} 100s"});
    }
}

} // namespace
} // namespace redlatch::test
