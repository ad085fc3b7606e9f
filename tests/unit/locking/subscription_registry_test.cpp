#include "locking/scripted_subscriber.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::array;
using scripted::at;
using scripted::at_no_time;
using scripted::integer;
using scripted::make_sleeper;
using scripted::ms;
using scripted::string;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = channel::state;

// --- subscribing

TEST(subscription_registry, subscribes_when_a_waiter_wants_it_and_counts_from_the_confirmation) {
    connected all;
    auto const one = all.registry.attach("c");
    auto const sleeper = make_sleeper();
    one->waiters.push_back(sleeper);
    EXPECT_FALSE(one->sample().subscribed);
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
    EXPECT_TRUE(all.registry.expects_reply());
    EXPECT_FALSE(one->sample().subscribed) << "asked is not subscribed: a message may have gone by";
    EXPECT_TRUE(all.hears(confirmed("subscribe", "c")));
    EXPECT_TRUE(one->sample().subscribed);
    EXPECT_EQ(one->count, 1U) << "the confirmation counts as a message";
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_FALSE(all.registry.expects_reply());
}

TEST(subscription_registry, asks_once_however_many_wait) {
    connected all;
    auto const one = all.registry.attach("c");
    auto const same = all.registry.attach("c");
    EXPECT_EQ(one, same);
    all.registry.subscribe(one);
    all.registry.subscribe(same);
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
    all.hears(confirmed("subscribe", "c"));
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), IsEmpty());
    EXPECT_EQ(all.registry.active(), 1U);
    EXPECT_EQ(all.registry.commands(), 1U);
}

TEST(subscription_registry, says_to_waiters_of_a_refused_channel_that_they_must_poll) {
    connected all;
    auto const one = all.registry.attach("c");
    auto const sleeper = make_sleeper();
    one->waiters.push_back(sleeper);
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(refused()));
    EXPECT_EQ(one->now_in, state::refused);
    EXPECT_FALSE(one->sample().subscribed);
    EXPECT_EQ(one->count, 1U);
    EXPECT_EQ(sleeper->times, 1);
    all.said();
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), IsEmpty()) << "asking again would not help";
    EXPECT_EQ(all.registry.active(), 0U);
    all.registry.detach(one, at(0s));
    EXPECT_THAT(all.said(), IsEmpty()) << "there is nothing to unsubscribe from";
    EXPECT_FALSE(all.registry.listens());
}

// A server that is busy, or loading: not for ever, as for want of a right.
TEST(subscription_registry, asks_again_for_what_the_server_refused_for_now) {
    connected all;
    auto const one = all.registry.attach("c");
    auto const sleeper = make_sleeper();
    one->waiters.push_back(sleeper);
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(scripted::error("BUSY Redis is busy running a script.")));
    EXPECT_TRUE(one->polled);
    EXPECT_EQ(sleeper->times, 1);
    all.said();
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
    EXPECT_TRUE(all.hears(scripted::error("BUSY Redis is busy running a script.")));
    EXPECT_TRUE(one->polled);
    EXPECT_EQ(sleeper->times, 1) << "they poll already, and are not to ask as fast as it refuses";
    all.registry.subscribe(one);
    EXPECT_TRUE(one->polled) << "until it is confirmed";
    EXPECT_TRUE(all.hears(confirmed("subscribe", "c")));
    EXPECT_FALSE(one->polled);
    EXPECT_TRUE(one->sample().subscribed);
    EXPECT_EQ(sleeper->times, 2);
}

TEST(subscription_registry, subscribes_again_exactly_where_it_was_refused_for_now) {
    connected all;
    auto const one = all.registry.attach("c");
    EXPECT_FALSE(all.registry.subscribe_again(one)) << "nobody has asked for it";
    all.registry.subscribe(one);
    EXPECT_FALSE(all.registry.subscribe_again(one)) << "it is under way";
    all.said();
    all.hears(scripted::error("LOADING Redis is loading the dataset in memory"));
    EXPECT_TRUE(one->is_refused_for_now() && all.registry.subscribe_again(one));
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
    all.hears(confirmed("subscribe", "c"));
    EXPECT_FALSE(all.registry.subscribe_again(one)) << "it is there";
    all.down();
    EXPECT_FALSE(all.registry.subscribe_again(one)) << "the next connection asks";
    auto const other = all.registry.attach("d");
    all.up();
    all.said();
    all.hears(confirmed("subscribe", "c"));
    all.hears(refused());
    EXPECT_FALSE(all.registry.subscribe_again(other)) << "for good";
}

