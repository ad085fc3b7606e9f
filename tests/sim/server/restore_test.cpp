// RESTORE, by which a free lock is taken without a script: the payload, what is wrong with it, what is said in which order. The
// bytes are those of a real server, so that its checksum is not only compared with itself.
#include "sim/server/crc64.hpp"
#include "sim/server/differential/pair_of_servers.hpp"
#include "sim/server/dump_payload.hpp"
#include "sim/server/node_client.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::string_literals;

constexpr auto ok = "+OK\r\n";
constexpr auto busy = "-BUSYKEY Target key name already exists.\r\n";
constexpr auto wrong_footer = "-ERR DUMP payload version or checksum are wrong\r\n";
constexpr auto bad_format = "-ERR Bad data format\r\n";

std::string first_hold() {
    return "\x04\x01\x0a"s + "71b96ce8:1" + "\x01" + "1";
}

TEST(crc64, gives_the_published_sum) {
    EXPECT_EQ(crc64(""), 0U);
    EXPECT_EQ(crc64("123456789"), 0xe9c6d914c4b8d9caU);
}

TEST(dump_payload, has_the_footer_that_redis_writes) {
    // SET n 10, DUMP n in Redis 7.0
    auto const dumped = "\0\xc0\x0a\x0a\0n\x9fWE\x0e\xae"
                        "c\xbb"s;
    EXPECT_TRUE(has_valid_footer(dumped));
    EXPECT_EQ(with_footer("\0\xc0\x0a"s, 10), dumped);
    for (std::size_t at = 0; at < dumped.size(); ++at) {
        auto damaged = dumped;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_FALSE(has_valid_footer(damaged)) << at;
    }
    EXPECT_FALSE(has_valid_footer(dumped.substr(2))) << "without its first byte, a zero, the sum is the same";
    EXPECT_FALSE(has_valid_footer(""));
    EXPECT_TRUE(has_valid_footer(with_footer(first_hold(), 6)));
    EXPECT_FALSE(has_valid_footer(with_footer(first_hold(), 11))) << "of a newer server";
}

TEST(dump_payload, is_read_as_far_as_the_value_goes) {
    hash_fields expected;
    expected.set("71b96ce8:1", "1");
    EXPECT_EQ(value_in(first_hold()), entry_value(expected));
    EXPECT_EQ(value_in(first_hold() + "junk"), entry_value(expected));
    for (std::size_t size = 0; size < first_hold().size(); ++size) {
        EXPECT_EQ(value_in(first_hold().substr(0, size)), std::nullopt) << size;
    }
    EXPECT_EQ(value_in("\x04\0"s), std::nullopt) << "a hash without fields";
    EXPECT_EQ(value_in("\x01\x01\x01x"s), std::nullopt) << "a list";
}

// One client of a node without a real server beside it.
class restoring : public testing::Test {
protected:
    redis_node node_{{}};
    node_client client_{node_};
    std::string payload_ = with_footer(first_hold());
};

TEST_F(restoring, takes_a_free_lock_as_the_scripts_do) {
    EXPECT_EQ(client_("RESTORE", "lock", "30000", payload_), ok);
    EXPECT_EQ(client_("HGETALL", "lock"), "*2\r\n$10\r\n71b96ce8:1\r\n$1\r\n1\r\n");
    EXPECT_EQ(client_("PTTL", "lock"), ":30000\r\n");
    EXPECT_EQ(client_("RESTORE", "lock", "30000", payload_), busy);
    EXPECT_EQ(client_("HDEL", "lock", "71b96ce8:1"), ":1\r\n");
    EXPECT_EQ(client_("HDEL", "lock", "71b96ce8:1"), ":0\r\n");
    EXPECT_EQ(client_("EXISTS", "lock"), ":0\r\n");
}

TEST_F(restoring, finds_the_key_there_up_to_the_millisecond_of_its_end) {
    client_("RESTORE", "lock", "50", payload_);
    client_.now_ms += 50;
    EXPECT_EQ(client_("RESTORE", "lock", "50", payload_), busy);
    client_.now_ms += 1;
    EXPECT_EQ(client_("RESTORE", "lock", "0", payload_), ok);
    EXPECT_EQ(client_("PTTL", "lock"), ":-1\r\n") << "no lease, no end";
}

