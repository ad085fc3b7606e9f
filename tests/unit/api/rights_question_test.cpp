#include "api/rights_question.hpp"
#include "resp/command.hpp"
#include "resp/reader.hpp"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace redlatch::detail {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using words = std::vector<std::string>;

/// The commands that are asked about.
std::vector<words> questions_of(rights_question const& asked) {
    resp::reader reader;
    reader.feed(asked.command());
    resp::value call;
    EXPECT_EQ(reader.next(call), resp::reader::result::value);
    std::vector<words> all;
    for (std::size_t at = 3; at < call.items.size();) {
        auto const count = std::stoul(call.items[at++].text);
        words one;
        for (std::size_t i = 0; i < count; ++i) one.push_back(call.items.at(at++).text);
        all.push_back(std::move(one));
    }
    return all;
}

resp::value reply_to(rights_question const& asked, std::function<bool(words const&)> const& allowed) {
    resp::value said{.type = resp::value::kind::string};
    for (auto const& one : questions_of(asked)) said.text.push_back(allowed(one) ? '1' : '0');
    return said;
}

bool has(words const& command, std::string const& part) {
    return std::any_of(command.begin(), command.end(),
                       [&](std::string const& word) { return word.find(part) != std::string::npos; });
}

TEST(rights_question, of_whoever_may_do_everything_finds_nothing_missing) {
    rights_question const asked("jobs:", {});
    auto const said = asked.read(reply_to(asked, [](words const&) { return true; }));
    ASSERT_TRUE(said);
    EXPECT_THAT(said->missing, IsEmpty());
    EXPECT_TRUE(said->complete);
}

TEST(rights_question, names_a_command_that_is_allowed_with_no_key) {
    rights_question const asked("jobs:", {});
    auto const said = asked.read(reply_to(asked, [](words const& one) { return one.front() != "hset"; }));
    EXPECT_THAT(said.value().missing, ElementsAre("+hset"));
    EXPECT_TRUE(said->complete);
    auto const of_client =
        asked.read(reply_to(asked, [](words const& one) { return one.size() < 2 || one[0] + one[1] != "clientkill"; }));
    EXPECT_THAT(of_client.value().missing, ElementsAre("+client|kill"));
}

TEST(rights_question, names_a_pattern_with_which_no_command_is_allowed) {
    rights_question const asked("jobs:", {});
    auto const without_queues =
        asked.read(reply_to(asked, [](words const& one) { return !has(one, "redisson_lock_queue"); }));
    EXPECT_THAT(without_queues.value().missing, ElementsAre("~redisson_lock_queue:{jobs:*}"));
    auto const without_channel =
        asked.read(reply_to(asked, [](words const& one) { return !has(one, "redisson_rwlock"); }));
    EXPECT_THAT(without_channel.value().missing, ElementsAre("&redisson_rwlock:{jobs:*"));
}

/// A user of reentrant locks has but one channel: without it all that is asked with a channel is refused.
TEST(rights_question, names_no_command_where_it_is_refused_for_want_of_the_channel) {
    rights_question const asked("jobs:", {});
    auto const is_with_channel = [](words const& one) {
        return (one.front() == "publish" || one.front() == "subscribe") && one.size() > 1;
    };
    auto const said = asked.read(reply_to(asked, [&](words const& one) { return !is_with_channel(one); }));
    EXPECT_THAT(said.value().missing, Contains("&redisson_lock__channel:{jobs:*"));
    for (auto const* const command : {"+publish", "+subscribe", "+unsubscribe"})
        EXPECT_THAT(said->missing, Not(Contains(command)));
    EXPECT_TRUE(said->complete);
    auto const without_one = asked.read(
        reply_to(asked, [&](words const& one) { return one.front() != "subscribe" && !is_with_channel(one); }));
    EXPECT_THAT(without_one.value().missing, Contains("+subscribe"));
    EXPECT_THAT(without_one->missing, Not(Contains("+publish")));
    EXPECT_TRUE(without_one->complete);
}

TEST(rights_question, names_no_channel_where_nothing_tells_of_channels) {
    rights_question const asked("jobs:", {});
    auto const said = asked.read(
        reply_to(asked, [](words const& one) { return one.front() != "publish" && one.front() != "subscribe"; }));
    EXPECT_THAT(said.value().missing, ElementsAre("+publish", "+subscribe"));
    EXPECT_FALSE(said->complete) << "channels may be missing too";
}