TEST(subscription_registry, asks_for_a_refused_channel_again_on_a_new_connection) {
    connected all;
    auto const one = all.registry.attach("c");
    all.registry.subscribe(one);
    all.said();
    all.hears(refused());
    all.down();
    all.up();
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
}

// --- messages

TEST(subscription_registry, counts_a_message_and_wakes_everybody_who_waits_for_it) {
    connected all;
    auto const one = all.listening("c");
    auto const other = all.listening("d");
    auto const first = make_sleeper();
    auto const second = make_sleeper();
    auto const elsewhere = make_sleeper();
    one->waiters = {first, second};
    other->waiters = {elsewhere};
    auto const before = one->sample();
    EXPECT_TRUE(all.hears(message("c")));
    EXPECT_EQ(one->count, before.count + 1);
    EXPECT_EQ(other->count, 1U);
    EXPECT_EQ(first->times, 1);
    EXPECT_EQ(second->times, 1);
    EXPECT_EQ(elsewhere->times, 0);
}

TEST(subscription_registry, wakes_everybody_when_calls_go_to_another_master) {
    connected all;
    auto const one = all.listening("c");
    auto const sleeper = make_sleeper();
    one->waiters = {sleeper};
    auto const before = one->sample();
    all.registry.on_another_master(all.woken);
    all.woken.wake_all();
    EXPECT_EQ(one->count, before.count + 1);
    EXPECT_EQ(one->sample().messages, before.messages) << "nobody has released";
    EXPECT_TRUE(one->sample().subscribed);
    EXPECT_EQ(sleeper->times, 1);
}

TEST(subscription_registry, tells_messages_from_confirmations_and_ends_of_turns_from_releases_within_a_turn) {
    connected all;
    auto const one = all.listening("c");
    auto const confirmed = one->sample();
    EXPECT_EQ(confirmed.messages, 0U) << "a confirmation is no message of others";
    EXPECT_TRUE(all.hears(message("c", "00")));
    EXPECT_EQ(one->sample().messages, 1U);
    EXPECT_EQ(one->sample().turns, 0U);
    EXPECT_TRUE(one->sample().turn_goes_on);
    for (std::string const text : {"0", "1", "anything"}) EXPECT_TRUE(all.hears(message("c", text)));
    EXPECT_EQ(one->sample().messages, 4U);
    EXPECT_EQ(one->sample().turns, 3U);
    EXPECT_FALSE(one->sample().turn_goes_on);
    EXPECT_EQ(one->sample().count, confirmed.count + 4);
    EXPECT_EQ(one->sample().foreign, 3U) << "of those that take no turns";
    EXPECT_EQ(one->sample().absent, 0U);
    EXPECT_TRUE(all.hears(message("c", "00000")));
    EXPECT_EQ(one->sample().turns, 6U);
    EXPECT_EQ(one->sample().absent, 2U);
    EXPECT_TRUE(all.hears(message("c", "-0")));
    EXPECT_EQ(one->sample().turns, 6U) << "that turn was counted before";
    EXPECT_FALSE(one->sample().turn_goes_on);
    EXPECT_EQ(one->sample().foreign, 3U);
}

TEST(subscription_registry, gives_each_channel_a_session_of_its_own) {
    connected all;
    auto const one = all.listening("c");
    auto const other = all.listening("d");
    EXPECT_NE(one->sample().session, 0U);
    EXPECT_NE(one->sample().session, other->sample().session);
    EXPECT_EQ(all.registry.peek("nobody").session, 0U);
}

TEST(subscription_registry, counts_a_message_that_came_before_the_confirmation_was_read) {
    connected all;
    all.registry.detach(all.listening("c"), at(0s));
    all.registry.on_timer(at(1s)); // given up; a new waiter comes while messages are on their way
    auto const one = all.registry.attach("c");
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(message("c")));
    EXPECT_EQ(one->count, 1U);
}

TEST(subscription_registry, takes_no_notice_of_messages_that_nobody_waits_for) {
    connected all;
    EXPECT_TRUE(all.hears(message("stranger")));
    EXPECT_FALSE(all.registry.listens());
}

