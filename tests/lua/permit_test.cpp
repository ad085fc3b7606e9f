// permit_*: permits with ids and leases.
#include "connection/server_error.hpp"
#include "lua/permit_script.hpp"

#include <cstdint>

namespace redlatch::test {
namespace {

using locking::scripts::permit_acquire;
using locking::scripts::permit_lease;
using locking::scripts::permit_look;
using locking::scripts::permit_release;
using locking::scripts::permit_remove;
using locking::scripts::permit_renew;
using locking::scripts::permit_set;

REDLATCH_ON_EVERY_SERVER(permit_script);

TEST_P(permit_script, takes_permits_all_or_none_and_once) {
    auto const keys = about({undone});
    run(permit_acquire,
        {
            {.what = "more than enough",
             .before = {number("5")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one, two},
             .reply = "[3 -1]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 3 no expiry", timeouts + " <" + one + "=100s " + two + "=100s> no expiry"}},
            {.what = "more than can be counted exactly",
             .before = {number("9223372036854775807")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, "0", one},
             .reply = "[1000000s -1]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 9223372036854775806 no expiry", timeouts + " <" + one + "=never> no expiry"}},
            {.what = "for ever",
             .before = {number("1")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, "0", one},
             .reply = "[0 -1]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 0 no expiry", timeouts + " <" + one + "=never> no expiry"}},
            {.what = "too few",
             .before = {number("1"), leased("permit-number-03")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one, two},
             .reply = "100s",
             .reply_to_a_repeat = "100s",
             .after = {"permits 1 no expiry", timeouts + " <permit-number-03=100s> no expiry"}},
            {.what = "more than there are in all",
             .before = {number("0"), leased("permit-number-03")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one, two},
             .reply = "!TOOFEW",
             .reply_to_a_repeat = "!TOOFEW",
             .after = {"permits 0 no expiry", timeouts + " <permit-number-03=100s> no expiry"}},
            {.what = "more than there are in all, one of them with a lease that is over",
             .before = {number("0"), ended("permit-number-03")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one, two},
             .reply = "!TOOFEW",
             .reply_to_a_repeat = "!TOOFEW",
             .after = {"permits 0 no expiry", timeouts + " <permit-number-03=over> no expiry"}},
            {.what = "several of a semaphore that is set to none",
             .before = {number("0")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one, two},
             .reply = "-1",
             .reply_to_a_repeat = "-1",
             .after = {"permits 0 no expiry"}},
            {.what = "not set",
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "-1",
             .reply_to_a_repeat = "-1",
             .after = {}},
            {.what = "below zero",
             .before = {number("-2")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "-1",
             .reply_to_a_repeat = "-1",
             .after = {"permits -2 no expiry"}},
            {.what = "none until the next lease ends",
             .before = {number("0"), leased(two)},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "100s",
             .reply_to_a_repeat = "100s",
             .after = {"permits 0 no expiry", timeouts + " <" + two + "=100s> no expiry"}},
            {.what = "none, and what is taken is taken for ever",
             .before = {number("0"), for_ever(two)},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "-1",
             .reply_to_a_repeat = "-1",
             .after = {"permits 0 no expiry", timeouts + " <" + two + "=never> no expiry"}},
            {.what = "one whose lease is over",
             .before = {number("0"), ended(two)},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "[0 100s]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 0 no expiry", timeouts + " <" + one + "=100s> no expiry"}},
            {.what = "two whose lease is over: the others are told of the rest",
             .before = {number("0"), ended(two), ended("permit-number-03")},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "[1 -1]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 1 no expiry", timeouts + " <" + one + "=100s> no expiry"},
             .told = {permit_channel + " 1"}},
            {.what = "its own, whose lease is over: taken anew",
             .before = {number("0"), ended(one)},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "[0 100s]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 0 no expiry", timeouts + " <" + one + "=100s> no expiry"}},
            {.what = "a copy does not shorten what was prolonged since",
             .before = {number("0"), for_ever(one)},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "nil",
             .reply_to_a_repeat = "nil",
             .after = {"permits 0 no expiry", timeouts + " <" + one + "=never> no expiry"}},
            {.what = "undone",
             .before = {number("1"), {"SET", undone, "0"}},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, lease_ms, one},
             .reply = "-1",
             .reply_to_a_repeat = "-1",
             .after = {"permits 1 no expiry", undone + " 0 no expiry"}},
            {.what = "an expiry holds for the permits as well",
             .before = {{"SET", "permits", "2", "PX", lease_ms}},
             .keys = keys,
             .arguments = {"PUBLISH", permit_channel, "0", one},
             .reply = "[1 -1]",
             .reply_to_a_repeat = "nil",
             .after = {"permits 1 100s", timeouts + " <" + one + "=never> 100s"}},
        });
}

