#include "connection/sentinel_replies.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using kind = sentinel_answer::kind;
using scripted::array;
using scripted::error;
using scripted::nil;
using scripted::string;
using ::testing::ElementsAre;
using ::testing::SizeIs;

resp::value fields_of(std::vector<std::string> const& words) {
    std::vector<resp::value> items;
    for (auto const& word : words) items.push_back(string(word));
    return array(std::move(items));
}

resp::value const address = fields_of({"10.0.0.2", "6380"});
resp::value const master = fields_of({"name", "orders", "ip", "10.0.0.2", "config-epoch", "7", "quorum", "2"});
resp::value const others =
    array({fields_of({"name", "x", "ip", "10.0.0.4", "port", "26379"}), fields_of({"port", "26380", "ip", "::1"})});

TEST(sentinel_replies, ask_three_things_at_once) {
    EXPECT_THAT(
        scripted::commands_in(sentinel_questions("orders")),
        ElementsAre("SENTINEL GET-MASTER-ADDR-BY-NAME orders", "SENTINEL MASTER orders", "SENTINEL SENTINELS orders"));
}

TEST(sentinel_replies, say_how_many_sentinels_there_are_and_how_many_have_to_agree) {
    auto const of_three = fields_of({"quorum", "2", "num-other-sentinels", "2"});
    auto const said = read_sentinel_answer({address, of_three, others});
    EXPECT_EQ(said.sentinels, 3);
    EXPECT_EQ(said.quorum, 2);
    EXPECT_EQ(said.master_refused + said.others_refused, "");
    for (auto const* const number : {"", "-1", "x", "70000", "99999999999999999999"}) {
        auto const odd =
            read_sentinel_answer({address, fields_of({"quorum", number, "num-other-sentinels", number}), others});
        EXPECT_EQ(odd.sentinels, std::nullopt) << number;
        EXPECT_EQ(odd.quorum, std::nullopt) << number;
    }
    resp::value refusal;
    refusal.type = resp::value::kind::error;
    refusal.text = "NOPERM no";
    auto const refused = read_sentinel_answer({address, refusal, refusal});
    EXPECT_EQ(refused.what, kind::known);
    EXPECT_EQ(refused.sentinels, std::nullopt);
    EXPECT_EQ(refused.master_refused, "NOPERM no");
    EXPECT_EQ(refused.others_refused, "NOPERM no");
}

TEST(sentinel_replies, say_how_many_sentinels_can_be_reached) {
    auto const reachable = [](std::vector<std::string> const& flags_of_others) {
        std::vector<resp::value> all;
        for (auto const& flags : flags_of_others)
            all.push_back(fields_of({"ip", "10.0.0.4", "port", "26379", "flags", flags}));
        return read_sentinel_answer({address, master, array(std::move(all))}).reachable;
    };
    EXPECT_EQ(reachable({}), 1);
    EXPECT_EQ(reachable({"sentinel", "sentinel"}), 3);
    EXPECT_EQ(reachable({"sentinel", "s_down,sentinel"}), 2);
    EXPECT_EQ(reachable({"sentinel,disconnected", "s_down,sentinel,disconnected"}), 1);
    EXPECT_EQ(reachable({"o_down", "no_s_down"}), 2) << "flags are whole words";
    EXPECT_EQ(read_sentinel_answer({address, master, others}).reachable, 3) << "nothing says that they are away";
    EXPECT_EQ(read_sentinel_answer({address, master, error("NOPERM")}).reachable, std::nullopt);
    EXPECT_EQ(read_sentinel_answer({address, master, string("odd")}).reachable, std::nullopt);
}