TEST(subscription_registry, refuses_what_makes_no_sense) {
    connected all;
    all.listening("c");
    for (auto const& odd :
         {integer(1), scripted::nil(), array({}), array({integer(1)}), array({string("message")}),
          array({string("message"), string("c")}), array({string("message"), integer(1), string("0")}),
          array({string("message"), string("c"), string("0"), string("1")}), array({string("pmessage"), string("c")}),
          array({string("what")}), scripted::status("OK"), scripted::status("PONG"), pong(),
          confirmed("subscribe", "c"), confirmed("unsubscribe", "c"), scripted::error("ERR unasked")})
        EXPECT_FALSE(all.hears(odd));
}

TEST(subscription_registry, refuses_an_answer_to_another_question_than_the_oldest) {
    connected all;
    all.registry.subscribe(all.registry.attach("c"));
    EXPECT_FALSE(all.hears(confirmed("unsubscribe", "c")));
    connected other;
    other.registry.subscribe(other.registry.attach("c"));
    EXPECT_FALSE(other.hears(pong()));
}

TEST(subscription_registry, has_its_ping_answered_in_both_forms_and_in_order) {
    connected all;
    all.registry.stage_ping(at(0s));
    EXPECT_THAT(all.said(), ElementsAre("PING"));
    EXPECT_TRUE(all.registry.expects_reply());
    EXPECT_TRUE(all.hears(scripted::status("PONG"))) << "without any subscription";
    auto const one = all.registry.attach("c");
    all.registry.stage_ping(at(0s));
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(pong()));
    EXPECT_TRUE(all.hears(confirmed("subscribe", "c")));
    EXPECT_EQ(one->now_in, state::subscribed);
    subscriber nobody;
    nobody.registry.stage_ping(at(0s));
    EXPECT_THAT(nobody.said(), IsEmpty()) << "no connection";
}

TEST(subscription_registry, lives_on_when_a_ping_or_an_unsubscribe_is_refused) {
    connected all;
    auto const one = all.listening("c");
    all.registry.stage_ping(at(0s));
    EXPECT_TRUE(all.hears(scripted::error("NOPERM no ping")));
    EXPECT_EQ(one->now_in, state::subscribed);
    all.registry.detach(one, at(0s));
    all.registry.on_timer(at(1s));
    EXPECT_TRUE(all.hears(scripted::error("NOPERM no unsubscribe")));
    EXPECT_FALSE(all.registry.expects_reply());
}

// --- connections come and go

TEST(subscription_registry, asks_when_there_is_a_connection_at_last) {
    subscriber all;
    auto const one = all.registry.attach("c");
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), IsEmpty());
    EXPECT_TRUE(all.registry.listens()) << "so that a connection is made";
    all.up();
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
}

TEST(subscription_registry, wakes_everybody_when_the_connection_is_lost_and_again_when_it_is_back) {
    connected all;
    auto const one = all.listening("c");
    auto const sleeper = make_sleeper();
    one->waiters.push_back(sleeper);
    auto const before = one->sample();
    all.down();
    EXPECT_FALSE(one->sample().subscribed);
    EXPECT_NE(one->count, before.count) << "a message may have been missed";
    EXPECT_EQ(sleeper->times, 1);
    auto const between = one->sample();
    all.up();
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c"));
    EXPECT_EQ(one->count, between.count);
    all.hears(confirmed("subscribe", "c"));
    EXPECT_NE(one->count, between.count) << "whoever asked in between looks again";
    EXPECT_EQ(sleeper->times, 2);
}

TEST(subscription_registry, forgets_lingering_channels_with_the_connection) {
    connected all;
    all.registry.detach(all.listening("c"), at(0s));
    all.down();
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    EXPECT_FALSE(all.registry.listens());
    all.up();
    EXPECT_THAT(all.said(), IsEmpty());
}

/// One waiter comes, hears something, leaves and comes back too late for the lingering channel.
struct one_waiter : subscriber {
    channel_ptr channel;
    bool waits = false;
    void comes() {
        channel = registry.attach("c");
        registry.subscribe(channel);
        waits = true;
    }
    void leaves() {
        registry.detach(channel, now);
        waits = false;
    }
};

