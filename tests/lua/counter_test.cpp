// semaphore_* , latch_count_down, counter_set and counter_remove.
#include "connection/server_error.hpp"
#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::counter_mark;
using locking::scripts::counter_remove;
using locking::scripts::counter_set;
using locking::scripts::latch_count_down;
using locking::scripts::semaphore_acquire;
using locking::scripts::semaphore_drain;
using locking::scripts::semaphore_release;
using locking::scripts::semaphore_undo;

std::string const channel = "redisson_sc:{permits}";
std::string const record = "redlatch_request:{permits}:me:1";
std::string const gate = "redisson_countdownlatch__channel__{gate}";
std::string const gate_record = "redlatch_request:{gate}:me:1";

words set(std::string const& key, std::string const& value) {
    return {"SET", key, value};
}

class counter_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(counter_script);

TEST_P(counter_script, takes_permits_all_or_none) {
    run(semaphore_acquire, {
                               {.what = "more than enough",
                                .before = {set("permits", "5")},
                                .keys = {"permits"},
                                .arguments = {"2"},
                                .reply = "4",
                                .reply_to_a_repeat = "2",
                                .after = {"permits 3 no expiry"},
                                .after_a_repeat = {{"permits 1 no expiry"}}},
                               {.what = "just enough",
                                .before = {set("permits", "2")},
                                .keys = {"permits"},
                                .arguments = {"2"},
                                .reply = "1",
                                .reply_to_a_repeat = "0",
                                .after = {"permits 0 no expiry"}},
                               {.what = "too few",
                                .before = {set("permits", "1")},
                                .keys = {"permits"},
                                .arguments = {"2"},
                                .reply = "0",
                                .reply_to_a_repeat = "0",
                                .after = {"permits 1 no expiry"}},
                               {.what = "not set",
                                .keys = {"permits"},
                                .arguments = {"1"},
                                .reply = "0",
                                .reply_to_a_repeat = "0",
                                .after = {}},
                               {.what = "below zero",
                                .before = {set("permits", "-3")},
                                .keys = {"permits"},
                                .arguments = {"1"},
                                .reply = "0",
                                .reply_to_a_repeat = "0",
                                .after = {"permits -3 no expiry"}},
                               {.what = "an expiry stays",
                                .before = {{"SET", "permits", "3", "PX", "100000"}},
                                .keys = {"permits"},
                                .arguments = {"1"},
                                .reply = "3",
                                .reply_to_a_repeat = "2",
                                .after = {"permits 2 100s"},
                                .after_a_repeat = {{"permits 1 100s"}}},
                               {.what = "with a record: once",
                                .before = {set("permits", "5")},
                                .keys = {"permits", record},
                                .arguments = {"2", "60000"},
                                .reply = "4",
                                .reply_to_a_repeat = "4",
                                .after = {"permits 3 no expiry", record + " 4 60s"}},
                               {.what = "a refusal leaves no record",
                                .before = {set("permits", "1")},
                                .keys = {"permits", record},
                                .arguments = {"2", "60000"},
                                .reply = "0",
                                .reply_to_a_repeat = "0",
                                .after = {"permits 1 no expiry"}},
                               {.what = "a lock of that name",
                                .before = {{"HSET", "permits", "me:1", "1"}},
                                .keys = {"permits"},
                                .arguments = {"1"},
                                .reply = "!WRONGTYPE",
                                .reply_to_a_repeat = "!WRONGTYPE",
                                .after = {"permits {me:1=1} no expiry"}},
                               {.what = "a text of that name",
                                .before = {set("permits", "many")},
                                .keys = {"permits"},
                                .arguments = {"1"},
                                .reply = "!WRONGTYPE",
                                .reply_to_a_repeat = "!WRONGTYPE",
                                .after = {"permits many no expiry"}},
                               {.what = "a number that is no whole one",
                                .before = {set("permits", "2.5")},
                                .keys = {"permits", record},
                                .arguments = {"1", "60000"},
                                .reply = "!WRONGTYPE",
                                .reply_to_a_repeat = "!WRONGTYPE",
                                .after = {"permits 2.5 no expiry"}},
                           });
}

