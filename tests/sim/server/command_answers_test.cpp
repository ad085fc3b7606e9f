// Plain commands with all their options and errors, as a table: the simulated and a real server answer alike. Each line is one
// command of client 0, "|" divides its words and "2:" in front gives it to client 2. Every dialogue begins on empty servers.
#include "sim/server/differential/pair_of_servers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

step command_of(std::string_view line) {
    step one;
    if (line.size() > 1 && line[1] == ':') {
        one.client = static_cast<std::size_t>(line[0] - '0');
        line.remove_prefix(2);
    }
    word_list command;
    for (std::size_t end = 0; end != std::string_view::npos; line.remove_prefix(std::min(end, line.size() - 1) + 1)) {
        end = line.find('|');
        command.emplace_back(line.substr(0, end));
    }
    one.commands = {command};
    return one;
}

class command_answers : public testing::Test {
protected:
    void SetUp() override {
        if (!servers_.version().starts_with("7.0."))
            GTEST_SKIP() << "Redis 7.0 is what is simulated, not " << servers_.version();
    }

    void expect_same(std::initializer_list<std::string_view> lines) {
        std::vector<step> sequence;
        for (auto const line : lines) sequence.push_back(command_of(line));
        EXPECT_EQ(servers_.play(sequence), std::nullopt);
    }

private:
    pair_of_servers servers_;
};

TEST_F(command_answers, on_connections) {
    expect_same({"PING", "PING|x", "PING|x|y", "ECHO|x", "ECHO", "CLIENT", "CLIENT|nosuch", "CLIENT|nosuch|x",
                 "client|KILL", "CLIENT|ID", "CLIENT|ID|x", "CLIENT|GETNAME", "CLIENT|SETNAME|a b", "CLIENT|SETNAME|ab",
                 "CLIENT|GETNAME", "CLIENT|INFO", "CLIENT|SETNAME|", "CLIENT|GETNAME", "CLIENT|SETINFO|LIB-NAME|x"});
    expect_same({"HELLO", "HELLO|2", "HELLO|4", "HELLO|x", "HELLO|2|AUTH|default|x", "HELLO|2|AUTH|nobody|x",
                 "HELLO|2|SETNAME|me", "CLIENT|GETNAME", "HELLO|2|SETNAME|a b", "HELLO|2|FOO", "HELLO|2|AUTH|default"});
    expect_same({"AUTH", "AUTH|x", "AUTH|default|x", "AUTH|nobody|x", "AUTH|a|b|c", "AUTH|admin|wrong",
                 "AUTH|admin|secret", "CLIENT|INFO"});
    expect_same({"SELECT|1", "SET|k|v", "SELECT|0", "GET|k", "SELECT|16", "SELECT|-1", "SELECT|x", "SELECT|2147483648",
                 "SELECT|1", "GET|k", "CLIENT|INFO", "FLUSHDB", "GET|k"});
    expect_same({"SELECT|1", "CLIENT|SETNAME|me", "AUTH|admin|secret", "RESET", "SET|k|v", "CLIENT|INFO", "RESET|x"});
    expect_same({"QUIT", "PING", "QUIT|x"});
}

