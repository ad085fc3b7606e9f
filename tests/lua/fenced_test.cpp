#include "locking/recipes/tokens.hpp"
#include "lua/script_test.hpp"

#include <functional>
#include <tuple>
#include <utility>

namespace redlatch::test {
namespace {

using locking::scripts::fenced_acquire;
using locking::scripts::fenced_reenter;

words const lock_and_counter{"orders", "counter"};

class fenced_acquire_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(fenced_acquire_script);

TEST_P(fenced_acquire_script, takes_a_free_lock_with_a_new_token_and_gives_a_greater_one_to_a_repeat) {
    for (auto const& [what, before, first, second] :
         {std::tuple("free, for the first time", words{}, "[1]", "[2]"),
          std::tuple("free, after others", words{"SET", "counter", "41"}, "[42]", "[43]")}) {
        SCOPED_TRACE(what);
        command({"FLUSHALL"});
        if (!before.empty()) command(before);
        EXPECT_EQ(shown(call(fenced_acquire, lock_and_counter, {"100000", "me:1"})), first);
        EXPECT_EQ(shown(call(fenced_acquire, lock_and_counter, {"200000", "me:1"})), second);
        auto const counter = std::string(second).substr(1, std::string(second).size() - 2);
        EXPECT_EQ(state(), (words{"counter " + counter + " no expiry", "orders {me:1=1} 200s"}));
    }
}

TEST_P(fenced_acquire_script, counts_nothing_for_a_lock_that_is_held) {
    run(fenced_acquire,
        {
            {.what = "held by another",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
             .keys = lock_and_counter,
             .arguments = {"200000", "me:1"},
             .reply = "100s",
             .reply_to_a_repeat = "100s",
             .after = {"counter 7 no expiry", "orders {you:1=1} 100s"}},
            {.what = "held by another, with the number of those that listen",
             .before = {{"HSET", "orders", "you:1", "1"}},
             .keys = lock_and_counter,
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
                             .keys = lock_and_counter,
                             .arguments = {"100000", "me:1"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"counter {x=1} no expiry"}},
                            {.what = "a counter that is no number",
                             .before = {{"SET", "counter", "x"}},
                             .keys = lock_and_counter,
                             .arguments = {"100000", "me:1"},
                             .reply = "!ERR",
                             .reply_to_a_repeat = "!ERR",
                             .after = {"counter x no expiry"}},
                            {.what = "a lock that is none",
                             .before = {{"SET", "orders", "x"}},
                             .keys = lock_and_counter,
                             .arguments = {"100000", "me:1"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"orders x no expiry"}},
                        });
}

class fenced_reenter_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(fenced_reenter_script);

TEST_P(fenced_reenter_script, brings_a_token_and_a_greater_one_to_a_repeat) {
    run(fenced_reenter,
        {
            {.what = "held",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "50000"}},
             .keys = lock_and_counter,
             .arguments = {"100000", "me:1", "2"},
             .reply = "[8]",
             .reply_to_a_repeat = "[9]",
             .after = {"counter 8 no expiry", "orders {me:1=2} 100s"},
             .after_a_repeat = {{"counter 9 no expiry", "orders {me:1=2} 100s"}}},
            {.what = "held for longer, and never counted",
             .before = {{"HSET", "orders", "mode", "write", "me:1", "1"}, {"PEXPIRE", "orders", "200000"}},
             .keys = lock_and_counter,
             .arguments = {"100000", "me:1", "2"},
             .reply = "[1]",
             .reply_to_a_repeat = "[2]",
             .after = {"counter 1 no expiry", "orders {mode=write me:1=2} 200s"},
             .after_a_repeat = {{"counter 2 no expiry", "orders {mode=write me:1=2} 200s"}}},
            {.what = "not held",
             .before = {{"SET", "counter", "7"}, {"HSET", "orders", "you:1", "1"}},
             .keys = lock_and_counter,
             .arguments = {"100000", "me:1", "2"},
             .reply = "0",
             .reply_to_a_repeat = "0",
             .after = {"counter 7 no expiry", "orders {you:1=1} no expiry"}},
            {.what = "a counter that is a list",
             .before = {{"RPUSH", "counter", "x"}, {"HSET", "orders", "me:1", "1"}},
             .keys = lock_and_counter,
             .arguments = {"100000", "me:1", "2"},
             .reply = "!WRONGTYPE",
             .reply_to_a_repeat = "!WRONGTYPE",
             .after = {"counter [x] no expiry", "orders {me:1=1} no expiry"}},
        });
}

/// What all scripts that bring a token do with the counter, whatever the kind.
struct token_script {
    std::string kind;
    locking::script const* script;
    words keys;      ///< the counter is the last one
    words arguments; ///< behind which the time stands for which the counter stays
    std::vector<words> before{};
    std::string held{}; ///< the lock, once it is acquired
};

