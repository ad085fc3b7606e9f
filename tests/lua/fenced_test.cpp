#include "lua/script_test.hpp"

#include <tuple>

namespace redlatch::test {
namespace {

using locking::scripts::fenced_acquire;
using locking::scripts::fenced_set_count;

words const keys{"orders", "counter"};

class fenced_acquire_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(fenced_acquire_script);

TEST_P(fenced_acquire_script, takes_a_free_lock_with_a_new_token_and_gives_a_greater_one_to_a_repeat) {
    for (auto const& [what, before, first, second] :
         {std::tuple("free, for the first time", words{}, "[1]", "[2]"),
          std::tuple("free, after others", words{"SET", "counter", "41"}, "[42]", "[43]")}) {
        SCOPED_TRACE(what);
        command({"FLUSHALL"});
        if (!before.empty()) command(before);
        EXPECT_EQ(shown(call(fenced_acquire, keys, {"100000", "me:1"})), first);
        EXPECT_EQ(shown(call(fenced_acquire, keys, {"200000", "me:1"})), second);
        auto const counter = std::string(second).substr(1, std::string(second).size() - 2);
        EXPECT_EQ(state(), (words{"counter " + counter + " no expiry", "orders {me:1=1} 200s"}));
    }
}

TEST_P(fenced_acquire_script, counts_nothing_for_a_lock_that_is_held) {
    run(fenced_acquire,
        {
            {.what = "held by another",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
             .keys = keys,
             .arguments = {"200000", "me:1"},
             .reply = "100s",
             .reply_to_a_repeat = "100s",
             .after = {"counter 7 no expiry", "orders {you:1=1} 100s"}},
            {.what = "held by another, with the number of those that listen",
             .before = {{"HSET", "orders", "you:1", "1"}},
             .keys = keys,
             .arguments = {"200000", "me:1", "nobody listens here"},
             .reply = "[-1 0]",
             .reply_to_a_repeat = "[-1 0]",
             .after = {"orders {you:1=1} no expiry"}},
        });
}

TEST_P(fenced_acquire_script, takes_nothing_where_the_counter_cannot_count) {
    run(fenced_acquire, {
                            {.what = "a counter that is a hash",
                             .before = {{"HSET", "counter", "x", "1"}},
                             .keys = keys,
                             .arguments = {"100000", "me:1"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"counter {x=1} no expiry"}},
                            {.what = "a counter that is no number",
                             .before = {{"SET", "counter", "x"}},
                             .keys = keys,
                             .arguments = {"100000", "me:1"},
                             .reply = "!ERR",
                             .reply_to_a_repeat = "!ERR",
                             .after = {"counter x no expiry"}},
                            {.what = "a lock that is none",
                             .before = {{"SET", "orders", "x"}},
                             .keys = keys,
                             .arguments = {"100000", "me:1"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"orders x no expiry"}},
                        });
}

class fenced_set_count_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(fenced_set_count_script);

TEST_P(fenced_set_count_script, counts_a_re_entry_as_an_acquisition_and_a_partial_release_as_none) {
    run(fenced_set_count,
        {
            {.what = "re-entry",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "50000"}},
             .keys = keys,
             .arguments = {"100000", "me:1", "2"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"counter 8 no expiry", "orders {me:1=2} 100s"}},
            {.what = "partial release",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "me:1", "3"}, {"PEXPIRE", "orders", "200000"}},
             .keys = keys,
             .arguments = {"100000", "me:1", "2"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"counter 7 no expiry", "orders {me:1=2} 200s"}},
            {.what = "not held",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "you:1", "1"}},
             .keys = keys,
             .arguments = {"100000", "me:1", "2"},
             .reply = "0",
             .reply_to_a_repeat = "0",
             .after = {"counter 7 no expiry", "orders {you:1=1} no expiry"}},
        });
}

} // namespace
} // namespace redlatch::test
