#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::lock_renew;

class renew_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(renew_script);

TEST_P(renew_script, prolongs_what_is_held_and_names_what_is_not) {
    run(lock_renew, {
                        {.what = "one, held",
                         .before = {{"HSET", "a", "me:1", "1"}, {"PEXPIRE", "a", "50000"}},
                         .keys = {"a"},
                         .arguments = {"100000", "me:1"},
                         .reply = "[]",
                         .reply_to_a_repeat = "[]",
                         .after = {"a {me:1=1} 100s"}},
                        {.what = "never shortened",
                         .before = {{"HSET", "a", "me:1", "1"}, {"PEXPIRE", "a", "200000"}},
                         .keys = {"a"},
                         .arguments = {"100000", "me:1"},
                         .reply = "[]",
                         .reply_to_a_repeat = "[]",
                         .after = {"a {me:1=1} 200s"}},
                        {.what = "without expiry",
                         .before = {{"HSET", "a", "me:1", "1"}},
                         .keys = {"a"},
                         .arguments = {"100000", "me:1"},
                         .reply = "[]",
                         .reply_to_a_repeat = "[]",
                         .after = {"a {me:1=1} no expiry"}},
                        {.what = "gone",
                         .keys = {"a"},
                         .arguments = {"100000", "me:1"},
                         .reply = "[1]",
                         .reply_to_a_repeat = "[1]",
                         .after = {}},
                        {.what = "held, gone, held by another, of another type, held: each with its own owner",
                         .before = {{"HSET", "a", "me:1", "1"},
                                    {"PEXPIRE", "a", "50000"},
                                    {"HSET", "c", "you:3", "1"},
                                    {"PEXPIRE", "c", "50000"},
                                    {"SET", "d", "text", "PX", "50000"},
                                    {"HSET", "e", "me:5", "2"},
                                    {"PEXPIRE", "e", "50000"}},
                         .keys = {"a", "b", "c", "d", "e"},
                         .arguments = {"100000", "me:1", "me:2", "me:3", "me:4", "me:5"},
                         .reply = "[2 3 4]",
                         .reply_to_a_repeat = "[2 3 4]",
                         .after = {"a {me:1=1} 100s", "c {you:3=1} 50s", "d text 50s", "e {me:5=2} 100s"}},
                        {.what = "held by the owner of another lock of the same call",
                         .before = {{"HSET", "a", "me:2", "1"},
                                    {"PEXPIRE", "a", "50000"},
                                    {"HSET", "b", "me:1", "1"},
                                    {"PEXPIRE", "b", "50000"}},
                         .keys = {"a", "b"},
                         .arguments = {"100000", "me:1", "me:2"},
                         .reply = "[1 2]",
                         .reply_to_a_repeat = "[1 2]",
                         .after = {"a {me:2=1} 50s", "b {me:1=1} 50s"}},
                        {.what = "none",
                         .keys = {},
                         .arguments = {"100000"},
                         .reply = "[]",
                         .reply_to_a_repeat = "[]",
                         .after = {}},
                    });
}

TEST_P(renew_script, takes_as_many_locks_as_a_full_batch) {
    words keys;
    words arguments{"100000"};
    std::vector<std::string> expected;
    for (int i = 100; i < 1'100; ++i) {
        keys.push_back("lock" + std::to_string(i));
        arguments.push_back("me:" + std::to_string(i));
        if (i == 600) continue;
        command({"HSET", keys.back(), arguments.back(), "1"});
        command({"PEXPIRE", keys.back(), "50000"});
    }
    EXPECT_EQ(shown(call(lock_renew, keys, arguments)), "[501]");
    auto const lines = state();
    EXPECT_EQ(lines.size(), 999u);
    for (auto const& line : lines) EXPECT_TRUE(line.ends_with("=1} 100s")) << line;
}

// A missing right says nothing about who holds the locks: none is reported as lost.
TEST_P(renew_script, is_refused_as_a_whole_where_a_right_is_missing) {
    command({"HSET", "a", "me:1", "1"});
    command({"PEXPIRE", "a", "50000"});
    for (auto const* right : {"-hexists", "-pttl", "-pexpire", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_EQ(shown(call(client, lock_renew, {"a"}, {"100000", "me:1"})).front(), '!');
        EXPECT_EQ(state(), std::vector<std::string>{"a {me:1=1} 50s"});
    }
}

} // namespace
} // namespace redlatch::test