TEST_P(counter_script, adds_permits_and_tells_how_many_there_are) {
    run(semaphore_release, {
                               {.what = "set",
                                .before = {set("permits", "1")},
                                .keys = {"permits"},
                                .arguments = {"2", "PUBLISH", channel, "0"},
                                .reply = "4",
                                .reply_to_a_repeat = "4",
                                .after = {"permits 3 no expiry"},
                                .after_a_repeat = {{"permits 5 no expiry"}},
                                .told = {channel + " 3", channel + " 5"}},
                               {.what = "not set",
                                .keys = {"permits"},
                                .arguments = {"2", "PUBLISH", channel, "0"},
                                .reply = "4",
                                .reply_to_a_repeat = "4",
                                .after = {"permits 2 no expiry"},
                                .after_a_repeat = {{"permits 4 no expiry"}},
                                .told = {channel + " 2", channel + " 4"}},
                               {.what = "not set, and it has to be",
                                .keys = {"permits", record},
                                .arguments = {"2", "PUBLISH", channel, "1", "60000"},
                                .reply = "0",
                                .reply_to_a_repeat = "0",
                                .after = {record + " 0 60s"}},
                               {.what = "set, as it has to be, with an expiry",
                                .before = {{"SET", "permits", "0", "PX", "100000"}},
                                .keys = {"permits", record},
                                .arguments = {"2", "PUBLISH", channel, "1", "60000"},
                                .reply = "4",
                                .reply_to_a_repeat = "1",
                                .after = {"permits 2 100s", record + " 1 60s"},
                                .told = {channel + " 2"}},
                               {.what = "fewer",
                                .before = {set("permits", "1")},
                                .keys = {"permits", record},
                                .arguments = {"-3", "PUBLISH", channel, "0", "60000"},
                                .reply = "4",
                                .reply_to_a_repeat = "1",
                                .after = {"permits -2 no expiry", record + " 1 60s"},
                                .told = {channel + " -2"}},
                               {.what = "more than a number can count",
                                .before = {set("permits", "9223372036854775807")},
                                .keys = {"permits", record},
                                .arguments = {"1", "PUBLISH", channel, "0", "60000"},
                                .reply = "!ERR",
                                .reply_to_a_repeat = "!ERR",
                                .after = {"permits 9223372036854775807 no expiry"}},
                               {.what = "a lock of that name",
                                .before = {{"HSET", "permits", "me:1", "1"}},
                                .keys = {"permits"},
                                .arguments = {"1", "PUBLISH", channel, "0"},
                                .reply = "!WRONGTYPE",
                                .reply_to_a_repeat = "!WRONGTYPE",
                                .after = {"permits {me:1=1} no expiry"}},
                           });
}

TEST_P(counter_script, gives_back_what_was_taken_and_no_more) {
    run(semaphore_undo, {
                            {.what = "taken",
                             .before = {set("permits", "1"), set(record, "1")},
                             .keys = {"permits", record},
                             .arguments = {"2", "PUBLISH", channel, "60000"},
                             .reply = "1",
                             .reply_to_a_repeat = "0",
                             .after = {"permits 3 no expiry", record + " 0 60s"},
                             .told = {channel + " 3"}},
                            {.what = "taken, and the semaphore is gone",
                             .before = {set(record, "1")},
                             .keys = {"permits", record},
                             .arguments = {"2", "PUBLISH", channel, "60000"},
                             .reply = "0",
                             .reply_to_a_repeat = "0",
                             .after = {record + " 0 60s"}},
                            {.what = "not taken",
                             .before = {set("permits", "1")},
                             .keys = {"permits", record},
                             .arguments = {"2", "PUBLISH", channel, "60000"},
                             .reply = "0",
                             .reply_to_a_repeat = "0",
                             .after = {"permits 1 no expiry", record + " 0 60s"}},
                        });
}

TEST_P(counter_script, lets_a_late_copy_of_an_undone_acquisition_take_nothing) {
    command(set("permits", "1"));
    EXPECT_EQ(shown(call(semaphore_undo, {"permits", record}, {"1", "PUBLISH", channel, "60000"})), "0");
    EXPECT_EQ(shown(call(semaphore_acquire, {"permits", record}, {"1", "60000"})), "0") << "nobody hears it";
    EXPECT_EQ(state(), (std::vector<std::string>{"permits 1 no expiry", record + " 0 60s"}));
}