TEST_F(command_answers, on_ending_connections) {
    expect_same({"CLIENT|KILL|x", "CLIENT|KILL|<addr 1>", "1:PING", "CLIENT|KILL|<addr 0>", "PING"});
    expect_same({"CLIENT|KILL|ID|x", "CLIENT|KILL|ID|0", "CLIENT|KILL|ID|-1", "CLIENT|KILL|ID|999999",
                 "CLIENT|KILL|ID|<id 1>|ADDR", "CLIENT|KILL|FOO|1", "CLIENT|KILL|ADDR|x|ID|<id 1>",
                 "CLIENT|KILL|SKIPME|perhaps", "CLIENT|KILL|TYPE|foo", "CLIENT|KILL|USER|foo", "1:PING"});
    expect_same({"CLIENT|KILL|ID|<id 1>|ADDR|<addr 2>", "CLIENT|KILL|ID|<id 1>|ADDR|<addr 1>",
                 "CLIENT|KILL|ID|<id 1>|ADDR|<addr 1>", "CLIENT|LIST", "1:CLIENT|LIST"});
    expect_same({"CLIENT|KILL|ID|<id 0>", "PING", "CLIENT|KILL|ID|<id 0>|SKIPME|no", "PING"});
    expect_same({"1:SUBSCRIBE|c", "CLIENT|KILL|TYPE|pubsub", "PUBLISH|c|m", "1:PING"});
    expect_same({"CLIENT|LIST|TYPE|normal", "CLIENT|LIST|TYPE|foo", "CLIENT|LIST|ID|<id 0>|<id 1>", "CLIENT|LIST|ID|x",
                 "CLIENT|LIST|ID|999999", "CLIENT|LIST|FOO|x", "CLIENT|LIST|ID"});
}

TEST_F(command_answers, on_keys_and_their_expiry) {
    expect_same({"SET|k|v",
                 "PEXPIREAT|k|4000000000000",
                 "PEXPIREAT|k|4000000000000|GT",
                 "PEXPIREAT|k|4000000000000|LT",
                 "PEXPIREAT|k|4000000000001|GT",
                 "PEXPIREAT|k|4000000000000|LT",
                 "PEXPIRETIME|k",
                 "PEXPIREAT|k|1|NX",
                 "PERSIST|k",
                 "PERSIST|k",
                 "PEXPIREAT|k|1|XX",
                 "PEXPIREAT|k|5000000000000|GT",
                 "PEXPIREAT|k|4000000000000|LT",
                 "PEXPIRE|k|100000|NX|XX",
                 "PEXPIRE|k|100000|GT|LT",
                 "PEXPIRE|k|1|FOO",
                 "PEXPIRE|k|x|FOO",
                 "PEXPIRE|k|x",
                 "PEXPIRE|k",
                 "PEXPIRE|k|9223372036854775807",
                 "EXPIRE|k|9223372036854775",
                 "EXPIRE|k|9223372036854775807",
                 "PEXPIREAT|k|9223372036854775807",
                 "PEXPIRETIME|k",
                 "PEXPIRE|k|-9223372036854775808",
                 "EXISTS|k",
                 "PEXPIRE|nobody|9223372036854775807"});
    expect_same({"TTL|k", "PTTL|k", "SET|k|v", "TTL|k", "PTTL|k", "PEXPIRETIME|k", "EXPIRE|k|500", "TTL|k", "PTTL|k",
                 "PEXPIRE|k|0", "EXISTS|k", "SET|k|v", "PEXPIREAT|k|-1", "TYPE|k"});
    expect_same({"SET|s|v", "HSET|h|f|v", "TYPE|s", "TYPE|h", "TYPE|nobody", "EXISTS|s|h|s|nobody", "KEYS|*", "KEYS",
                 "DBSIZE", "DEL|s|nobody|s", "DEL", "UNLINK|h", "DBSIZE", "FLUSHALL|x", "FLUSHALL|SYNC",
                 "FLUSHDB|ASYNC", "FLUSHALL|SYNC|x"});
    expect_same({"SET|lock1|v", "HSET|lock2|f|v", "SCAN|0", "SCAN|0|COUNT|1000|MATCH|lock?", "SCAN|0|TYPE|hash",
                 "SCAN|0|TYPE|foo", "SCAN|x", "SCAN|0|COUNT|0", "SCAN|0|COUNT|x", "SCAN|0|MATCH", "SCAN|0|FOO|1"});
}

