// Whom a new connection keeps out, and what an answer says about it (architecture, "Predecessor kill").
#include "connection/scripted_lane.hpp"
#include "scripted/failure_at_every_step.hpp"

#include <gmock/gmock.h>
#include <tuple>

namespace redlatch::connection {
namespace {

using scripted::error;
using scripted::integer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A call that was sent on connection 1, which broke.
struct after_a_loss : scripted_lane {
    call_ptr lost;
    after_a_loss() : after_a_loss(who(1)) {}
    explicit after_a_loss(identity const& first) {
        up(first);
        lost = submit("LOST");
        send();
        down();
    }
};

TEST(predecessor_kill, is_the_first_command_on_the_new_connection) {
    after_a_loss lane;
    lane.submit("NEW");
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), "LOST", "NEW"));
}

TEST(predecessor_kill, counts_also_when_the_server_found_nobody_to_kill) {
    after_a_loss lane;
    lane.up(who(2));
    lane.reply(integer(0));
    lane.reply(integer(1));
    EXPECT_FALSE(lane.lost->late_copy_possible);
}

TEST(predecessor_kill, is_not_needed_against_another_run_of_the_server) {
    after_a_loss lane;
    lane.up(who(1, "run2")); // ids begin again: a predecessor kill would kill a stranger, here even ourselves
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("LOST"));
    lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->repeated());
    EXPECT_FALSE(lane.lost->late_copy_possible);
}

TEST(predecessor_kill, is_not_possible_on_another_server_and_the_former_one_may_run_the_call_as_the_master_again) {
    for (auto const* const server : {"s:1", "s:2", ""}) {
        auto first = who(1);
        auto second = who(1, "run2");
        first.server = "s:1";
        second.server = server;
        after_a_loss lane(first);
        lane.up(second);
        lane.send();
        EXPECT_THAT(lane.commands(), ElementsAre("LOST"));
        lane.reply(integer(1));
        EXPECT_EQ(lane.lost->late_copy_possible, second.server == "s:2") << server;
    }
}

TEST(predecessor_kill, that_is_refused_leaves_every_answer_on_this_connection_with_a_possible_late_copy) {
    after_a_loss lane;
    lane.up(who(2));
    lane.reply(error("NOPERM this user has no permissions to run the 'client|kill' command"));
    EXPECT_FALSE(lane.lost->finished());
    lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->late_copy_possible);
    auto const next = lane.submit("NEXT");
    lane.reply(integer(1));
    EXPECT_TRUE(next->late_copy_possible);
}

TEST(predecessor_kill, that_is_refused_is_not_tried_again_on_later_connections) {
    after_a_loss lane;
    lane.up(who(2));
    lane.reply(error("NOPERM no"));
    lane.reply(integer(1));
    lane.down();
    lane.up(who(3));
    lane.send();
    EXPECT_THAT(lane.commands(), IsEmpty());
    auto const later = lane.submit("LATER");
    lane.reply(integer(1));
    EXPECT_FALSE(later->late_copy_possible);
}

TEST(predecessor_kill, once_refused_leaves_a_call_with_a_possible_late_copy_on_all_later_connections) {
    after_a_loss lane;
    lane.up(who(2));
    lane.send();
    lane.reply(error("NOPERM no"));
    lane.down();
    lane.up(who(3));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(2), "LOST"));
    lane.reply(integer(1));
    lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->late_copy_possible) << "connection 1 was never killed";
}

TEST(predecessor_kill, is_refused_where_one_of_the_two_is_not_known) {
    for (bool former : {true, false}) {
        for (auto const& [id, address, run] : {std::tuple(0, "a:1", "r"), {1, "", "r"}, {1, "a:1", ""}}) {
            identity const half{id, address, run, "redis", "7"};
            after_a_loss lane(former ? half : who(1));
            lane.up(former ? who(2) : half);
            lane.send();
            // Of another run nothing can come any more, and that may be all that is known.
            bool const other_run = !half.run_id.empty();
            EXPECT_THAT(lane.commands(), ElementsAre("LOST"));
            lane.reply(integer(1));
            EXPECT_EQ(lane.lost->late_copy_possible, !other_run) << id << address << run;
        }
    }
}

TEST(predecessor_kill, is_refused_where_the_same_run_gave_no_id) {
    identity nameless = who(1);
    nameless.client_id = 0;
    after_a_loss lane(nameless);
    lane.up(who(2));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("LOST"));
    lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->late_copy_possible);
}