TEST_P(counter_script, drains) {
    run(semaphore_drain, {
                             {.what = "some",
                              .before = {{"SET", "permits", "5", "PX", "100000"}},
                              .keys = {"permits"},
                              .arguments = {},
                              .reply = "5",
                              .reply_to_a_repeat = "0",
                              .after = {"permits 0 100s"}},
                             {.what = "some, with a record",
                              .before = {set("permits", "5")},
                              .keys = {"permits", record},
                              .arguments = {"60000"},
                              .reply = "5",
                              .reply_to_a_repeat = "5",
                              .after = {"permits 0 no expiry", record + " 5 60s"}},
                             {.what = "none",
                              .keys = {"permits", record},
                              .arguments = {"60000"},
                              .reply = "0",
                              .reply_to_a_repeat = "0",
                              .after = {record + " 0 60s"}},
                             {.what = "fewer than none",
                              .before = {set("permits", "-5")},
                              .keys = {"permits"},
                              .arguments = {},
                              .reply = "-5",
                              .reply_to_a_repeat = "0",
                              .after = {"permits 0 no expiry"}},
                         });
}

TEST_P(counter_script, writes_once_more_what_it_knows_of) {
    run(counter_mark, {
                          {.what = "an acquisition, of a number with an expiry",
                           .before = {{"SET", "permits", "-5", "PX", "100000"}, {"SET", record, "1", "PX", "60000"}},
                           .keys = {"permits", record},
                           .arguments = {},
                           .reply = "1",
                           .reply_to_a_repeat = "1",
                           .after = {"permits -5 100s", record + " 1 60s"}},
                          {.what = "one that this server has never heard of",
                           .before = {set("permits", "3")},
                           .keys = {"permits", record},
                           .arguments = {},
                           .reply = "0",
                           .reply_to_a_repeat = "0",
                           .after = {"permits 3 no expiry"}},
                          {.what = "one that was undone, or was in vain",
                           .before = {set("permits", "3"), {"SET", record, "0", "PX", "60000"}},
                           .keys = {"permits", record},
                           .arguments = {},
                           .reply = "0",
                           .reply_to_a_repeat = "0",
                           .after = {"permits 3 no expiry", record + " 0 60s"}},
                          {.what = "of a semaphore that was deleted",
                           .before = {{"SET", record, "1", "PX", "60000"}},
                           .keys = {"permits", record},
                           .arguments = {},
                           .reply = "0",
                           .reply_to_a_repeat = "0",
                           .after = {record + " 1 60s"}},
                      });
    auto const ids = [&](words const& all) { return shown(call(counter_mark, {"permits", "{permits}:timeout"}, all)); };
    command({"FLUSHALL"});
    command(set("permits", "1"));
    command({"ZADD", "{permits}:timeout", "1", "one", "2", "two"});
    EXPECT_EQ(ids({"one", "two"}), "1");
    EXPECT_EQ(ids({"one", "three"}), "0") << "one of several is not there";
}

