// The conversations that hear of another master: with a Sentinel, and with each of several servers.
#include "connection/role_watch.hpp"
#include "connection/sentinel_watch.hpp"
#include "scripted/replies.hpp"
#include "scripted/virtual_time.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::array;
using scripted::commands_in;
using scripted::error;
using scripted::integer;
using scripted::string;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char const* address_question = "SENTINEL GET-MASTER-ADDR-BY-NAME orders";
constexpr char const* master_question = "SENTINEL MASTER orders";
constexpr char const* others_question = "SENTINEL SENTINELS orders";

template <class Traffic> struct scripted_watch {
    std::shared_ptr<scripted::wake_counter> told = scripted::make_sleeper();
    base::wake_list woken;
    base::instant now = scripted::beginning;
    Traffic traffic;

    template <class... Arguments> explicit scripted_watch(Arguments... arguments) : traffic(arguments..., told) {}

    void up() { traffic.on_up({}, now, woken); }
    std::vector<std::string> sent() {
        std::string bytes;
        traffic.out.take(bytes);
        return commands_in(bytes);
    }
    bool hear(resp::value reply) {
        bool const made_sense = traffic.on_value(std::move(reply), now, woken);
        woken.wake_all();
        return made_sense;
    }
};

class sentinel_watch_test : public ::testing::Test, public scripted_watch<sentinel_watch> {
protected:
    sentinel_watch_test() : scripted_watch("orders") {}

    static resp::value subscription(char const* what) {
        return array({string(what), string("+switch-master"), integer(1)});
    }
    static resp::value message(std::string const& text) {
        return array({string("message"), string("+switch-master"), string(text)});
    }
    void answer(std::string const& host) {
        EXPECT_TRUE(hear(array({string(host), string("6379")})));
        EXPECT_TRUE(hear(array({string("config-epoch"), string("7")})));
        EXPECT_TRUE(hear(array({})));
    }
    /// A connection with a first answer, whose news was taken.
    void begin() {
        up();
        sent();
        answer("a");
        EXPECT_TRUE(hear(subscription("subscribe")));
        traffic.take_news();
        told->times = 0;
    }
};

TEST_F(sentinel_watch_test, asks_and_subscribes_at_once) {
    up();
    EXPECT_THAT(sent(), ElementsAre(address_question, master_question, others_question, "SUBSCRIBE +switch-master"));
    answer("a");
    EXPECT_TRUE(traffic.expects_reply());
    EXPECT_EQ(traffic.take_news(), std::nullopt) << "it is complete with the subscription";
    EXPECT_TRUE(hear(subscription("subscribe")));
    EXPECT_FALSE(traffic.expects_reply());
    EXPECT_EQ(told->times, 1);
    auto const news = traffic.take_news();
    ASSERT_TRUE(news);
    EXPECT_EQ(news->master.host, "a");
    EXPECT_EQ(news->epoch, 7U);
    EXPECT_FALSE(traffic.take_news()) << "taken once";
}

TEST_F(sentinel_watch_test, asks_again_after_a_message_about_its_master_and_no_other) {
    begin();
    EXPECT_TRUE(hear(message("invoices a 1 b 2")));
    EXPECT_THAT(sent(), IsEmpty());
    EXPECT_TRUE(hear(message("orders a 1 b 2")));
    EXPECT_THAT(sent(), ElementsAre("UNSUBSCRIBE +switch-master", address_question, master_question, others_question,
                                    "SUBSCRIBE +switch-master"));
    EXPECT_TRUE(hear(subscription("unsubscribe")));
    answer("b");
    EXPECT_TRUE(hear(subscription("subscribe")));
    EXPECT_EQ(traffic.take_news()->master.host, "b");
    EXPECT_EQ(told->times, 1);
}

TEST_F(sentinel_watch_test, asks_once_more_where_a_message_comes_before_the_answers) {
    begin();
    traffic.stage_ping(now);
    EXPECT_EQ(sent().size(), 5U);
    EXPECT_TRUE(hear(message("orders a 1 b 2")));
    EXPECT_THAT(sent(), IsEmpty()) << "what is due comes first";
    EXPECT_TRUE(hear(subscription("unsubscribe")));
    answer("a");
    EXPECT_TRUE(hear(subscription("subscribe")));
    EXPECT_EQ(sent().size(), 5U);
}

TEST_F(sentinel_watch_test, goes_on_with_probes_where_it_may_not_subscribe) {
    up();
    sent();
    answer("a");
    EXPECT_TRUE(hear(error("NOPERM this user has no permissions to access one of the channels")));
    EXPECT_TRUE(traffic.take_news());
    traffic.stage_ping(now);
    EXPECT_THAT(sent(), ElementsAre(address_question, master_question, others_question, "SUBSCRIBE +switch-master"));
    traffic.stage_ping(now);
    EXPECT_THAT(sent(), IsEmpty()) << "one probe at a time";
}

TEST_F(sentinel_watch_test, begins_anew_on_each_connection) {
    begin();
    traffic.on_down(now, woken);
    EXPECT_FALSE(traffic.expects_reply());
    up();
    EXPECT_EQ(sent().size(), 4U) << "there is nothing to unsubscribe from";
}

TEST_F(sentinel_watch_test, takes_a_reply_to_no_question_for_nonsense) {
    begin();
    EXPECT_FALSE(hear(integer(1)));
}

class role_watch_test : public ::testing::Test, public scripted_watch<role_watch> {};

TEST_F(role_watch_test, asks_at_once_and_with_each_probe) {
    up();
    EXPECT_THAT(sent(), ElementsAre("ROLE"));
    traffic.stage_ping(now);
    EXPECT_THAT(sent(), IsEmpty()) << "one at a time";
    EXPECT_TRUE(hear(array({string("master"), integer(1), array({})})));
    EXPECT_EQ(told->times, 1);
    EXPECT_EQ(traffic.take_news(), server_role::master);
    EXPECT_EQ(traffic.take_news(), std::nullopt);
    traffic.stage_ping(now);
    EXPECT_THAT(sent(), ElementsAre("ROLE"));
}

TEST_F(role_watch_test, knows_no_role_any_more_when_the_connection_ends) {
    up();
    sent();
    traffic.on_down(now, woken);
    woken.wake_all();
    EXPECT_EQ(told->times, 1);
    EXPECT_EQ(traffic.take_news(), server_role::unknown);
    EXPECT_FALSE(hear(integer(1))) << "nothing is due";
}

} // namespace
} // namespace redlatch::connection
