// The simulated server by itself: what only it can do, because it is told the time and the conditions.
#include "sim/server/node_client.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace redlatch::sim {
namespace {

TEST(node_expiry, shows_a_key_up_to_and_in_the_millisecond_of_its_end) {
    redis_node node({});
    node_client client(node);
    client.now_ms = 1000;
    EXPECT_EQ(client("SET", "k", "v", "PX", "50"), "+OK\r\n");
    client.now_ms = 1049;
    EXPECT_EQ(client("PTTL", "k"), ":1\r\n");
    client.now_ms = 1050;
    EXPECT_EQ(client("PTTL", "k"), ":0\r\n");
    EXPECT_EQ(client("GET", "k"), "$1\r\nv\r\n");
    client.now_ms = 1051;
    EXPECT_EQ(client("PTTL", "k"), ":-2\r\n");
    EXPECT_EQ(client("EXISTS", "k"), ":0\r\n");
}

TEST(node_expiry, is_seen_by_every_kind_of_command) {
    redis_node node({});
    node_client client(node);
    for (auto const* const key : {"a", "b", "c", "d", "e"}) {
        client("HSET", key, "owner", "1");
        client("PEXPIRE", key, "50");
    }
    client.now_ms += 51;
    EXPECT_EQ(client("KEYS", "*"), "*0\r\n");
    EXPECT_EQ(client("SCAN", "0"), "*2\r\n$1\r\n0\r\n*0\r\n");
    EXPECT_EQ(client("HEXISTS", "a", "owner"), ":0\r\n");
    EXPECT_EQ(client("PEXPIRE", "b", "1000"), ":0\r\n");
    EXPECT_EQ(client("DEL", "c"), ":0\r\n");
    EXPECT_EQ(client("HSETNX", "d", "owner", "2"), ":1\r\n");
    EXPECT_EQ(client("PTTL", "d"), ":-1\r\n") << "the new key has not the expiry of the old one";
    EXPECT_EQ(client("DBSIZE"), ":1\r\n");
}

TEST(node_expiry, removes_the_key_from_the_data_when_somebody_looks) {
    redis_node node({});
    node_client client(node);
    client("SET", "k", "v", "PX", "50");
    client.now_ms += 51;
    auto const writes = node.writes();
    EXPECT_NE(node.data().databases[0].find("k"), node.data().databases[0].end());
    EXPECT_EQ(node.data().find("k", client.now_ms), nullptr);
    client("EXISTS", "k");
    EXPECT_TRUE(node.data().databases[0].empty());
    EXPECT_GT(node.writes(), writes);
}

TEST(node_expiry, stands_still_while_a_script_runs) {
    redis_node node({});
    node_client client(node);
    client("SET", "k", "v", "PX", "50");
    client.now_ms += 50;
    EXPECT_EQ(client("EVAL", "return {redis.call('exists', KEYS[1]), redis.call('exists', KEYS[1])}", "1", "k"),
              "*2\r\n:1\r\n:1\r\n");
}

TEST(node_conditions, a_loading_server_serves_connections_only) {
    redis_node node({});
    node_client client(node);
    node.set_loading(true);
    constexpr auto loading = "-LOADING Redis is loading the dataset in memory\r\n";
    EXPECT_EQ(client("PING"), loading);
    EXPECT_EQ(client("GET", "k"), loading);
    EXPECT_EQ(client("EVAL", "return 1", "0"), loading);
    EXPECT_EQ(client("SCRIPT", "LOAD", "return 1"), loading);
    EXPECT_EQ(client("CLIENT", "ID"), ":1\r\n");
    EXPECT_EQ(client("SELECT", "1"), "+OK\r\n");
    EXPECT_EQ(client("SUBSCRIBE", "c"), "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    node.set_loading(false);
    EXPECT_EQ(client("PING"), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
}

TEST(node_conditions, a_read_only_server_refuses_writes_of_scripts_too) {
    redis_node node({});
    node_client client(node);
    client("SET", "k", "v");
    node.set_read_only(true);
    EXPECT_EQ(client("SET", "k", "w"), "-READONLY You can't write against a read only replica.\r\n");
    EXPECT_EQ(client("EVAL", "return redis.pcall('del', KEYS[1])", "1", "k"),
              "-READONLY You can't write against a read only replica.\r\n");
    EXPECT_EQ(client("GET", "k"), "$1\r\nv\r\n");
    node.set_read_only(false);
    EXPECT_EQ(client("DEL", "k"), ":1\r\n");
}

TEST(node_conditions, without_memory_a_script_goes_on_once_it_has_written) {
    redis_node node({});
    node_client client(node);
    client("SET", "k", "v");
    node.set_out_of_memory(true);
    constexpr auto refused = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    EXPECT_EQ(client("HSET", "h", "f", "1"), refused);
    EXPECT_EQ(client("EVAL", "return redis.pcall('set', 'n', 1)", "0"), refused);
    EXPECT_EQ(client("EVAL", "redis.call('del', KEYS[1]) return redis.pcall('set', 'n', 1)", "1", "k"), "+OK\r\n");
    EXPECT_EQ(client("DEL", "n"), ":1\r\n");
}

TEST(node_conditions, without_replicas_or_a_disk_only_writes_are_refused) {
    redis_node node({});
    node_client client(node);
    client("SET", "k", "v");
    auto const refused = [&](std::string const& with) {
        EXPECT_TRUE(client("SET", "k", "w").starts_with(with));
        EXPECT_TRUE(client("EVAL", "return redis.call('del', KEYS[1])", "1", "k").starts_with(with));
        EXPECT_EQ(client("EVAL", "return redis.call('exists', KEYS[1])", "1", "k"), ":1\r\n");
        EXPECT_EQ(client("GET", "k"), "$1\r\nv\r\n");
        EXPECT_EQ(client("PUBLISH", "c", "m"), ":0\r\n");
    };
    node.set_no_replicas(true);
    refused("-NOREPLICAS Not enough good replicas to write.");
    EXPECT_EQ(client("PING"), "+PONG\r\n");
    node.set_no_replicas(false);
    node.set_disk_error(true);
    refused("-MISCONF Redis is configured to save RDB snapshots");
    EXPECT_TRUE(client("PING").starts_with("-MISCONF"));
    node.set_disk_error(false);
    EXPECT_EQ(client("DEL", "k"), ":1\r\n");
}

TEST(node_conditions, a_busy_server_refuses_nearly_everything) {
    redis_node node({});
    node_client client(node);
    node.set_busy(true);
    constexpr auto busy = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";
    for (auto const* const word : {"PING", "INFO", "DBSIZE", "TIME"}) EXPECT_EQ(client(word), busy);
    EXPECT_EQ(client("CLIENT", "KILL", "ID", "7"), busy);
    EXPECT_EQ(client("SUBSCRIBE", "c"), busy);
    EXPECT_EQ(client("EVAL", "return 1", "0"), busy);
    EXPECT_FALSE(client("HELLO").starts_with("-BUSY"));
    node.set_busy(false);
    EXPECT_EQ(client("PING"), "+PONG\r\n");
}

TEST(node_conditions, scripts_are_forgotten) {
    redis_node node({});
    node_client client(node);
    auto const loaded = client("SCRIPT", "LOAD", "return 5");
    auto const sha1 = loaded.substr(5, 40);
    EXPECT_EQ(client("EVALSHA", sha1, "0"), ":5\r\n");
    node.flush_scripts();
    EXPECT_EQ(client("EVALSHA", sha1, "0"), "-NOSCRIPT No matching script. Please use EVAL.\r\n");
    EXPECT_EQ(client("EVAL", "return 5", "0"), ":5\r\n");
    EXPECT_EQ(client("EVALSHA", sha1, "0"), ":5\r\n");
}

TEST(node_rights, are_those_of_the_user) {
    redis_node node(
        {.users = {{"default", {.refused = {"publish", "client|kill"}}}, {"admin", {.password = "secret"}}}});
    node_client client(node);
    EXPECT_EQ(client("PUBLISH", "c", "m"), "-NOPERM this user has no permissions to run the 'publish' command\r\n");
    EXPECT_EQ(client("CLIENT", "KILL", "ID", "9"),
              "-NOPERM this user has no permissions to run the 'client|kill' command\r\n");
    EXPECT_EQ(client("CLIENT", "ID"), ":1\r\n");
    EXPECT_EQ(client("EVAL", "return redis.pcall('publish', 'c', 'm')", "0"),
              "-ERR The user executing the script can't run this command or subcommand\r\n");
    EXPECT_EQ(client("AUTH", "admin", "wrong"), "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_EQ(client("AUTH", "admin", "secret"), "+OK\r\n");
    EXPECT_EQ(client("PUBLISH", "c", "m"), ":0\r\n");
    node.set_refused("admin", {"client"});
    EXPECT_EQ(client("CLIENT", "ID"), "-NOPERM this user has no permissions to run the 'client|id' command\r\n");
}

TEST(node_rights, a_password_comes_first) {
    redis_node node({.users = {{"default", {.password = "secret"}}}});
    node_client client(node);
    EXPECT_EQ(client("PING"), "-NOAUTH Authentication required.\r\n");
    EXPECT_EQ(client("GET"), "-ERR wrong number of arguments for 'get' command\r\n");
    EXPECT_EQ(client("AUTH", "wrong"), "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_EQ(client("AUTH", "secret"), "+OK\r\n");
    EXPECT_EQ(client("PING"), "+PONG\r\n");
}

TEST(node_scan, shows_every_key_that_stays_once_while_others_come_and_go) {
    redis_node node({});
    node_client client(node);
    std::set<std::string> staying;
    for (int i = 0; i < 100; ++i) {
        auto const key = "stays" + std::to_string(i);
        client("SET", key, "v");
        staying.insert(key);
        client("SET", "goes" + std::to_string(i), "v");
    }
    std::multiset<std::string> seen;
    std::string cursor = "0";
    int pages = 0;
    do {
        auto const page = client("SCAN", cursor, "COUNT", "7", "MATCH", "stays*");
        for (auto at = page.find("stays"); at != std::string::npos; at = page.find("stays", at + 1)) {
            seen.insert(page.substr(at, page.find('\r', at) - at));
        }
        auto const begin = page.find('\n', page.find('$')) + 1;
        cursor = page.substr(begin, page.find('\r', begin) - begin);
        client("DEL", "goes" + std::to_string(pages));
        client("SET", "comes" + std::to_string(pages), "v");
        ++pages;
    } while (cursor != "0");
    EXPECT_GE(pages, 20);
    EXPECT_EQ(seen, (std::multiset<std::string>(staying.begin(), staying.end())));
}

TEST(node_data, goes_on_in_the_next_run) {
    redis_node first({});
    node_client before(first);
    before("HSET", "lock", "owner", "1");
    before("PEXPIRE", "lock", "1000");
    before("SCRIPT", "LOAD", "return 5");

    redis_node second({.run_id = "0000000000000000000000000000000000000002"}, first.data());
    node_client after(second);
    after.now_ms = before.now_ms + 400;
    EXPECT_EQ(after("PTTL", "lock"), ":600\r\n");
    EXPECT_EQ(after("HGETALL", "lock"), "*2\r\n$5\r\nowner\r\n$1\r\n1\r\n");
    EXPECT_EQ(after("CLIENT", "ID"), ":1\r\n") << "ids begin again";
    EXPECT_NE(after("INFO", "server").find("run_id:0000000000000000000000000000000000000002"), std::string::npos);
    EXPECT_EQ(after("SCRIPT", "EXISTS", "4ca238f611c9d0ae4e9a75a5dbac22aedc379801"), "*1\r\n:0\r\n");
}

TEST(node_data, is_compared_hashed_and_shown) {
    redis_node node({});
    node_client client(node);
    keyspace const empty;
    EXPECT_EQ(node.data(), empty);
    client("HSET", "lock", "owner", "1");
    auto const held = node.data();
    EXPECT_NE(held, empty);
    EXPECT_NE(hash_value(held), hash_value(empty));
    client("PEXPIREAT", "lock", "1700000000050");
    EXPECT_NE(node.data(), held);
    EXPECT_NE(hash_value(node.data()), hash_value(held));
    client("SELECT", "3");
    client("SET", "other", "text");
    std::ostringstream text;
    text << node.data();
    EXPECT_EQ(text.str(), "lock {owner=1} at 1700000000050\n3:other text never\n");

    auto later = node.data();
    later.drop_expired(1700000000050);
    EXPECT_EQ(later, node.data());
    later.drop_expired(1700000000051);
    EXPECT_EQ(later.lines(), std::vector<std::string>{"3:other text never"});

    node.replace_data(held);
    EXPECT_EQ(client("GET", "other"), "$-1\r\n");
}

TEST(node_data, counts_changes_and_nothing_else) {
    redis_node node({});
    node_client client(node);
    client("HSET", "h", "f", "1");
    auto const before = node.writes();
    for (auto const* const command : {"HGETALL", "PTTL", "TYPE", "EXISTS", "PERSIST"}) client(command, "h");
    client("HDEL", "h", "nobody");
    client("DEL", "nobody");
    client("PUBLISH", "c", "m");
    client("EVAL", "return redis.call('hget', 'h', 'f')", "0");
    EXPECT_EQ(node.writes(), before);
    client("PEXPIRE", "h", "1000");
    EXPECT_GT(node.writes(), before);
}

TEST(node_observer, sees_commands_of_clients_and_of_their_scripts) {
    redis_node node({});
    node_client client(node, "10.0.0.9:1");
    std::vector<std::string> seen;
    node.on_executed([&](redis_node::executed const& one) {
        EXPECT_EQ(one.from, client.id());
        EXPECT_EQ(one.address, "10.0.0.9:1");
        EXPECT_EQ(one.now_ms, client.now_ms);
        std::string line(one.depth, '>');
        for (auto const word : one.argv) line.append(word).append(" ");
        seen.push_back(line + std::string(one.reply.substr(0, one.reply.find('\r'))));
    });
    client("EVAL", "redis.call('set', KEYS[1], 'v') return redis.pcall('hget', KEYS[1], 'f')", "1", "k");
    client("NOSUCH");
    EXPECT_EQ(seen, (std::vector<std::string>{
                        ">set k v +OK", ">hget k f -WRONGTYPE Operation against a key holding the wrong kind of value",
                        "EVAL redis.call('set', KEYS[1], 'v') return redis.pcall('hget', KEYS[1], 'f') 1 k "
                        "-WRONGTYPE Operation against a key holding the wrong kind of value",
                        "NOSUCH -ERR unknown command 'NOSUCH', with args beginning with: "}));
}

} // namespace
} // namespace redlatch::sim