TEST_P(permit_script, sets_leases_anew) {
    run(permit_lease, {
                          {.what = "one for ever, and one that is not there",
                           .before = {number("0"), leased(one)},
                           .keys = about(),
                           .arguments = {"PUBLISH", permit_channel, "0", one, two},
                           .reply = "[2]",
                           .reply_to_a_repeat = "[2]",
                           .after = {"permits 0 no expiry", timeouts + " <" + one + "=never> no expiry"}},
                          {.what = "shorter",
                           .before = {number("0"), for_ever(one)},
                           .keys = about(),
                           .arguments = {"PUBLISH", permit_channel, lease_ms, one},
                           .reply = "[]",
                           .reply_to_a_repeat = "[]",
                           .after = {"permits 0 no expiry", timeouts + " <" + one + "=100s> no expiry"},
                           .told = {permit_channel + " 1"}},
                          {.what = "longer",
                           .before = {number("0"), leased(one)},
                           .keys = about(),
                           .arguments = {"PUBLISH", permit_channel, "200000", one},
                           .reply = "[]",
                           .reply_to_a_repeat = "[]",
                           .after = {"permits 0 no expiry", timeouts + " <" + one + "=200s> no expiry"}},
                          {.what = "one whose lease is over",
                           .before = {number("0"), ended(one)},
                           .keys = about(),
                           .arguments = {"PUBLISH", permit_channel, lease_ms, one},
                           .reply = "[1]",
                           .reply_to_a_repeat = "[1]",
                           .after = {"permits 1 no expiry"},
                           .told = {permit_channel + " 1"}},
                      });
}

TEST_P(permit_script, renews_leases_of_which_less_is_left) {
    run(permit_renew,
        {
            {.what = "one that is longer, and one that is not there",
             .before = {number("0"), for_ever(one), leased(two)},
             .keys = {timeouts},
             .arguments = {"200000", one, two, "permit-number-03"},
             .reply = "[3]",
             .reply_to_a_repeat = "[3]",
             .after = {"permits 0 no expiry", timeouts + " <" + two + "=200s " + one + "=never> no expiry"}},
            {.what = "one whose lease is over",
             .before = {number("0"), ended(one)},
             .keys = {timeouts},
             .arguments = {lease_ms, one},
             .reply = "[1]",
             .reply_to_a_repeat = "[1]",
             .after = {"permits 0 no expiry", timeouts + " <" + one + "=over> no expiry"}},
            {.what = "nothing",
             .keys = {timeouts},
             .arguments = {lease_ms, one},
             .reply = "[1]",
             .reply_to_a_repeat = "[1]"},
        });
}

TEST_P(permit_script, tells_what_there_is) {
    run(permit_look, {
                         {.what = "nothing",
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel},
                          .reply = "[0 0 -2 0]",
                          .reply_to_a_repeat = "[0 0 -2 0]",
                          .after = {}},
                         {.what = "free ones, taken ones, and one whose lease is over",
                          .before = {number("3"), leased(one), ended(two)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, one},
                          .reply = "[4 1 100s 1]",
                          .reply_to_a_repeat = "[4 1 100s 1]",
                          .after = {"permits 4 no expiry", timeouts + " <" + one + "=100s> no expiry"},
                          .told = {permit_channel + " 4"}},
                         {.what = "one for ever",
                          .before = {number("-1"), for_ever(one)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, one},
                          .reply = "[-1 1 -1 1]",
                          .reply_to_a_repeat = "[-1 1 -1 1]",
                          .after = {"permits -1 no expiry", timeouts + " <" + one + "=never> no expiry"}},
                     });
}