TEST_F(command_answers, on_strings) {
    expect_same({"SET|k|v|NX", "SET|k|w|NX", "SET|k|w|XX", "SET|n|w|XX", "GET|k", "SET|k|x|XX|GET", "SET|k|y|NX|GET",
                 "SET|n|y|NX|GET", "SET|k|v|NX|XX", "SET|k|v|FOO", "SET|k", "GET", "GET|k|k"});
    expect_same({"SET|k|v|PX|x",
                 "SET|k|v|PX|0",
                 "SET|k|v|PX|-1",
                 "SET|k|v|PX",
                 "SET|k|v|EX|9223372036854775807",
                 "SET|k|v|PX|9223372036854775807",
                 "SET|k|v|PX|100000|EX|1",
                 "SET|k|v|PX|1|PX|100000",
                 "PTTL|k",
                 "SET|k|w|KEEPTTL",
                 "PTTL|k",
                 "SET|k|w",
                 "PTTL|k",
                 "SET|k|v|PXAT|4000000000000",
                 "PEXPIRETIME|k",
                 "SET|k|v|EXAT|4000000000",
                 "PEXPIRETIME|k",
                 "SET|k|v|PXAT|1",
                 "GET|k",
                 "SET|k|v|KEEPTTL|PX|1"});
    expect_same({"INCR|n", "INCRBY|n|5", "DECR|n", "DECRBY|n|9223372036854775807", "DECRBY|n|-9223372036854775808",
                 "INCRBY|n|x", "SET|n|9223372036854775807", "INCR|n", "SET|n|01", "INCR|n", "SET|n| 1", "INCR|n"});
    expect_same({"HSET|h|f|v", "GET|h", "INCR|h", "SET|h|v|GET", "SET|h|v|NX", "SET|h|v", "TYPE|h"});
}

TEST_F(command_answers, on_hashes) {
    expect_same({"HSET|h|a|1|b|2", "HSET|h|b|3|c|4", "HSET|h",       "HSET|h|a",    "HSET|h|a|b|c", "HGETALL|h",
                 "HKEYS|h",        "HVALS|h",        "HLEN|h",       "HGET|h|b",    "HGET|h|z",     "HEXISTS|h|a",
                 "HEXISTS|h|z",    "HDEL|h|a|z|b",   "HDEL|h|c",     "EXISTS|h",    "HGETALL|h",    "HLEN|h",
                 "HGET|h|a",       "HDEL|h|a",       "HSETNX|h|a|1", "HSETNX|h|a|2"});
    expect_same({"HSET|h|n|1|x|text|big|9223372036854775807", "HINCRBY|h|n|x", "HINCRBY|h|n|+1", "HINCRBY|h|n|01",
                 "HINCRBY|h|n|5", "HINCRBY|h|x|1", "HINCRBY|h|big|1", "HINCRBY|h|new|-1", "HGETALL|h",
                 "HINCRBY|other|n|1", "HGETALL|other"});
    expect_same({"SET|s|v", "HSET|s|f|v", "HSETNX|s|f|v", "HGET|s|f", "HGETALL|s", "HKEYS|s", "HLEN|s", "HEXISTS|s|f",
                 "HDEL|s|f", "HINCRBY|s|f|1", "HINCRBY|s|f|x", "GET|s"});
}