scripted::dialogue<one_waiter> const coming_and_going = {
    {"a connection", [](one_waiter& w) { w.up(); }},
    {"a waiter comes", [](one_waiter& w) { w.comes(); }},
    {"SUBSCRIBE is sent", [](one_waiter& w) { w.said(); }},
    {"confirmed", [](one_waiter& w) { w.hears(confirmed("subscribe", "c")); }},
    {"a message", [](one_waiter& w) { w.hears(message("c")); }},
    {"he leaves", [](one_waiter& w) { w.leaves(); }},
    {"given up", [](one_waiter& w) { w.registry.on_timer(w.now + 1s); }},
    {"he comes back", [](one_waiter& w) { w.comes(); }},
    {"unsubscribed", [](one_waiter& w) { w.hears(confirmed("unsubscribe", "c")); }},
    {"a ping", [](one_waiter& w) { w.registry.stage_ping(w.now); }},
    {"confirmed again", [](one_waiter& w) { w.hears(confirmed("subscribe", "c")); }},
    {"the ping's answer", [](one_waiter& w) { w.hears(pong()); }},
};

TEST(subscription_registry, subscribes_again_for_whoever_waits_wherever_the_connection_breaks) {
    scripted::fail_after_every_step(coming_and_going, [](one_waiter& w, std::size_t steps) {
        if (steps == 0) return;
        auto const before = w.waits ? w.channel->sample() : channel_sample{};
        w.down();
        EXPECT_FALSE(w.registry.expects_reply());
        if (w.waits) {
            EXPECT_NE(w.channel->count, before.count);
            EXPECT_FALSE(w.channel->sample().subscribed);
        }
        w.up();
        if (!w.waits) {
            EXPECT_THAT(w.said(), IsEmpty());
            return;
        }
        EXPECT_THAT(w.said(), ElementsAre("SUBSCRIBE c"));
        EXPECT_TRUE(w.hears(confirmed("subscribe", "c")));
        EXPECT_TRUE(w.channel->sample().subscribed);
        EXPECT_TRUE(w.hears(message("c")));
        EXPECT_GE(w.channel->count, before.count + 3);
    });
}

TEST(subscription_registry, wakes_whoever_waits_wherever_it_is_closed) {
    scripted::fail_after_every_step(coming_and_going, [](one_waiter& w, std::size_t) {
        auto const sleeper = make_sleeper();
        if (w.waits) w.channel->waiters.push_back(sleeper);
        w.registry.on_closed(w.woken);
        w.woken.wake_all();
        EXPECT_EQ(sleeper->times, w.waits ? 1 : 0);
        EXPECT_FALSE(w.registry.expects_reply());
        EXPECT_TRUE(w.registry.out.empty());
        if (w.waits) w.leaves();
        EXPECT_EQ(ms(w.registry.next()), at_no_time);
    });
}

TEST(subscription_registry, a_message_that_is_expected_is_no_news) {
    connected us;
    EXPECT_FALSE(us.registry.expect_own("c")) << "nobody listens";
    auto const one = us.listening("c");
    auto const before = one->sample();
    EXPECT_TRUE(us.registry.expect_own("c") && us.hears(message("c")));
    EXPECT_EQ(one->count, before.count);
    EXPECT_TRUE(us.hears(message("c")));
    EXPECT_EQ(one->count, before.count + 1) << "that was another one";
}

TEST(subscription_registry, an_expected_message_that_does_not_come_is_news) {
    connected us;
    auto const one = us.listening("c");
    EXPECT_TRUE(us.registry.expect_own("c") && us.hears(message("c"))); // of somebody else
    auto const before = one->count;
    us.registry.expect_own_no_more("c", us.woken);
    EXPECT_EQ(one->count, before + 1);
    EXPECT_TRUE(us.hears(message("c")));
    EXPECT_EQ(one->count, before + 2);
}

TEST(subscription_registry, what_was_expected_is_forgotten_with_the_connection) {
    connected us;
    auto const one = us.listening("c");
    us.registry.expect_own("c");
    us.down();
    us.up();
    us.said();
    EXPECT_TRUE(us.hears(confirmed("subscribe", "c")));
    auto const before = one->count;
    EXPECT_TRUE(us.hears(message("c")));
    EXPECT_EQ(one->count, before + 1);
}

TEST(subscription_registry, takes_no_end_of_a_subscription_that_it_has_not_asked_for) {
    connected all;
    all.listening("c");
    EXPECT_FALSE(all.hears(confirmed("unsubscribe", "c")));
}

} // namespace
} // namespace redlatch::locking
