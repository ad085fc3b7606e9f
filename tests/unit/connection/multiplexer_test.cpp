#include "connection/scripted_lane.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::integer;
using scripted::make_sleeper;
using scripted::ms;
using scripted::status;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = call::state;

TEST(multiplexer, keeps_calls_until_there_is_a_connection_and_their_order_then) {
    scripted_lane lane;
    auto const a = lane.submit("A");
    auto const b = lane.submit("B");
    EXPECT_EQ(a->status.load(), state::waiting);
    EXPECT_FALSE(lane.traffic.expects_reply());
    EXPECT_TRUE(lane.traffic.out.empty());
    lane.up(who(1));
    auto const c = lane.submit("C");
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("A", "B", "C"));
    EXPECT_EQ(a->status.load(), state::staged);
    EXPECT_EQ(lane.traffic.due(), 3U);
    EXPECT_EQ(lane.traffic.commands(), 3U);
}

TEST(multiplexer, gives_replies_to_the_calls_in_their_order) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    auto const b = lane.submit("B");
    lane.send();
    EXPECT_TRUE(lane.reply(integer(1)));
    EXPECT_EQ(a->status.load(), state::answered);
    EXPECT_EQ(a->reply.integer, 1);
    EXPECT_FALSE(b->finished());
    EXPECT_TRUE(lane.reply(scripted::error("ERR no")));
    EXPECT_EQ(b->reply.text, "ERR no");
    EXPECT_FALSE(a->repeated());
    EXPECT_FALSE(a->late_copy_possible);
    EXPECT_FALSE(lane.traffic.expects_reply());
}

TEST(multiplexer, wakes_a_caller_once_and_lets_go_of_him) {
    scripted_lane lane;
    lane.up(who(1));
    auto sleeper = make_sleeper();
    auto const other = make_sleeper();
    auto const a = lane.submit("A", sleeper);
    lane.submit("B", other);
    lane.send();
    lane.reply(integer(1));
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_EQ(other->times, 0);
    std::weak_ptr const watched = std::exchange(sleeper, nullptr);
    EXPECT_TRUE(watched.expired());
}

TEST(multiplexer, refuses_a_reply_that_nobody_asked_for) {
    scripted_lane lane;
    lane.up(who(1));
    EXPECT_FALSE(lane.reply(integer(1)));
    lane.submit("A");
    lane.send();
    EXPECT_TRUE(lane.reply(integer(1)));
    EXPECT_FALSE(lane.reply(integer(1)));
}

TEST(multiplexer, counts_the_time_of_the_last_copy_that_was_handed_over) {
    scripted_lane lane;
    lane.now = at(1s);
    auto const a = lane.submit("A");
    lane.now = at(2s);
    lane.up(who(1));
    lane.send();
    EXPECT_EQ(ms(a->sent_at), 2'000);
    lane.now = at(5s);
    lane.down();
    lane.now = at(9s);
    lane.up(who(2));
    lane.send();
    lane.reply(integer(0));
    lane.reply(integer(1));
    EXPECT_EQ(ms(a->sent_at), 9'000);
}

// --- a connection is lost

TEST(multiplexer, takes_a_call_of_which_nothing_was_sent_as_new) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    lane.down();
    EXPECT_EQ(a->status.load(), state::waiting);
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("A")) << "no predecessor kill: there is nothing to keep out";
    lane.reply(integer(1));
    EXPECT_FALSE(a->repeated());
}

TEST(multiplexer, takes_a_call_that_the_operating_system_did_not_take_as_new) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    auto const b = lane.submit("B");
    lane.send(b->bytes.size());
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), "A", "B"));
    lane.reply(integer(1));
    lane.reply(integer(1));
    lane.reply(integer(1));
    EXPECT_TRUE(a->repeated());
    EXPECT_FALSE(b->repeated());
}

TEST(multiplexer, repeats_a_call_of_which_one_byte_was_sent_behind_a_predecessor_kill) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    lane.send(a->bytes.size() - 1);
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), "A"));
    lane.reply(integer(1));
    EXPECT_FALSE(a->finished()) << "that was the predecessor kill's answer";
    lane.reply(integer(7));
    EXPECT_EQ(a->reply.integer, 7);
    EXPECT_TRUE(a->repeated());
    EXPECT_FALSE(a->late_copy_possible);
}