TEST_F(command_answers, on_sorted_sets) {
    expect_same({"ZADD|z|3|c|1|a|2|b|2|B", "ZCOUNT|z|1|2", "ZCOUNT|z|(1|+inf", "ZCOUNT|z|-inf|(2", "ZCOUNT|z|3|1",
                 "ZCOUNT|z||2", "ZCOUNT|z|x|2", "ZCOUNT|z|1|nan", "ZCOUNT|z|( 1|2 ", "ZCOUNT|z|1", "ZCOUNT|nobody|1|2",
                 "ZCOUNT|nobody|x|2", "SET|s|v", "ZCOUNT|s|1|2", "ZCOUNT|s|x|2"});
    expect_same({"ZADD|z|3|c|1|a|2|b|2|B", "ZRANGEBYSCORE|z|-inf|+inf", "ZRANGEBYSCORE|z|(1|3|WITHSCORES",
                 "ZRANGEBYSCORE|z|1|3|limit|1|2|withscores", "ZRANGEBYSCORE|z|1|3|LIMIT|1|-1",
                 "ZRANGEBYSCORE|z|1|3|LIMIT|-1|2", "ZRANGEBYSCORE|z|1|3|LIMIT|9|2", "ZRANGEBYSCORE|z|1|3|LIMIT|0|0",
                 "ZRANGEBYSCORE|z|1|3|LIMIT|x|2", "ZRANGEBYSCORE|z|x|3|LIMIT|0|x", "ZRANGEBYSCORE|z|1|3|LIMIT|0",
                 "ZRANGEBYSCORE|z|1|3|FOO", "ZRANGEBYSCORE|z|x|3", "ZRANGEBYSCORE|z|x|3|FOO", "ZRANGEBYSCORE|z|3|1",
                 "ZRANGEBYSCORE|nobody|1|2", "ZRANGEBYSCORE|z|1", "SET|s|v", "ZRANGEBYSCORE|s|1|2"});
}

TEST_F(command_answers, on_messages) {
    expect_same({"SUBSCRIBE|a|b|a", "1:PUBLISH|a|m", "1:PUBLISH|c|m", "GET|k", "NOSUCH", "GET", "PING", "PING|x",
                 "SUBSCRIBE", "CLIENT|ID", "UNSUBSCRIBE|a", "UNSUBSCRIBE|z", "UNSUBSCRIBE", "UNSUBSCRIBE", "GET|k"});
    expect_same({"PSUBSCRIBE|a*|?b", "SUBSCRIBE|ab", "1:PUBLISH|aa|m", "1:PUBLISH|b|m", "UNSUBSCRIBE",
                 "PUNSUBSCRIBE|a*", "PUNSUBSCRIBE", "PUNSUBSCRIBE", "PUBLISH|a", "PUBLISH|a|m"});
    expect_same({"SUBSCRIBE|a", "RESET", "GET|k", "1:PUBLISH|a|m", "SUBSCRIBE|a", "QUIT", "1:PUBLISH|a|m"});
}

TEST_F(command_answers, on_scripts) {
    expect_same({"EVAL",
                 "EVAL|return 1",
                 "EVAL|return 1|x",
                 "EVAL|return 1|2|a",
                 "EVAL|return 1|-1",
                 "EVALSHA|nosuch|0",
                 "EVALSHA|nosuch|1",
                 "EVALSHA|e0e1f9fabfc9d4800c877a703b823ac0578ff8db|1",
                 "EVALSHA|e0e1f9fabfc9d4800c877a703b823ac0578ff8db|0",
                 "EVAL|return 1|0",
                 "EVALSHA|E0E1F9FABFC9D4800C877A703B823AC0578FF8DB|0",
                 "SCRIPT",
                 "SCRIPT|LOAD",
                 "SCRIPT|LOAD|x x",
                 "SCRIPT|LOAD|return 1",
                 "SCRIPT|EXISTS",
                 "SCRIPT|EXISTS|x|e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
                 "SCRIPT|FLUSH|x",
                 "SCRIPT|FLUSH|ASYNC",
                 "SCRIPT|EXISTS|e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
                 "SCRIPT|nosuch",
                 "SCRIPT|KILL",
                 "SELECT|3",
                 "EVAL|return redis.call('set', 'k', 'v')|0",
                 "GET|k"});
}

TEST_F(command_answers, on_what_is_no_command) {
    expect_same({"NOSUCH", "nosuch|a|b", "|a", "client|id", "NOSUCH|a\r\nb|c"});
    std::string const longest(200, 'x');
    expect_same({longest + "|a", "NOSUCH|" + longest + "|b", "NOSUCH|" + longest.substr(0, 120) + "|b|c|d"});
}

} // namespace
} // namespace redlatch::sim
