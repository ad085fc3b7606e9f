// A simulated node of a cluster beside a real one: who executes a command while a slot is at home, on its way, and gone.
#include "locking/wire_call.hpp"
#include "resp/reader.hpp"
#include "sim/server/key_slot.hpp"
#include "sim/server/membership.hpp"
#include "sim/server/node_client.hpp"
#include "support/raw_client.hpp"
#include "support/redis_cluster.hpp"

#include <array>
#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using words = std::vector<std::string>;

std::string text_of(resp::value const& reply) {
    if (reply.is_error()) return "-" + reply.text;
    if (reply.is_integer()) return ":" + std::to_string(reply.integer);
    if (!reply.is_array()) return reply.is_text() ? reply.text : "nil";
    std::string text = "[";
    for (auto const& one : reply.items) text += text_of(one) + " ";
    return text + "]";
}

/// The slots of two masters, as the real ones have them; the first is node 0.
class pair_of_nodes {
public:
    pair_of_nodes() {
        for (std::size_t i = 0; i < 2; ++i) {
            auto& mine = members_.at(i);
            mine.me = static_cast<int>(i);
            for (std::size_t j = 0; j < 2; ++j)
                mine.members.push_back({.id = real_.id(j), .port = real_.node(j).address().port});
            for (unsigned slot = 0; slot < slots_in_all; ++slot) mine.owners.push_back(slot < slots_in_all / 2 ? 0 : 1);
            node_settings made;
            made.cluster = &mine;
            simulated_.emplace_back(made);
        }
        for (std::size_t i = 0; i < 2; ++i) ours_.emplace_back(simulated_[i]);
        for (std::size_t i = 0; i < 2; ++i) theirs_.emplace_back(real_.node(i).address());
    }

    /// What both say. `pushed`: and so many messages without a command.
    void compare(std::size_t at, words const& command, int pushed = 0) {
        resp::reader replies;
        std::string bytes;
        {
            std::vector<std::string_view> const views(command.begin(), command.end());
            bytes = ours_[at].send(encoded(views));
        }
        for (auto host = bytes.find(servers_host); host != bytes.npos; host = bytes.find(servers_host))
            bytes.replace(host, servers_host.size(), "127.0.0.1");
        replies.feed(bytes);
        std::string title;
        for (auto const& word : command) title += word + " ";
        theirs_[at].send(resp_of(command));
        for (int i = 0; i <= pushed; ++i) {
            resp::value simulated;
            ASSERT_EQ(replies.next(simulated), resp::reader::result::value) << title;
            EXPECT_EQ(text_of(simulated), text_of(theirs_[at].receive())) << title << "on node " << at;
        }
    }
    void compare_behind_asking(std::size_t at, words const& command) {
        compare(at, {"ASKING"});
        compare(at, command);
    }

    void begin_move(std::string const& key) {
        real_.begin_move(redis_cluster::slot_of(key), 0, 1);
        members_[0].migrating[key_slot(key)] = 1;
        members_[1].importing[key_slot(key)] = 0;
    }
    void move(std::string const& key) {
        real_.node(0).run("MIGRATE", "127.0.0.1", std::to_string(real_.node(1).address().port), key, "0", "5000",
                          "REPLACE");
        simulated_[1].put_key(key, *simulated_[0].take_key(key));
    }
    void end_move(std::string const& key) {
        auto const slot = key_slot(key);
        real_.end_move(slot, 0, 1);
        for (std::size_t i = 0; i < 2; ++i) {
            members_[i].owners[slot] = 1;
            members_[i].migrating.clear();
            members_[i].importing.clear();
        }
        simulated_[0].end_shard_subscriptions([&](std::uint16_t gone) { return gone == slot; });
    }
    /// What comes by itself on the connection to the first node.
    void compare_messages() {
        resp::reader replies;
        replies.feed(ours_[0].received());
        resp::value simulated;
        while (replies.next(simulated) == resp::reader::result::value)
            EXPECT_EQ(text_of(simulated), text_of(theirs_[0].receive()));
    }

    std::string name_here() const { return real_.name_on(0); }
    std::string name_there() const { return real_.name_on(1); }

private:
    using redis_cluster = test::redis_cluster;
    static std::string resp_of(words const& command) {
        return encoded(std::vector<std::string_view>(command.begin(), command.end()));
    }

    test::redis_cluster real_{2};
    std::array<membership, 2> members_{};
    std::vector<redis_node> simulated_;
    std::vector<node_client> ours_;
    std::vector<test::raw_client> theirs_;
};