TEST(multiplexer, writes_the_rest_later_and_counts_it_as_sent_then) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    auto const b = lane.submit("B");
    lane.send(b->bytes.size());
    lane.traffic.out.tried_again(b->bytes.size());
    lane.down();
    lane.up(who(2));
    lane.send();
    lane.reply(integer(1));
    lane.reply(integer(1));
    lane.reply(integer(1));
    EXPECT_TRUE(b->repeated());
}

TEST(multiplexer, repeats_in_the_old_order_and_before_what_came_meanwhile) {
    scripted_lane lane;
    lane.up(who(1));
    lane.submit("A");
    lane.submit("B");
    lane.send();
    lane.reply(integer(1));
    lane.submit("C");
    lane.down();
    lane.submit("D");
    lane.up(who(2));
    lane.submit("E");
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), "B", "C", "D", "E"));
}

TEST(multiplexer, tells_whoever_leaves_a_call_that_its_predecessor_kill_was_refused) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    lane.send();
    lane.down();
    lane.up(who(2));
    lane.send();
    lane.reply(scripted::error("NOPERM no CLIENT KILL"));
    EXPECT_TRUE(lane.traffic.abandon(a));
    EXPECT_TRUE(a->late_copy_possible) << "nobody will see its answer, which would say so";
}

TEST(multiplexer, needs_no_predecessor_kill_when_every_call_was_answered) {
    scripted_lane lane;
    lane.up(who(1));
    lane.submit("A");
    lane.send();
    lane.reply(integer(1));
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), IsEmpty());
}

/// Two calls answered, a third under way, a fourth abandoned.
scripted::dialogue<scripted_lane> const four_calls = {
    {"a connection", [](scripted_lane& lane) { lane.up(who(1)); }},
    {"call A", [](scripted_lane& lane) { lane.submit("A"); }},
    {"call B", [](scripted_lane& lane) { lane.submit("B"); }},
    {"A and half of B are sent", [](scripted_lane& lane) { lane.send(4); }},
    {"the rest of B is sent",
     [](scripted_lane& lane) {
         lane.traffic.out.tried_again(4);
         lane.sent += "B\r\n";
     }},
    {"A is answered", [](scripted_lane& lane) { lane.reply(status("A")); }},
    {"call C", [](scripted_lane& lane) { lane.submit("C"); }},
    {"B is answered", [](scripted_lane& lane) { lane.reply(status("B")); }},
    {"C is sent", [](scripted_lane& lane) { lane.send(); }},
    {"call D, abandoned", [](scripted_lane& lane) { lane.traffic.abandon(lane.submit("D")); }},
    {"D is sent", [](scripted_lane& lane) { lane.send(); }},
    {"C is answered", [](scripted_lane& lane) { lane.reply(status("C")); }},
    {"D is answered", [](scripted_lane& lane) { lane.reply(status("D")); }},
};

TEST(multiplexer, asks_again_for_exactly_what_is_unanswered_wherever_the_connection_breaks) {
    // What the second connection carries, after each step of the dialogue.
    std::vector<std::vector<std::string>> const carried = {
        {},                     // nothing
        {},                     // a connection
        {"A"},                  // call A: not sent
        {"A", "B"},             // call B: not sent
        {kill_of(1), "A", "B"}, // half of B
        {kill_of(1), "A", "B"}, // all of B
        {kill_of(1), "B"},      // A is answered
        {kill_of(1), "B", "C"}, // call C
        {"C"},                  // B is answered: C was not sent
        {kill_of(1), "C"},      // C is sent
        {kill_of(1), "C"},      // D, abandoned
        {kill_of(1), "C"},      // D is sent
        {kill_of(1)},           // C is answered: D may still run
        {},                     // D is answered
    };
    ASSERT_EQ(carried.size(), four_calls.size() + 1);
    scripted::fail_after_every_step(four_calls, [&](scripted_lane& lane, std::size_t steps) {
        if (steps > 0) lane.down();
        lane.up(who(2));
        lane.send();
        EXPECT_EQ(lane.commands(), carried[steps]);
        EXPECT_EQ(lane.traffic.due(), carried[steps].size());
        for (auto const& command : carried[steps]) EXPECT_TRUE(lane.reply(status(command)));
        EXPECT_FALSE(lane.traffic.expects_reply());
    });
}