class tokens_of : public script_test {
protected:
    static std::vector<token_script> all() {
        return {
            {"fenced", &fenced_acquire, lock_and_counter, {"100000", "me:1", ""}, {}, "orders {me:1=1} 100s"},
            {"fair",
             &locking::scripts::fair_acquire,
             {"orders", "queue", "timeouts", "counter"},
             {"100000", "me:1", "300000", "1"},
             {},
             "orders {me:1=1} 100s"},
            {"write",
             &locking::scripts::write_acquire,
             lock_and_counter,
             {"100000", "me:1:write"},
             {},
             "orders {mode=write me:1:write=1} 100s"},
            {"re-entry",
             &fenced_reenter,
             lock_and_counter,
             {"100000", "me:1", "2"},
             {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
             "orders {me:1=2} 100s"},
        };
    }
    void each(std::vector<words> const& before, std::function<void(token_script const&)> const& check) {
        for (auto const& one : all()) {
            SCOPED_TRACE(one.kind);
            command({"FLUSHALL"});
            for (auto const& some : {one.before, before})
                for (auto const& words_of_one : some) command(words_of_one);
            check(one);
        }
    }
    std::string answer(token_script const& one, std::string const& ttl = {}) {
        auto arguments = one.arguments;
        if (!ttl.empty()) arguments.push_back(ttl);
        return shown(call(*one.script, one.keys, arguments));
    }
};
REDLATCH_ON_EVERY_SERVER(tokens_of);

TEST_P(tokens_of, each_kind_grow_with_each_call_and_each_repeat) {
    each({{"SET", "counter", "41"}}, [&](token_script const& one) {
        EXPECT_EQ(answer(one), "[42]");
        EXPECT_EQ(answer(one), "[43]") << "nobody has got that of the first copy";
        EXPECT_EQ(state(), (words{"counter 43 no expiry", one.held}));
    });
}

TEST_P(tokens_of, each_kind_are_exact_where_numbers_of_lua_are_not) {
    each({{"SET", "counter", "9007199254740990"}}, [&](token_script const& one) {
        auto const ask = [&] { return locking::tokens::read(call(*one.script, one.keys, one.arguments)); };
        for (std::uint64_t token = 9'007'199'254'740'991; token < 9'007'199'254'740'996; ++token)
            EXPECT_EQ(ask(), token);
        command({"SET", "counter", "9223372036854775806"});
        EXPECT_EQ(ask(), 9'223'372'036'854'775'807U);
    });
}

TEST_P(tokens_of, each_kind_renew_the_expiry_of_the_counter_and_never_shorten_it) {
    each({}, [&](token_script const& one) {
        EXPECT_EQ(answer(one, "500000"), "[1]");
        EXPECT_EQ(state(), (words{"counter 1 500s", one.held}));
        EXPECT_EQ(answer(one, "600000"), "[2]");
        EXPECT_EQ(state(), (words{"counter 2 600s", one.held}));
        EXPECT_EQ(answer(one, "500000"), "[3]");
        EXPECT_EQ(state(), (words{"counter 3 600s", one.held})) << "another client's";
        EXPECT_EQ(answer(one), "[4]");
        EXPECT_EQ(state(), (words{"counter 4 600s", one.held})) << "as Java leaves it";
    });
    each({{"SET", "counter", "7"}}, [&](token_script const& one) {
        EXPECT_EQ(answer(one, "500000"), "[8]");
        EXPECT_EQ(state(), (words{"counter 8 500s", one.held})) << "one that had none gets one";
    });
}

TEST_P(tokens_of, each_kind_take_nothing_where_the_counter_cannot_count) {
    for (auto const& [broken, reply] :
         {std::pair(words{"HSET", "counter", "x", "1"}, "!WRONGTYPE"), std::pair(words{"SET", "counter", "x"}, "!ERR"),
          std::pair(words{"SET", "counter", "9223372036854775807"}, "!ERR")}) {
        SCOPED_TRACE(broken.back());
        each({broken}, [&, answered = std::string(reply)](token_script const& one) {
            auto const before = state();
            EXPECT_EQ(answer(one, "500000"), answered);
            EXPECT_EQ(state(), before);
        });
    }
}

TEST_P(tokens_of, each_kind_take_nothing_where_the_counter_may_not_expire) {
    auto no_expiry = restricted({"-pexpire"});
    each({}, [&](token_script const& one) {
        auto arguments = one.arguments;
        arguments.push_back("500000");
        auto before = state();
        EXPECT_EQ(shown(call(no_expiry, *one.script, one.keys, arguments)).front(), '!');
        before.insert(before.begin(), "counter 1 no expiry");
        EXPECT_EQ(state(), before);
    });
}

TEST_P(tokens_of, each_kind_count_nothing_for_who_does_not_get_the_lock) {
    each({{"DEL", "orders"}, {"HSET", "orders", "you:1", "1"}, {"SET", "counter", "7"}}, [&](token_script const& one) {
        auto const said = answer(one, "500000");
        EXPECT_TRUE(said == "-1" || said == "0") << said;
        EXPECT_EQ(command({"GET", "counter"}).text, "7");
        EXPECT_EQ(command({"PTTL", "counter"}).integer, -1);
    });
}

TEST_P(tokens_of, fair_locks_leave_the_queue_as_it_is_where_the_counter_cannot_count) {
    auto const& fair = locking::scripts::fair_acquire;
    auto const call_as = [&](std::string const& owner) {
        return shown(call(fair, {"orders", "queue", "timeouts", "counter"}, {"100000", owner, "300000", "1"}));
    };
    command({"HSET", "orders", "holder:1", "1"});
    for (auto const* const owner : {"me:1", "you:1"}) EXPECT_EQ(call_as(owner), "-1");
    command({"DEL", "orders"});
    command({"SET", "counter", "x"});
    auto const before = state();
    EXPECT_EQ(call_as("me:1"), "!ERR");
    EXPECT_EQ(state(), before) << "it is still the first";
    command({"SET", "counter", "7"});
    EXPECT_EQ(call_as("me:1"), "[8]");
    EXPECT_EQ(call_as("you:1"), "100s");
}

} // namespace
} // namespace redlatch::test