TEST(rights_question, takes_no_command_for_unknown_that_the_server_wants_a_channel_of) {
    rights_question const asked("jobs:", {});
    auto reply = reply_to(asked, [](words const&) { return true; });
    auto const questions = questions_of(asked);
    for (std::size_t at = 0; at < questions.size(); ++at)
        if (questions[at].front().ends_with("publish") && questions[at].size() == 1) reply.text[at] = '?';
    auto const said = asked.read(reply);
    EXPECT_THAT(said.value().missing, IsEmpty());
    EXPECT_THAT(said->unknown, IsEmpty());
}

TEST(rights_question, says_nothing_of_commands_where_no_name_is_allowed) {
    rights_question const asked("", {});
    auto const said = asked.read(
        reply_to(asked, [](words const& one) { return !has(one, "redlatch") || one.front() == "unsubscribe"; }));
    ASSERT_TRUE(said);
    EXPECT_FALSE(said->complete);
    EXPECT_THAT(said->missing, Contains("~*"));
    EXPECT_THAT(said->missing, Contains("&redisson_lock__channel:*"));
    EXPECT_THAT(said->missing, Not(Contains("+hset")));
    EXPECT_THAT(said->missing, Not(Contains("+publish")));
}

TEST(rights_question, keeps_characters_of_patterns_in_names_what_they_are) {
    rights_question const asked("a*[b]", {});
    auto const said = asked.read(reply_to(asked, [](words const& one) { return !has(one, "a*[b]"); }));
    EXPECT_THAT(said.value().missing, Contains("~a\\*\\[b\\]*"));
    EXPECT_THAT(said->missing, Contains("&redisson_sc:{a\\*\\[b\\]*"));
}

TEST(rights_question, depends_on_how_the_servers_are_arranged) {
    auto const asks = [](rights_arrangement const& among, std::string const& command) {
        auto const all = questions_of(rights_question("", among));
        return std::any_of(all.begin(), all.end(), [&](words const& one) {
            return one.front() == command || (one.size() > 1 && one[0] + "|" + one[1] == command);
        });
    };
    for (auto const* const command : {"publish", "subscribe", "unsubscribe", "pubsub|numsub"}) {
        EXPECT_TRUE(asks({}, command)) << command;
        EXPECT_TRUE(asks({.of_cluster = true}, command)) << command;
        EXPECT_FALSE(asks({.of_cluster = true, .sharded = true}, command)) << command;
    }
    for (auto const* const command : {"spublish", "ssubscribe", "sunsubscribe", "pubsub|shardnumsub"}) {
        EXPECT_FALSE(asks({}, command)) << command;
        EXPECT_TRUE(asks({.of_cluster = true, .sharded = true}, command)) << command;
    }
    EXPECT_TRUE(asks({.of_cluster = true}, "asking"));
    EXPECT_TRUE(asks({.of_cluster = true}, "cluster|nodes"));
    EXPECT_FALSE(asks({}, "asking"));
    EXPECT_TRUE(asks({.asks_for_roles = true}, "role"));
    EXPECT_FALSE(asks({}, "role"));
}

TEST(rights_question, takes_no_reply_that_does_not_fit) {
    rights_question const asked("jobs:", {});
    auto good = reply_to(asked, [](words const&) { return true; });
    EXPECT_TRUE(asked.read(good));
    auto longer = good;
    longer.text += '1';
    EXPECT_FALSE(asked.read(longer));
    auto odd = good;
    odd.text.front() = 'x';
    EXPECT_FALSE(asked.read(odd));
    auto error = good;
    error.type = resp::value::kind::error;
    EXPECT_FALSE(asked.read(error));
    EXPECT_FALSE(asked.read({}));
    auto unknown = good;
    std::fill(unknown.text.begin(), unknown.text.end(), '?');
    EXPECT_FALSE(asked.read(unknown).value().complete);
}

TEST(rights_question, tells_commands_that_the_server_does_not_know_from_those_that_are_not_allowed) {
    rights_question const asked("jobs:", {});
    auto reply = reply_to(asked, [](words const& one) { return one.front() != "hset"; });
    auto const questions = questions_of(asked);
    for (std::size_t at = 0; at < questions.size(); ++at)
        if (questions[at].front() == "restore" || has(questions[at], "kill")) reply.text[at] = '?';
    auto const said = asked.read(reply);
    ASSERT_TRUE(said);
    EXPECT_THAT(said->missing, ElementsAre("+hset"));
    EXPECT_THAT(said->unknown, ElementsAre("restore", "client|kill"));
    EXPECT_TRUE(said->complete);
}

} // namespace
} // namespace redlatch::detail
