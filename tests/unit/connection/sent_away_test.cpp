// Calls of a node of a cluster that does not have their slot any more.
#include "connection/redirect.hpp"
#include "connection/scripted_lane.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::status;
using ::testing::ElementsAre;
using state = call::state;

struct node_of_a_cluster : scripted_lane {
    call_ptr ask(std::string_view word, std::int32_t slot, bool once = false) {
        auto one = make_call(word);
        one->slot = slot;
        one->once = once;
        traffic.submit(one, now);
        return one;
    }
    void send_away(std::uint16_t slot) {
        traffic.send_away([slot](std::uint16_t other) { return other == slot; }, woken);
    }
};

void expect_sent_away(call const& one, std::uint16_t slot) {
    EXPECT_EQ(one.status, state::answered);
    auto const elsewhere = read_redirect(one.reply);
    ASSERT_TRUE(elsewhere);
    EXPECT_EQ(elsewhere->slot, slot);
    EXPECT_EQ(elsewhere->where.port, 0);
}

TEST(sent_away, are_those_that_wait_for_a_slot_that_is_gone) {
    node_of_a_cluster lane;
    auto const gone = lane.ask("A", 7);
    auto const here = lane.ask("B", 8);
    auto const about_no_key = lane.submit("C");
    lane.send_away(7);
    expect_sent_away(*gone, 7);
    EXPECT_FALSE(gone->repeated()) << "nothing of it was sent";
    lane.up(who(1));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("B", "C"));
    EXPECT_EQ(here->status, state::staged);
    EXPECT_EQ(about_no_key->status, state::staged);
}

TEST(sent_away, may_have_run_where_they_were_sent) {
    node_of_a_cluster lane;
    lane.up(who(1));
    auto const sent = lane.ask("A", 7);
    auto const once = lane.ask("B", 7, true);
    lane.send();
    lane.send_away(7);
    EXPECT_EQ(sent->status, state::staged) << "its answer is due";
    lane.down();
    EXPECT_EQ(once->status, state::closed);
    lane.send_away(7);
    expect_sent_away(*sent, 7);
    EXPECT_TRUE(sent->repeated());
    EXPECT_TRUE(sent->late_copy_possible) << "nobody kills its connection";
    auto const later = lane.ask("C", 7);
    lane.send_away(7);
    EXPECT_FALSE(later->late_copy_possible) << "it was never sent";
}

TEST(sent_away, are_all_of_a_node_that_does_not_count_until_it_counts_again) {
    node_of_a_cluster lane;
    auto const before = lane.ask("A", 7);
    lane.traffic.retire(true, lane.woken);
    expect_sent_away(*before, 7);
    expect_sent_away(*lane.ask("B", 8), 8);
    EXPECT_EQ(lane.submit("C")->status, state::waiting) << "it is about no key";
    lane.traffic.retire(false, lane.woken);
    EXPECT_EQ(lane.ask("D", 9)->status, state::waiting);
}

TEST(sent_away, are_those_that_a_retired_node_loses_with_its_connection) {
    node_of_a_cluster lane;
    lane.up(who(1));
    auto const sent = lane.ask("A", 7);
    lane.send();
    lane.traffic.retire(true, lane.woken);
    EXPECT_EQ(sent->status, state::staged);
    lane.down();
    expect_sent_away(*sent, 7);
}

TEST(sent_away, are_not_those_for_once_which_are_to_be_made_anew) {
    node_of_a_cluster lane;
    auto const one = lane.ask("A", 7, true);
    auto const other = lane.ask("B", 8, true);
    lane.send_away(7);
    EXPECT_EQ(one->status, state::closed) << "what it says may be true no more";
    EXPECT_EQ(other->status, state::waiting);
    lane.traffic.retire(true, lane.woken);
    EXPECT_EQ(other->status, state::closed);
    expect_sent_away(*lane.ask("C", 9, true), 9);
}

TEST(sent_away, leave_nothing_of_the_time_before_where_the_node_counts_again) {
    node_of_a_cluster lane;
    lane.traffic.on_unreachable(lane.woken);
    lane.traffic.retire(true, lane.woken);
    lane.traffic.retire(false, lane.woken);
    auto const impatient = make_call("A");
    impatient->slot = 7;
    impatient->impatient = true;
    lane.traffic.submit(impatient, lane.now);
    EXPECT_EQ(impatient->status, state::waiting) << "nobody has tried to connect since";
    auto const once = lane.ask("B", 7, true);
    lane.up(who(1));
    EXPECT_EQ(impatient->status, state::staged);
    EXPECT_EQ(once->status, state::staged);
}

TEST(sent_away, stay_away_where_a_node_that_counts_is_told_that_it_does) {
    node_of_a_cluster lane;
    auto const one = lane.ask("A", 7, true);
    lane.traffic.on_unreachable(lane.woken);
    lane.traffic.retire(false, lane.woken);
    lane.up(who(1));
    EXPECT_EQ(one->status, state::closed) << "it was not to be reached";
}

TEST(sent_once, to_a_node_of_a_cluster_wait_for_its_first_connection) {
    node_of_a_cluster lane;
    auto const first = lane.ask("A", 7, true);
    lane.up(who(1));
    EXPECT_EQ(first->status, state::staged) << "nothing has happened that it could not know of";
    lane.send();
    lane.reply(status("OK"));
    lane.down();
    auto const later = lane.ask("B", 7, true);
    lane.up(who(2));
    EXPECT_EQ(later->status, state::closed) << "a connection was lost";
    auto const next = lane.ask("C", 7, true);
    EXPECT_EQ(next->status, state::staged);
}

TEST(sent_once, to_a_node_that_was_not_to_be_reached_are_closed) {
    node_of_a_cluster lane;
    auto const one = lane.ask("A", 7, true);
    lane.traffic.on_unreachable(lane.woken);
    lane.up(who(1));
    EXPECT_EQ(one->status, state::closed);
}

} // namespace
} // namespace redlatch::connection