TEST(sentinel_replies, say_how_many_replicas_may_be_promoted_where_it_was_asked) {
    EXPECT_THAT(scripted::commands_in(replicas_question("orders")), ElementsAre("SENTINEL REPLICAS orders"));
    auto const read = [](resp::value const& replicas) {
        return read_sentinel_answer({address, master, others, replicas});
    };
    auto const replica = [](std::string const& flags, std::string const& priority) {
        return fields_of({"flags", flags, "slave-priority", priority});
    };
    EXPECT_EQ(read(array({})).promotable, 0);
    EXPECT_EQ(read(array({replica("slave", "100"), replica("slave", "0")})).promotable, 1);
    EXPECT_EQ(read(array({replica("s_down,slave", "100"), replica("slave,disconnected", "1")})).promotable, 0);
    EXPECT_TRUE(read(array({})).asked_for_replicas);
    auto const refused = read(error("NOPERM no"));
    EXPECT_EQ(refused.promotable, std::nullopt);
    EXPECT_EQ(refused.replicas_refused, "NOPERM no");
    EXPECT_EQ(read(string("odd")).promotable, std::nullopt);
    auto const not_asked = read_sentinel_answer({address, master, others});
    EXPECT_FALSE(not_asked.asked_for_replicas);
    EXPECT_EQ(not_asked.promotable, std::nullopt);
}

TEST(sentinel_replies, say_where_the_master_is_since_which_epoch_and_who_else_knows) {
    auto const answer = read_sentinel_answer({address, master, others});
    EXPECT_EQ(answer.what, kind::known);
    EXPECT_EQ(answer.master, (host_and_port{"10.0.0.2", 6380}));
    EXPECT_EQ(answer.epoch, 7U);
    EXPECT_THAT(answer.others, ElementsAre(host_and_port{"10.0.0.4", 26379}, host_and_port{"::1", 26380}));
    EXPECT_EQ(answer.others[1].display(), "[::1]:26380");
}

TEST(sentinel_replies, are_of_use_though_only_the_first_is_answered) {
    auto const answer = read_sentinel_answer({address, error("NOPERM"), error("NOPERM")});
    EXPECT_EQ(answer.what, kind::known);
    EXPECT_EQ(answer.epoch, std::nullopt);
    EXPECT_THAT(answer.others, SizeIs(0));
}

TEST(sentinel_replies, tell_a_name_that_is_not_known_from_a_refusal) {
    auto const no_such = error("ERR No such master with that name");
    EXPECT_EQ(read_sentinel_answer({nil(), no_such, no_such}).what, kind::unknown_name);
    auto const refused = read_sentinel_answer({error("NOPERM no"), error("NOPERM"), error("NOPERM")});
    EXPECT_EQ(refused.what, kind::refused);
    EXPECT_EQ(refused.problem, "NOPERM no");
}

TEST(sentinel_replies, that_are_no_address_are_refusals) {
    for (auto const& odd : {string("OK"), array({string("a")}), fields_of({"", "1"}), fields_of({"a", "0"}),
                            fields_of({"a", "65536"}), fields_of({"a", "1x"}), fields_of({"a", "1", "b"}),
                            fields_of({"a b", "1"}), fields_of({"a\n", "1"}), fields_of({std::string(254, 'a'), "1"})})
        EXPECT_EQ(read_sentinel_answer({odd, master, others}).what, kind::refused);
    EXPECT_NE(read_sentinel_answer({error(""), master, others}).problem, "");
}

TEST(sentinel_replies, name_no_more_others_than_there_can_be) {
    std::vector<resp::value> many;
    for (int i = 1; i <= 1'000; ++i) many.push_back(fields_of({"ip", "a", "port", std::to_string(i)}));
    EXPECT_THAT(read_sentinel_answer({address, master, array(many)}).others, SizeIs(64));
    EXPECT_THAT(read_sentinel_answer({address, master, array({string("odd"), nil(), array({})})}).others, SizeIs(0));
}

TEST(sentinel_replies, are_about_a_master_by_its_whole_name) {
    EXPECT_TRUE(is_about("orders 10.0.0.1 6379 10.0.0.2 6380", "orders"));
    EXPECT_FALSE(is_about("orders2 10.0.0.1 6379 10.0.0.2 6380", "orders"));
    EXPECT_FALSE(is_about("orders", "orders"));
    EXPECT_FALSE(is_about("", "orders"));
}

} // namespace
} // namespace redlatch::connection