TEST(multiplexer, ends_everything_unanswered_wherever_it_is_closed) {
    scripted::fail_after_every_step(four_calls, [&](scripted_lane& lane, std::size_t) {
        auto const sleeper = make_sleeper();
        auto const last = lane.submit("LAST", sleeper);
        lane.traffic.on_closed(lane.woken);
        lane.woken.wake_all();
        EXPECT_EQ(last->status.load(), state::closed);
        EXPECT_EQ(sleeper->times, 1);
        EXPECT_FALSE(lane.traffic.expects_reply());
        EXPECT_TRUE(lane.traffic.out.empty());
        EXPECT_FALSE(lane.traffic.up());
        auto const refused = lane.submit("TOO LATE", sleeper);
        EXPECT_EQ(refused->status.load(), state::closed);
        EXPECT_EQ(refused->waker, nullptr) << "a task that owns the call would keep itself";
    });
}

// --- bounds and pings

TEST(multiplexer, keeps_every_call_while_the_server_is_away) {
    scripted_lane lane;
    constexpr std::size_t many = 150'000;
    std::vector<call_ptr> calls;
    for (std::size_t i = 0; i < many; ++i) calls.push_back(lane.submit("A"));
    EXPECT_EQ(calls.back()->status.load(), state::waiting)
        << "a caller who waits is not told that the client was closed";
    lane.up(who(1));
    EXPECT_EQ(calls.back()->status.load(), state::staged);
    EXPECT_EQ(lane.traffic.due(), many);
}

TEST(multiplexer, sends_those_that_stay_in_their_order_when_others_have_given_up) {
    scripted_lane lane;
    std::vector<call_ptr> calls;
    for (auto const* const word : {"A", "B", "C", "D", "E"}) calls.push_back(lane.submit(word));
    for (auto const gone : {0U, 2U, 4U}) EXPECT_FALSE(lane.traffic.abandon(calls[gone])) << "nothing of it was sent";
    auto const last = lane.submit("F");
    lane.up(who(1));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("B", "D", "F"));
    for (auto const gone : {0U, 2U, 4U}) EXPECT_EQ(calls[gone].use_count(), 1) << "nobody keeps what was given up";
}

TEST(multiplexer, lets_go_of_calls_that_still_wait_when_it_ends) {
    auto const one = make_call("A");
    {
        scripted_lane lane;
        lane.traffic.submit(one, lane.now);
        EXPECT_GT(one.use_count(), 1);
    }
    EXPECT_EQ(one.use_count(), 1);
}

TEST(multiplexer, does_not_repeat_a_ping_and_needs_no_predecessor_kill_for_it) {
    scripted_lane lane;
    lane.traffic.stage_ping(lane.now);
    EXPECT_TRUE(lane.traffic.out.empty()) << "there is no connection";
    lane.up(who(1));
    lane.traffic.stage_ping(lane.now);
    EXPECT_TRUE(lane.traffic.expects_reply()) << "silence is suspicious now";
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("PING"));
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), IsEmpty());
}

TEST(multiplexer, swallows_the_answer_to_a_ping_between_those_to_calls) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    lane.traffic.stage_ping(lane.now);
    auto const b = lane.submit("B");
    lane.send();
    lane.reply(integer(1));
    EXPECT_TRUE(lane.reply(status("PONG")));
    EXPECT_FALSE(b->finished());
    lane.reply(integer(2));
    EXPECT_EQ(b->reply.integer, 2);
}

TEST(multiplexer, ends_a_call_for_once_with_its_connection) {
    scripted_lane lane;
    lane.up(who(1));
    auto const once = lane.submit_once("A");
    lane.send();
    EXPECT_EQ(once->status.load(), state::staged);
    auto const repeated = lane.submit("B");
    lane.down();
    EXPECT_EQ(once->status.load(), state::closed);
    EXPECT_EQ(repeated->status.load(), state::waiting);
}

TEST(multiplexer, does_not_send_a_call_for_once_that_waited_for_its_connection) {
    scripted_lane lane;
    auto const sleeper = make_sleeper();
    auto const late = lane.submit_once("A", sleeper);
    auto const other = lane.submit("B");
    lane.up(who(1));
    lane.woken.wake_all();
    lane.send();
    EXPECT_EQ(late->status.load(), state::closed);
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_THAT(lane.commands(), ElementsAre("B"));
    EXPECT_EQ(lane.submit_once("C")->status.load(), state::staged);
}

} // namespace
} // namespace redlatch::connection