/// As locks are asked about.
void compare_all(pair_of_nodes& both, std::string const& key) {
    auto const second = "second:{" + key + "}";
    auto const missing = "missing:{" + key + "}";
    auto const channel = "channel:{" + key + "}";
    auto const exists = "return redis.call('exists', KEYS[1])";
    for (std::size_t const node : {0U, 1U}) {
        for (bool const asking : {false, true}) {
            auto const compare = [&](words const& command) {
                asking ? both.compare_behind_asking(node, command) : both.compare(node, command);
            };
            compare({"EXISTS", key});
            compare({"EXISTS", key, second});
            compare({"EXISTS", key, missing});
            compare({"EXISTS", missing});
            compare({"HSET", key, "field", "1"});
            compare({"EVAL", exists, "1", key});
            compare({"EVAL", exists, "2", key, missing});
            compare({"EVAL", exists, "2", missing, missing});
            compare({"EVALSHA", std::string(40, 'a'), "1", key});
            compare({"EVAL", "return redis.call('hset', KEYS[1], 'field', ARGV[1])", "1", key, "2"});
            compare({"EVAL", "return redis.call('exists', ARGV[1])", "1", key, missing});
            compare({"EVAL", "return redis.call('exists', KEYS[1], ARGV[1])", "1", key, missing});
            compare({"EVAL", "return redis.call('spublish', ARGV[1], 'text')", "1", key, channel});
            compare({"SPUBLISH", channel, "text"});
            compare({"PUBLISH", channel, "text"});
            compare({"PUBSUB", "SHARDNUMSUB", "0"});
            compare({"EVAL", "return 1", "0"});
            compare({"EXISTS", both.name_here(), both.name_there()});
            compare({"EXISTS", both.name_there()});
        }
        both.compare(node, {"EXISTS", key}); // ASKING was for one command
    }
}

TEST(node_of_a_cluster, answers_as_a_real_one_while_a_slot_moves) {
    pair_of_nodes both;
    auto const key = both.name_here();
    auto const second = "second:{" + key + "}";
    both.compare(0, {"HSET", key, "field", "0"});
    both.compare(0, {"SET", second, "text"});
    {
        SCOPED_TRACE("at home");
        compare_all(both, key);
    }
    both.begin_move(key);
    {
        SCOPED_TRACE("on its way, with its keys");
        compare_all(both, key);
    }
    both.move(second);
    {
        SCOPED_TRACE("on its way, one key is there");
        compare_all(both, key);
    }
    both.move(key);
    {
        SCOPED_TRACE("on its way, both keys are there");
        compare_all(both, key);
    }
    both.end_move(key);
    {
        SCOPED_TRACE("there");
        compare_all(both, key);
    }
}

TEST(node_of_a_cluster, ends_subscriptions_to_the_shard_as_a_real_one) {
    pair_of_nodes both;
    auto const key = both.name_here();
    auto const channel = "channel:{" + key + "}";
    both.compare(0, {"SSUBSCRIBE", channel});
    both.begin_move(key);
    both.compare(0, {"SSUBSCRIBE", "another:{" + both.name_here() + "}"});
    both.compare(0, {"SUNSUBSCRIBE", "another:{" + both.name_here() + "}"});
    both.compare(1, {"SSUBSCRIBE", channel});
    both.end_move(key);
    both.compare_messages();
    both.compare(0, {"SSUBSCRIBE", channel});
    both.compare(0, {"SUNSUBSCRIBE", channel});
    both.compare(1, {"SSUBSCRIBE", channel});
}

TEST(node_of_a_cluster, says_who_has_which_slots) {
    membership three{.me = 1};
    for (int i = 0; i < 3; ++i)
        three.members.push_back({.id = std::string(40, static_cast<char>('a' + i)),
                                 .port = static_cast<std::uint16_t>(7'000 + i),
                                 .epoch = static_cast<std::uint64_t>(i)});
    three.members[2].master = 1;
    three.owners.assign(slots_in_all, 1);
    three.owners[7] = 0;
    three.owners[9] = membership::nobody;
    three.importing[7] = 0;
    auto const id = [](char letter) { return std::string(40, letter); };
    EXPECT_EQ(three.nodes(), id('a') + " 10.0.0.1:7000@17000 master - 0 0 0 connected 7\n" + id('b')
                                 + " 10.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-6 8 10-16383 [7-<-" + id('a')
                                 + "]\n" + id('c') + " 10.0.0.1:7002@17002 slave " + id('b') + " 0 0 2 connected\n");
}

// The hash of a reader is here, and the keys of its holds are not yet: that they are missing says nothing.
TEST(node_of_a_cluster, says_of_a_reader_whose_keys_are_not_there_yet_that_its_slot_is_divided) {
    std::string const key = "key";
    membership mine;
    mine.members = {{.id = std::string(40, 'a'), .port = 1}, {.id = std::string(40, 'b'), .port = 2}};
    mine.owners.assign(slots_in_all, 1);
    mine.importing[key_slot(key)] = 1;
    for (bool const newer : {false, true}) {
        node_settings made;
        made.is_newer = newer;
        made.cluster = &mine;
        redis_node node(made);
        node_client user(node);
        auto const said = [&](auto const&... command) {
            user("ASKING");
            return user(command...);
        };
        ASSERT_EQ(said("HSET", key, "mode", "read", "me:1", "1"), ":2\r\n");
        auto const renewed = said("EVAL", locking::scripts::read_renew.text, "1", key, "30000", "me:1", "{key}:");
        EXPECT_NE(renewed.find(newer ? "undeclared keys were accessed during rehashing of the slot"
                                     : "attempted to access a non local key"),
                  std::string::npos)
            << renewed;
    }
}

} // namespace
} // namespace redlatch::sim
