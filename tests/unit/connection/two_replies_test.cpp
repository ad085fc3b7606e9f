// Calls of two commands in one write: both replies belong to the call, and a connection that breaks between them ends it.
#include "connection/scripted_lane.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::error;
using scripted::integer;
using scripted::make_sleeper;
using ::testing::ElementsAre;
using state = call::state;

call_ptr submit_both(scripted_lane& lane, base::waker waker = {}) {
    auto one = make_call("HDEL", std::move(waker));
    one->bytes += resp::command("PUBLISH");
    one->replies = 2;
    lane.traffic.submit(one, lane.now);
    return one;
}

TEST(call_of_two_commands, is_answered_by_the_second_reply) {
    scripted_lane lane;
    lane.up(who(1));
    auto const sleeper = make_sleeper();
    auto const both = submit_both(lane, sleeper);
    auto const next = lane.submit("NEXT");
    lane.send();
    EXPECT_EQ(lane.traffic.commands(), 3U);
    EXPECT_TRUE(lane.reply(integer(1)));
    EXPECT_FALSE(both->finished());
    EXPECT_EQ(sleeper->times, 0);
    EXPECT_TRUE(lane.reply(integer(5)));
    EXPECT_TRUE(both->finished());
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_EQ(both->reply.integer, 1);
    EXPECT_EQ(both->second.integer, 5);
    EXPECT_FALSE(both->cut_short);
    EXPECT_FALSE(both->repeated());
    EXPECT_TRUE(lane.reply(integer(7)));
    EXPECT_EQ(next->reply.integer, 7);
}

TEST(call_of_two_commands, keeps_each_error_in_its_place) {
    scripted_lane lane;
    lane.up(who(1));
    auto const both = submit_both(lane);
    lane.send();
    lane.reply(error("ERR first"));
    lane.reply(integer(0));
    EXPECT_EQ(both->reply.text, "ERR first");
    EXPECT_EQ(both->second.integer, 0);
}

TEST(call_of_two_commands, is_repeated_whole_when_nothing_was_answered) {
    scripted_lane lane;
    lane.up(who(1));
    auto const both = submit_both(lane);
    lane.send();
    lane.down();
    EXPECT_EQ(both->status.load(), state::waiting);
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), "HDEL", "PUBLISH"));
    lane.reply(integer(1)); // the predecessor kill's
    lane.reply(integer(0));
    EXPECT_FALSE(both->finished());
    lane.reply(integer(3));
    EXPECT_TRUE(both->repeated());
    EXPECT_EQ(both->reply.integer, 0);
    EXPECT_EQ(both->second.integer, 3);
}

TEST(call_of_two_commands, that_is_cut_between_its_replies_keeps_the_first_and_is_not_repeated) {
    scripted_lane lane;
    lane.up(who(1));
    auto const sleeper = make_sleeper();
    auto const both = submit_both(lane, sleeper);
    lane.send();
    lane.reply(integer(1));
    lane.down();
    lane.woken.wake_all();
    EXPECT_EQ(both->status.load(), state::answered);
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_EQ(both->reply.integer, 1);
    EXPECT_TRUE(both->cut_short);
    EXPECT_FALSE(both->repeated());
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1))) << "the second command may still run";
}

TEST(call_of_two_commands, that_is_cut_when_repeated_says_so) {
    scripted_lane lane;
    lane.up(who(1));
    auto const both = submit_both(lane);
    lane.send();
    lane.down();
    lane.up(who(2));
    lane.send();
    lane.reply(integer(1)); // the predecessor kill's
    lane.reply(integer(0));
    lane.down();
    EXPECT_TRUE(both->cut_short);
    EXPECT_TRUE(both->repeated());
}

TEST(call_of_two_commands, that_is_abandoned_takes_both_its_replies_with_it) {
    for (bool const after_the_first : {false, true}) {
        scripted_lane lane;
        lane.up(who(1));
        auto const both = submit_both(lane);
        auto const next = lane.submit("NEXT");
        lane.send();
        if (after_the_first) lane.reply(integer(1));
        EXPECT_TRUE(lane.traffic.abandon(both));
        EXPECT_EQ(both->cut_short, after_the_first) << "what has been answered can be looked at";
        if (!after_the_first) lane.reply(integer(1));
        lane.reply(integer(5));
        EXPECT_FALSE(both->finished());
        EXPECT_EQ(both->reply.is_integer(), after_the_first);
        lane.reply(integer(7));
        EXPECT_EQ(next->reply.integer, 7);
    }
}

} // namespace
} // namespace redlatch::connection