TEST_P(counter_script, sets_what_is_not_set) {
    run(counter_set, {
                         {.what = "not set",
                          .keys = {"permits"},
                          .arguments = {"7", "PUBLISH", channel, "7", "0"},
                          .reply = "1",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 7 no expiry"},
                          .told = {channel + " 7"}},
                         {.what = "not set, with an expiry and a record",
                          .keys = {"permits", record},
                          .arguments = {"7", "PUBLISH", channel, "7", "100000", "60000"},
                          .reply = "1",
                          .reply_to_a_repeat = "1",
                          .after = {"permits 7 100s", record + " 1 60s"},
                          .told = {channel + " 7"}},
                         {.what = "set",
                          .before = {set("permits", "1")},
                          .keys = {"permits", record},
                          .arguments = {"7", "PUBLISH", channel, "7", "0", "60000"},
                          .reply = "0",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 1 no expiry", record + " 0 60s"}},
                         {.what = "an expiry that the server cannot count",
                          .keys = {"permits", record},
                          .arguments = {"7", "PUBLISH", channel, "7", "9223372036854775807", "60000"},
                          .reply = "!ERR",
                          .reply_to_a_repeat = "!ERR",
                          .after = {}},
                         {.what = "a lock of that name",
                          .before = {{"HSET", "permits", "me:1", "1"}},
                          .keys = {"permits"},
                          .arguments = {"7", "PUBLISH", channel, "7", "0"},
                          .reply = "0",
                          .reply_to_a_repeat = "0",
                          .after = {"permits {me:1=1} no expiry"}},
                     });
}

TEST_P(counter_script, removes) {
    run(counter_remove, {
                            {.what = "a semaphore",
                             .before = {set("permits", "1")},
                             .keys = {"permits"},
                             .arguments = {"PUBLISH", channel, ""},
                             .reply = "1",
                             .reply_to_a_repeat = "0",
                             .after = {}},
                            {.what = "a latch, with a record",
                             .before = {set("gate", "1")},
                             .keys = {"gate", gate_record},
                             .arguments = {"PUBLISH", gate, "0", "60000"},
                             .reply = "1",
                             .reply_to_a_repeat = "1",
                             .after = {gate_record + " 1 60s"},
                             .told = {gate + " 0"}},
                            {.what = "nothing, with a record",
                             .keys = {"gate", gate_record},
                             .arguments = {"PUBLISH", gate, "0", "60000"},
                             .reply = "0",
                             .reply_to_a_repeat = "0",
                             .after = {gate_record + " 0 60s"}},
                            {.what = "a latch",
                             .before = {set("gate", "1")},
                             .keys = {"gate"},
                             .arguments = {"PUBLISH", gate, "0"},
                             .reply = "1",
                             .reply_to_a_repeat = "0",
                             .after = {},
                             .told = {gate + " 0"}},
                            {.what = "a text of that name",
                             .before = {set("gate", "open")},
                             .keys = {"gate"},
                             .arguments = {"PUBLISH", gate, "0"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"gate open no expiry"}},
                            {.what = "a lock of that name",
                             .before = {{"HSET", "gate", "me:1", "1"}},
                             .keys = {"gate"},
                             .arguments = {"PUBLISH", gate, "0"},
                             .reply = "!WRONGTYPE",
                             .reply_to_a_repeat = "!WRONGTYPE",
                             .after = {"gate {me:1=1} no expiry"}},
                        });
}

TEST_P(counter_script, counts_a_latch_down_and_opens_it_at_zero) {
    run(latch_count_down, {
                              {.what = "more than one",
                               .before = {set("gate", "3")},
                               .keys = {"gate"},
                               .arguments = {"PUBLISH", gate},
                               .reply = "2",
                               .reply_to_a_repeat = "1",
                               .after = {"gate 2 no expiry"},
                               .after_a_repeat = {{"gate 1 no expiry"}}},
                              {.what = "the last one",
                               .before = {set("gate", "1")},
                               .keys = {"gate"},
                               .arguments = {"PUBLISH", gate},
                               .reply = "0",
                               .reply_to_a_repeat = "-1",
                               .after = {},
                               .told = {gate + " 0"}},
                              {.what = "the last one, with a record",
                               .before = {set("gate", "1")},
                               .keys = {"gate", gate_record},
                               .arguments = {"PUBLISH", gate, "60000"},
                               .reply = "0",
                               .reply_to_a_repeat = "0",
                               .after = {gate_record + " 0 60s"},
                               .told = {gate + " 0"}},
                              {.what = "more than one, with a record",
                               .before = {set("gate", "3")},
                               .keys = {"gate", gate_record},
                               .arguments = {"PUBLISH", gate, "60000"},
                               .reply = "2",
                               .reply_to_a_repeat = "2",
                               .after = {"gate 2 no expiry", gate_record + " 2 60s"}},
                              {.what = "not set",
                               .keys = {"gate", gate_record},
                               .arguments = {"PUBLISH", gate, "60000"},
                               .reply = "-1",
                               .reply_to_a_repeat = "-1",
                               .after = {gate_record + " -1 60s"}},
                              {.what = "zero, as Java can set it, or as a semaphore without free permits has it",
                               .before = {set("gate", "0")},
                               .keys = {"gate"},
                               .arguments = {"PUBLISH", gate},
                               .reply = "-1",
                               .reply_to_a_repeat = "-1",
                               .after = {"gate 0 no expiry"}},
                              {.what = "zero, with a record",
                               .before = {set("gate", "0")},
                               .keys = {"gate", gate_record},
                               .arguments = {"PUBLISH", gate, "60000"},
                               .reply = "-1",
                               .reply_to_a_repeat = "-1",
                               .after = {"gate 0 no expiry", gate_record + " -1 60s"}},
                              {.what = "a text of that name",
                               .before = {set("gate", "open")},
                               .keys = {"gate"},
                               .arguments = {"PUBLISH", gate},
                               .reply = "!WRONGTYPE",
                               .reply_to_a_repeat = "!WRONGTYPE",
                               .after = {"gate open no expiry"}},
                          });
}

/// Lua takes them for numbers, INCRBY does not.
TEST_P(counter_script, refuses_what_is_no_decimal_integer_and_changes_nothing) {
    struct one {
        locking::script const& script;
        words arguments;
    };
    std::vector<one> const all{{semaphore_acquire, {"1"}},
                               {semaphore_release, {"1", "PUBLISH", "channel", "0"}},
                               {semaphore_drain, {}},
                               {latch_count_down, {"PUBLISH", "channel"}},
                               {counter_remove, {"PUBLISH", "channel", ""}}};
    for (auto const* const value : {"0x10", "-0x1", "1.5", " 5", "1e3", ""}) {
        command({"SET", "permits", value});
        for (auto const& each : all) {
            SCOPED_TRACE(std::string(each.script.name) + " of '" + value + "'");
            EXPECT_TRUE(call(each.script, {"permits"}, each.arguments).is_error_named("WRONGTYPE"));
            EXPECT_EQ(command({"GET", "permits"}).text, value);
        }
    }
}

TEST_P(counter_script, answers_with_an_integer_however_many_there_are) {
    command({"SET", "permits", "9223372036854775807"});
    EXPECT_EQ(call(semaphore_acquire, {"permits"}, {"7"}).integer, 1'000'000'001);
    EXPECT_EQ(command({"GET", "permits"}).text, "9223372036854775800");
}

TEST_P(counter_script, says_that_this_user_may_not_publish) {
    command(set("permits", "1"));
    command(set("gate", "1"));
    command(set("other", "1"));
    auto poor = restricted({"-publish"});
    EXPECT_EQ(shown(call(poor, semaphore_release, {"permits", record}, {"1", "PUBLISH", channel, "0", "60000"})), "2");
    EXPECT_EQ(shown(call(poor, latch_count_down, {"gate"}, {"PUBLISH", gate})), "-2");
    EXPECT_EQ(shown(call(poor, counter_remove, {"other"}, {"PUBLISH", gate, "0"})), "2");
    EXPECT_EQ(shown(call(poor, counter_set, {"new"}, {"1", "PUBLISH", channel, "1", "0"})), "2");
    EXPECT_EQ(state(), (std::vector<std::string>{"new 1 no expiry", "permits 2 no expiry", record + " 1 60s"}));
}

TEST_P(counter_script, leaves_no_record_of_what_it_was_not_allowed_to_do) {
    command(set("permits", "2"));
    command(set("gate", "2"));
    auto poor = restricted({"-decrby", "-incrby", "-decr"});
    EXPECT_TRUE(connection::is_missing_right(call(poor, semaphore_acquire, {"permits", record}, {"1", "60000"})));
    EXPECT_TRUE(connection::is_missing_right(call(poor, semaphore_drain, {"permits", record}, {"60000"})));
    EXPECT_TRUE(connection::is_missing_right(
        call(poor, semaphore_release, {"permits", record}, {"1", "PUBLISH", channel, "0", "60000"})));
    EXPECT_TRUE(
        connection::is_missing_right(call(poor, latch_count_down, {"gate", gate_record}, {"PUBLISH", gate, "60000"})));
    EXPECT_EQ(state(), (std::vector<std::string>{"gate 2 no expiry", "permits 2 no expiry"}));
}

} // namespace
} // namespace redlatch::test