TEST(predecessor_kill, comes_again_for_every_predecessor_that_was_not_killed_yet) {
    after_a_loss lane;
    lane.up(who(2));
    lane.send();
    lane.down(); // before the predecessor kill's answer
    lane.up(who(3));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1), kill_of(2), "LOST"));
    lane.reply(integer(1));
    lane.down(); // one predecessor kill is answered, one is not
    lane.up(who(4));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(2), kill_of(3), "LOST"));
    lane.reply(integer(1));
    lane.reply(integer(1));
    EXPECT_FALSE(lane.lost->finished());
    lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->finished());
    EXPECT_FALSE(lane.lost->late_copy_possible);
}

TEST(predecessor_kill, alone_on_a_connection_does_not_make_it_one_to_be_killed) {
    after_a_loss lane;
    lane.traffic.abandon(lane.lost);
    lane.up(who(2));
    lane.send();
    lane.down();
    lane.up(who(3));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre(kill_of(1)));
}

TEST(predecessor_kill, is_dropped_when_the_server_restarts_before_it_was_answered) {
    after_a_loss lane;
    lane.up(who(2));
    lane.send();
    lane.down();
    lane.up(who(1, "run2"));
    lane.send();
    EXPECT_THAT(lane.commands(), ElementsAre("LOST"));
    lane.reply(integer(1));
    EXPECT_FALSE(lane.lost->late_copy_possible);
}

TEST(predecessor_kill, forgets_the_oldest_of_too_many_predecessors_and_says_so) {
    after_a_loss lane;
    int const connections = static_cast<int>(multiplexer::most_predecessors) + 1;
    for (int number = 2; number <= connections; ++number) {
        lane.up(who(number));
        lane.send();
        lane.down();
    }
    lane.up(who(connections + 1));
    lane.send();
    std::vector<std::string> expected;
    for (int number = 2; number <= connections; ++number) expected.push_back(kill_of(number));
    expected.push_back("LOST");
    EXPECT_EQ(lane.commands(), expected);
    for (std::size_t i = 0; i < expected.size(); ++i) lane.reply(integer(1));
    EXPECT_TRUE(lane.lost->finished());
    EXPECT_TRUE(lane.lost->late_copy_possible) << "connection 1 was forgotten";
}

/// The second connection and what is said on it, up to the answer of the repeated call.
scripted::dialogue<after_a_loss> const repeat_after_kill = {
    {"a new connection", [](after_a_loss& lane) { lane.up(who(2)); }},
    {"predecessor kill and call are sent", [](after_a_loss& lane) { lane.send(); }},
    {"the predecessor kill is answered", [](after_a_loss& lane) { lane.reply(integer(1)); }},
    {"the call is answered", [](after_a_loss& lane) { lane.reply(integer(7)); }},
};

TEST(predecessor_kill, holds_wherever_the_second_connection_breaks_as_well) {
    std::vector<std::vector<std::string>> const carried = {
        {kill_of(1), "LOST"},             // nothing: still the second connection
        {kill_of(1), "LOST"},             // nothing of it was sent on connection 2
        {kill_of(1), kill_of(2), "LOST"}, // both may still run
        {kill_of(2), "LOST"},             // 1 is out
        {},                               // answered
    };
    scripted::fail_after_every_step(repeat_after_kill, [&](after_a_loss& lane, std::size_t steps) {
        if (steps > 0) lane.down();
        lane.up(who(3));
        lane.send();
        EXPECT_EQ(lane.commands(), carried[steps]);
        for (auto const& command : carried[steps]) lane.reply(integer(command == "LOST" ? 7 : 1));
        EXPECT_EQ(lane.lost->reply.integer, 7);
        EXPECT_FALSE(lane.lost->late_copy_possible);
        EXPECT_TRUE(lane.lost->repeated());
    });
}

TEST(predecessor_kill, refused_anywhere_is_never_forgotten_by_the_call) {
    scripted::fail_after_every_step(repeat_after_kill, [&](after_a_loss& lane, std::size_t steps) {
        if (steps > 0) lane.down();
        lane.up(who(3));
        lane.send();
        while (lane.traffic.expects_reply()) lane.reply(lane.traffic.due() > 1 ? error("NOPERM no") : integer(7));
        EXPECT_EQ(lane.lost->reply.integer, 7);
        bool const answered_before = steps == repeat_after_kill.size();
        EXPECT_EQ(lane.lost->late_copy_possible, !answered_before);
    });
}

} // namespace
} // namespace redlatch::connection