TEST_F(restoring, says_what_is_wrong_in_the_order_of_redis) {
    client_("SET", "there", "v");
    EXPECT_EQ(client_("RESTORE", "there", "x", "junk"), busy);
    EXPECT_EQ(client_("RESTORE", "lock", "x", "junk"), "-ERR value is not an integer or out of range\r\n");
    EXPECT_EQ(client_("RESTORE", "lock", "-1", "junk"), "-ERR Invalid TTL value, must be >= 0\r\n");
    EXPECT_EQ(client_("RESTORE", "lock", "1", "junk"), wrong_footer);
    EXPECT_EQ(client_("RESTORE", "lock", "1", with_footer("\x04")), bad_format);
    EXPECT_EQ(client_("RESTORE", "lock", "1"), "-ERR wrong number of arguments for 'restore' command\r\n");
    EXPECT_EQ(node_.data().databases[0].size(), 1U) << "nothing but the key that was there";
}

TEST_F(restoring, counts_as_a_change_only_if_it_takes_the_lock) {
    client_("RESTORE", "lock", "30000", payload_);
    auto const writes = node_.writes();
    client_("RESTORE", "lock", "30000", payload_);
    client_("RESTORE", "other", "30000", "junk");
    EXPECT_EQ(node_.writes(), writes);
}

TEST_F(restoring, may_be_refused_by_name_or_with_what_is_dangerous) {
    constexpr auto refused = "-NOPERM this user has no permissions to run the 'restore' command\r\n";
    for (auto const* const right : {"restore", "@dangerous"}) {
        node_.set_refused("default", {right});
        EXPECT_EQ(client_("RESTORE", "lock", "30000", payload_), refused);
    }
    EXPECT_EQ(client_("HDEL", "lock", "71b96ce8:1"), ":0\r\n") << "that is not dangerous";
    node_.set_refused("default", {});
    EXPECT_EQ(client_("RESTORE", "lock", "30000", payload_), ok);
}

