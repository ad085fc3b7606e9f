// Calls that wait for no connection while the server is known to be away.
#include "connection/scripted_lane.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::status;
using ::testing::ElementsAre;
using state = call::state;

struct impatient : scripted_lane {
    call_ptr ask(std::string_view word) {
        auto one = make_call(word);
        one->impatient = true;
        traffic.submit(one, now);
        return one;
    }
};

TEST(impatient_call, waits_for_a_connection_until_the_attempt_to_make_one_has_failed) {
    impatient lane;
    auto const one = lane.ask("A");
    auto const patient = lane.submit("B");
    EXPECT_EQ(one->status, state::waiting);
    lane.traffic.on_unreachable(lane.woken);
    EXPECT_EQ(one->status, state::closed);
    EXPECT_EQ(one->handed, 0);
    EXPECT_EQ(lane.ask("C")->status, state::closed) << "it is known to be away";
    lane.up(who(1));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("B"));
    EXPECT_EQ(lane.ask("D")->status, state::staged);
}

TEST(impatient_call, that_was_sent_may_have_run) {
    impatient lane;
    lane.up(who(1));
    auto const one = lane.ask("A");
    lane.send();
    lane.down();
    EXPECT_EQ(one->status, state::waiting) << "the next connection may be there at once";
    lane.traffic.on_unreachable(lane.woken);
    EXPECT_EQ(one->status, state::closed);
    EXPECT_EQ(one->handed, 1);
}

TEST(answered_call, knows_which_connection_answered_it) {
    scripted_lane lane;
    lane.up(who(1));
    lane.down();
    lane.up(who(2));
    auto const one = lane.submit("A");
    lane.send();
    lane.reply(status("OK"));
    EXPECT_EQ(one->connection, 2U);
    EXPECT_EQ(lane.traffic.connection(), 2U);
}

} // namespace
} // namespace redlatch::connection
