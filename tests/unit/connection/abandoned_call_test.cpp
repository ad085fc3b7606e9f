// Calls whose callers have left: what was sent stays in order, what was not is taken out, late replies find their handler.
#include "connection/scripted_lane.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::integer;
using scripted::make_sleeper;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(abandoned_call, that_was_never_sent_is_gone_and_cannot_have_run) {
    scripted_lane lane;
    auto const a = lane.submit("A");
    lane.submit("B");
    EXPECT_FALSE(lane.traffic.abandon(a));
    lane.up(who(1));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("B"));
}

TEST(abandoned_call, that_waits_to_be_repeated_is_gone_but_may_have_run) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    lane.send();
    lane.down();
    EXPECT_TRUE(lane.traffic.abandon(a));
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1))) << "its sequel on this connection comes after it";
}

TEST(abandoned_call, that_is_staged_is_sent_so_that_its_sequel_comes_behind_it) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("ACQUIRE");
    EXPECT_TRUE(lane.traffic.abandon(a));
    lane.submit("RELEASE");
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("ACQUIRE", "RELEASE"));
}

TEST(abandoned_call, does_not_wake_its_caller_and_its_reply_goes_nowhere) {
    scripted_lane lane;
    lane.up(who(1));
    auto const sleeper = make_sleeper();
    auto const a = lane.submit("A", sleeper);
    auto const b = lane.submit("B");
    lane.traffic.abandon(a);
    lane.send();
    EXPECT_TRUE(lane.reply(integer(1)));
    EXPECT_TRUE(lane.reply(integer(2)));
    EXPECT_EQ(sleeper->times, 0);
    EXPECT_FALSE(lane.traffic.has_late());
    EXPECT_EQ(b->reply.integer, 2);
}

TEST(abandoned_call, gives_a_late_reply_to_its_handler_once) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    std::int64_t seen = 0;
    a->late = [&](resp::value const& reply) { seen = reply.integer; };
    lane.traffic.abandon(a);
    lane.send();
    lane.reply(integer(5));
    EXPECT_EQ(seen, 0) << "handlers are run by the reactor, not under the mutex";
    ASSERT_TRUE(lane.traffic.has_late());
    for (auto const& late : lane.traffic.take_late()) late.handler(late.reply);
    EXPECT_EQ(seen, 5);
    EXPECT_FALSE(lane.traffic.has_late());
}

TEST(abandoned_call, is_dropped_with_its_connection_and_not_repeated) {
    scripted_lane lane;
    lane.up(who(1));
    auto const a = lane.submit("A");
    a->late = [](resp::value const&) { FAIL() << "there is no reply any more"; };
    lane.traffic.abandon(a);
    lane.send();
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1)));
    lane.reply(integer(1));
    EXPECT_FALSE(lane.traffic.has_late());
}

TEST(abandoned_call, of_which_nothing_was_sent_needs_no_predecessor_kill) {
    scripted_lane lane;
    lane.up(who(1));
    lane.traffic.abandon(lane.submit("A"));
    lane.down();
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), IsEmpty());
}

} // namespace
} // namespace redlatch::connection