TEST_P(permit_script, changes_how_many_there_are) {
    run(permit_set,
        {
            {.what = "in all, taken ones included",
             .before = {number("1"), leased(one)},
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "5", "1"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits 4 no expiry", timeouts + " <" + one + "=100s> no expiry"},
             .told = {permit_channel + " 4"}},
            {.what = "fewer than are taken",
             .before = {number("0"), leased(one), leased(two)},
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "1", "1"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits -1 no expiry", timeouts + " <" + one + "=100s " + two + "=100s> no expiry"}},
            {.what = "in all, where nothing is set",
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "2", "1"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits 2 no expiry"},
             .told = {permit_channel + " 2"}},
            {.what = "in all, where somebody has deleted the number of those that are taken",
             .before = {leased(one), ended(two)},
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "5", "1"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits 3 no expiry", timeouts + " <" + two + "=over " + one + "=100s> no expiry"},
             .told = {permit_channel + " 3"}},
            {.what = "in all: what comes back is counted once",
             .before = {number("1"), ended(one)},
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "2", "1"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits 1 no expiry", timeouts + " <" + one + "=over> no expiry"}},
            {.what = "more, once; an expiry stays",
             .before = {{"SET", "permits", "1", "PX", lease_ms}},
             .keys = about({undone}),
             .arguments = {"PUBLISH", permit_channel, "2", "0", "60000"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits 3 100s", undone + " 1 60s"},
             .told = {permit_channel + " 3"}},
            {.what = "fewer",
             .before = {number("1")},
             .keys = about(),
             .arguments = {"PUBLISH", permit_channel, "-2", "0"},
             .reply = "1",
             .reply_to_a_repeat = "1",
             .after = {"permits -1 no expiry"},
             .after_a_repeat = {{"permits -3 no expiry"}}},
            {.what = "more than a number can count",
             .before = {number("9223372036854775807")},
             .keys = about({undone}),
             .arguments = {"PUBLISH", permit_channel, "1", "0", "60000"},
             .reply = "!ERR",
             .reply_to_a_repeat = "!ERR",
             .after = {"permits 9223372036854775807 no expiry"}},
        });
}

TEST_P(permit_script, removes_the_number_and_the_permits) {
    run(permit_remove, {
                           {.what = "both",
                            .before = {number("1"), leased(one)},
                            .keys = {"permits", timeouts},
                            .arguments = {},
                            .reply = "1",
                            .reply_to_a_repeat = "0",
                            .after = {}},
                           {.what = "both, with a record",
                            .before = {number("1"), leased(one)},
                            .keys = {"permits", timeouts, undone},
                            .arguments = {"60000"},
                            .reply = "1",
                            .reply_to_a_repeat = "1",
                            .after = {undone + " 1 60s"}},
                           {.what = "nothing",
                            .keys = {"permits", timeouts},
                            .arguments = {},
                            .reply = "0",
                            .reply_to_a_repeat = "0",
                            .after = {}},
                       });
}

TEST_P(permit_script, changes_nothing_where_the_keys_are_something_else) {
    struct call_of {
        locking::script const& script;
        words arguments;
    };
    std::vector<call_of> const calls{{permit_acquire, {"PUBLISH", permit_channel, lease_ms, one}},
                                     {permit_release, {"PUBLISH", permit_channel, "0", one}},
                                     {permit_release, {"PUBLISH", permit_channel, "1", one}},
                                     {permit_lease, {"PUBLISH", permit_channel, lease_ms, one}},
                                     {permit_look, {"PUBLISH", permit_channel, one}},
                                     {permit_set, {"PUBLISH", permit_channel, "5", "1"}},
                                     {permit_remove, {}}};
    std::vector<words> const hostile{{"HSET", "permits", "me:1", "1"}, {"SET", "permits", "many"},
                                     {"SET", "permits", "2.5"},        {"SET", "permits", ""},
                                     {"SET", timeouts, "soon"},        {"RPUSH", timeouts, one}};
    for (auto const& step : hostile) {
        for (auto const& each : calls) {
            SCOPED_TRACE(std::string(each.script.name) + " beside " + step.at(0) + " " + step.at(1));
            command({"FLUSHALL"});
            if (step.at(1) == timeouts) command(number("3"));
            command(step);
            auto const before = state();
            auto keys = about();
            if (&each.script == &permit_acquire) keys.push_back(undone);
            EXPECT_EQ(shown(call(each.script, keys, each.arguments)), "!WRONGTYPE");
            EXPECT_EQ(state(), before);
        }
    }
}

TEST_P(permit_script, says_that_this_user_may_not_publish) {
    auto poor = restricted({"-publish"});
    command(number("0"));
    command(leased(one));
    EXPECT_EQ(shown(call(poor, permit_release, about(), {"PUBLISH", permit_channel, "0", one})), "2");
    command(leased(two));
    EXPECT_EQ(shown(call(poor, permit_release, about(), {"PUBLISH", permit_channel, "1", two})), "2");
    EXPECT_EQ(shown(call(poor, permit_set, about(), {"PUBLISH", permit_channel, "5", "1"})), "2");
    EXPECT_EQ(shown(call(poor, permit_acquire, about({undone}), {"PUBLISH", permit_channel, lease_ms, one})), "[4 -1]");
}

TEST_P(permit_script, changes_no_number_for_a_user_who_may_not_change_the_permits) {
    auto poor = restricted({"-zadd", "-zrem"});
    command(number("2"));
    command(ended(one));
    EXPECT_TRUE(connection::is_missing_right(
        call(poor, permit_acquire, about({undone}), {"PUBLISH", permit_channel, lease_ms, two})));
    for (auto const* const known : {"0", "1"})
        EXPECT_TRUE(
            connection::is_missing_right(call(poor, permit_release, about(), {"PUBLISH", permit_channel, known, one})));
    EXPECT_TRUE(connection::is_missing_right(call(poor, permit_look, about(), {"PUBLISH", permit_channel})));
    EXPECT_TRUE(connection::is_missing_right(call(poor, permit_lease, about(), {"PUBLISH", permit_channel, "0", one})));
    EXPECT_EQ(state(), (std::vector<std::string>{"permits 2 no expiry", timeouts + " <" + one + "=over> no expiry"}));
}

/// A thousand of them come back at a time; all are counted.
TEST_P(permit_script, takes_back_however_many_there_are) {
    command(number("0"));
    constexpr int many = 2'500;
    for (int i = 0; i < many; ++i) command(ended("permit-" + std::to_string(100'000'000 + i)));
    for (auto const* const back : {"1000", "2000", "2500", "2500"}) {
        auto const seen = call(permit_look, about(), {"PUBLISH", permit_channel});
        ASSERT_EQ(seen.items.size(), 4U);
        EXPECT_EQ(seen.items[0].integer, many);
        EXPECT_EQ(seen.items[1].integer, 0);
        EXPECT_EQ(command({"GET", "permits"}).text, back);
    }
}

} // namespace
} // namespace redlatch::test