TEST_F(restoring, needs_memory_and_a_master) {
    node_.set_out_of_memory(true);
    EXPECT_EQ(client_("RESTORE", "lock", "1", payload_),
              "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
    node_.set_out_of_memory(false);
    node_.set_read_only(true);
    EXPECT_EQ(client_("RESTORE", "lock", "1", payload_), "-READONLY You can't write against a read only replica.\r\n");
    node_.set_read_only(false);
    node_.set_loading(true);
    EXPECT_EQ(client_("RESTORE", "lock", "1", payload_), "-LOADING Redis is loading the dataset in memory\r\n");
}

TEST(removed_commands, are_unknown_to_clients_and_scripts) {
    redis_node node({.removed = {"restore"}});
    node_client client(node);
    EXPECT_EQ(client("Restore", "lock", "1", "x"),
              "-ERR unknown command 'Restore', with args beginning with: 'lock' '1' 'x' \r\n");
    EXPECT_EQ(client("EVAL", "return redis.pcall('restore', 'lock', '1', 'x').err", "0"),
              "$44\r\nERR Unknown Redis command called from script\r\n");
    EXPECT_EQ(client("GET", "lock"), "$-1\r\n");
}

class restore_answers : public testing::Test {
protected:
    void SetUp() override {
        if (!servers_.version().starts_with("7.0."))
            GTEST_SKIP() << "Redis 7.0 is what is simulated, not " << servers_.version();
    }
    void expect_same(std::initializer_list<word_list> commands) {
        std::vector<step> sequence;
        for (auto const& command : commands) sequence.push_back({.commands = {command}});
        EXPECT_EQ(servers_.play(sequence), std::nullopt);
    }

    std::string payload_ = with_footer(first_hold());

private:
    pair_of_servers servers_;
};

TEST_F(restore_answers, to_leases_and_options) {
    expect_same({{"RESTORE"},
                 {"RESTORE", "a", "60000"},
                 {"RESTORE", "a", "60000", payload_}, // a time, for the comparison, which a count below 50,000 is not
                 {"RESTORE", "a", "90000", payload_},
                 {"PTTL", "a"},
                 {"RESTORE", "a", "90000", payload_, "REPLACE"},
                 {"RESTORE", "a", "x", "junk"},
                 {"RESTORE", "a", "x", "junk", "replace"},
                 {"RESTORE", "b", "0", payload_},
                 {"RESTORE", "c", "-1", payload_},
                 {"RESTORE", "c", "1.5", payload_},
                 {"RESTORE", "c", "9223372036854775807", payload_},
                 {"RESTORE", "c", "9223372036854775808", payload_},
                 {"RESTORE", "d", "9223372036854775807", payload_, "ABSTTL"},
                 {"RESTORE", "e", "1", payload_, "absttl"},
                 {"RESTORE", "a", "1", payload_, "ABSTTL", "REPLACE"},
                 {"EXISTS", "a", "b", "c", "d", "e"}});
    expect_same({{"RESTORE", "a", "0", payload_, "FOO"},
                 {"RESTORE", "a", "0", payload_, "IDLETIME"},
                 {"RESTORE", "a", "0", payload_, "IDLETIME", "x"},
                 {"RESTORE", "a", "0", payload_, "IDLETIME", "-1"},
                 {"RESTORE", "a", "0", payload_, "FREQ", "256"},
                 {"RESTORE", "a", "0", payload_, "FREQ", "-1"},
                 {"RESTORE", "a", "0", payload_, "FREQ", "x"},
                 {"RESTORE", "a", "0", payload_, "FREQ", "1", "IDLETIME", "1"},
                 {"RESTORE", "a", "0", payload_, "IDLETIME", "1", "FREQ", "1"},
                 {"RESTORE", "a", "0", payload_, "IDLETIME", "1", "IDLETIME", "2", "REPLACE", "ABSTTL", "ABSTTL"},
                 {"RESTORE", "b", "0", payload_, "FREQ", "255"}});
}

TEST_F(restore_answers, to_payloads) {
    auto const last = payload_.size() - 1;
    expect_same({{"RESTORE", "a", "0", ""},
                 {"RESTORE", "a", "0", "junk"},
                 {"RESTORE", "a", "0", payload_.substr(0, last)},
                 {"RESTORE", "a", "0", payload_ + "x"},
                 {"RESTORE", "a", "0", with_footer(first_hold(), 11)},
                 {"RESTORE", "a", "0", with_footer({})},
                 {"RESTORE", "a", "0", with_footer({}, 4)},
                 {"RESTORE", "a", "0", with_footer("\x04\0"s)},
                 {"RESTORE", "a", "0", with_footer("\x04\x01"s)},
                 {"RESTORE", "a", "0", with_footer(first_hold().substr(0, 5))},
                 {"RESTORE", "a", "0", with_footer("\x08")},
                 {"RESTORE", "a", "0", with_footer("\xff")},
                 {"EXISTS", "a"},
                 {"RESTORE", "b", "0", with_footer(first_hold(), 0)},
                 {"RESTORE", "c", "0", with_footer(first_hold(), 10)},
                 {"RESTORE", "d", "0", with_footer(first_hold() + "junk")},
                 {"RESTORE", "e", "0", with_footer({}, 0)},
                 {"RESTORE", "f", "0", with_footer("\0\xc1\x00\x80"s)},
                 {"RESTORE", "g", "0", with_footer("\x04\x02\x01x\x01y\x01x\x01z")},
                 {"HLEN", "g"},
                 {"HGET", "g", "x"},
                 {"HDEL", "g", "x"},
                 {"HGETALL", "g"}});
}

TEST_F(restore_answers, between_what_a_java_client_does) {
    word_list const take{"RESTORE", "a", "30000", payload_};
    expect_same({take,
                 {"HINCRBY", "a", "71b96ce8:1", "1"},
                 {"HDEL", "a", "71b96ce8:2"},
                 {"HDEL", "a", "71b96ce8:1"},
                 take,
                 {"PEXPIRE", "a", "60000"},
                 {"TYPE", "a"},
                 {"DEL", "a"},
                 {"HDEL", "a", "71b96ce8:1"},
                 {"SET", "a", "text"},
                 take,
                 {"HDEL", "a", "71b96ce8:1"}});
}

} // namespace
} // namespace redlatch::sim
