#include "api/server_report.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::detail {
namespace {

using role_kind = server_facts::role_kind;

resp::value text(std::string of) {
    return {.type = resp::value::kind::string, .text = std::move(of)};
}
resp::value array(std::vector<resp::value> items) {
    return {.type = resp::value::kind::array, .items = std::move(items)};
}
resp::value error(std::string of) {
    return {.type = resp::value::kind::error, .text = std::move(of)};
}
resp::value number(std::int64_t of) {
    return {.type = resp::value::kind::integer, .integer = of};
}

server_facts read(std::string const& info) {
    server_facts facts;
    read_info_facts(info, facts);
    return facts;
}

TEST(server_report, reads_what_a_redis_says) {
    auto const facts =
        read("# Server\r\nredis_version:7.0.15\r\n# Memory\r\nused_memory:1048576\r\nmaxmemory:2097152\r\n"
             "maxmemory_policy:allkeys-lru\r\n# Persistence\r\nrdb_last_bgsave_status:ok\r\naof_enabled:1\r\n"
             "aof_last_write_status:err\r\n# Stats\r\nevicted_keys:7\r\n# Replication\r\nrole:master\r\n"
             "connected_slaves:2\r\nmin_slaves_good_slaves:2\r\n");
    EXPECT_EQ(facts.software, "redis");
    EXPECT_EQ(facts.version, "7.0.15");
    EXPECT_EQ(facts.memory_used, 1048576U);
    EXPECT_EQ(facts.memory_limit, 2097152U);
    EXPECT_EQ(facts.eviction_policy, "allkeys-lru");
    EXPECT_EQ(facts.evicted_keys, 7U);
    EXPECT_EQ(facts.append_only, true);
    EXPECT_EQ(facts.last_save_worked, false);
    EXPECT_EQ(facts.role, role_kind::master);
    EXPECT_EQ(facts.replicas, 2);
    EXPECT_EQ(facts.min_replicas, std::nullopt) << "some are asked for, and how many CONFIG GET says";
    EXPECT_EQ(facts.append_fsync, std::nullopt);
    EXPECT_EQ(facts.snapshots, std::nullopt);
}

TEST(server_report, knows_a_valkey_and_a_master_that_asks_for_no_replicas) {
    auto const facts = read("redis_version:7.2.4\r\nvalkey_version:9.1.0\r\nrole:master\r\nconnected_slaves:0\r\n"
                            "aof_enabled:0\r\nrdb_last_bgsave_status:ok\r\n");
    EXPECT_EQ(facts.software, "valkey");
    EXPECT_EQ(facts.version, "9.1.0");
    EXPECT_EQ(facts.min_replicas, 0);
    EXPECT_EQ(facts.append_only, false);
    EXPECT_EQ(facts.last_save_worked, true);
}

TEST(server_report, counts_replicas_that_have_the_data) {
    std::string const info = "role:master\r\nconnected_slaves:3\r\n"
                             "slave0:ip=10.0.0.2,port=6379,state=online,offset=14,lag=0\r\n"
                             "slave1:ip=10.0.0.3,port=6379,state=wait_bgsave,offset=0,lag=0\r\n"
                             "slave2:ip=10.0.0.4,port=6379,state=send_bulk,offset=0,lag=0\r\n"
                             "slave_repl_offset:14\r\nslave_read_only:1,state=online,\r\n";
    EXPECT_EQ(read(info).replicas, 1);
}

TEST(server_report, says_nothing_of_replicas_of_a_replica) {
    auto const facts = read("role:slave\r\nconnected_slaves:0\r\n");
    EXPECT_EQ(facts.role, role_kind::replica);
    EXPECT_EQ(facts.replicas, std::nullopt);
    EXPECT_EQ(facts.min_replicas, std::nullopt);
}

TEST(server_report, takes_nothing_that_is_no_answer) {
    for (auto const& info :
         {std::string(), std::string("maxmemory"), std::string("\r\n\r\n:::\r\n"),
          std::string("redis_version:\r\nmaxmemory:-1\r\nused_memory:99999999999999999999\r\n"
                      "maxmemory_policy:\r\naof_enabled:maybe\r\nrole:king\r\nconnected_slaves:5\r\n"
                      "evicted_keys:7x\r\nrdb_last_bgsave_status:\r\n"),
          "redis_version:" + std::string(100'000, '7') + "\r\nmaxmemory_policy:" + std::string(100'000, 'x'),
          std::string("xrole:master\r\nconnected_slaves:1\r\n")}) {
        auto const facts = read(info);
        EXPECT_EQ(facts.version, "") << info.substr(0, 50);
        EXPECT_EQ(facts.software, "");
        EXPECT_EQ(facts.memory_limit, std::nullopt);
        EXPECT_EQ(facts.memory_used, std::nullopt);
        EXPECT_EQ(facts.eviction_policy, std::nullopt);
        EXPECT_EQ(facts.evicted_keys, std::nullopt);
        EXPECT_EQ(facts.append_only, std::nullopt);
        EXPECT_EQ(facts.last_save_worked, std::nullopt);
        EXPECT_EQ(facts.role, role_kind::unknown);
        EXPECT_EQ(facts.replicas, std::nullopt);
    }
    EXPECT_EQ(read("role:master\r\nconnected_slaves:-3\r\n").replicas, std::nullopt);
}

TEST(server_report, reads_settings) {
    server_facts facts;
    auto const set = [&](char const* name, char const* value) {
        return read_setting(name, array({text(name), text(value)}), facts);
    };
    EXPECT_TRUE(set("maxmemory-policy", "volatile-ttl"));
    EXPECT_TRUE(set("appendonly", "yes"));
    EXPECT_TRUE(set("appendfsync", "always"));
    EXPECT_TRUE(set("save", ""));
    EXPECT_TRUE(set("min-replicas-to-write", "2"));
    EXPECT_EQ(facts.eviction_policy, "volatile-ttl");
    EXPECT_EQ(facts.append_only, true);
    EXPECT_EQ(facts.append_fsync, "always");
    EXPECT_EQ(facts.snapshots, "");
    EXPECT_EQ(facts.min_replicas, 2);
}

TEST(server_report, takes_no_setting_that_is_no_answer) {
    server_facts facts;
    for (auto const& reply :
         {error("NOPERM no"), resp::value(), text("yes"), number(1), array({}), array({text("appendonly")}),
          array({text("save"), text("yes")}), array({text("appendonly"), number(1)}),
          array({text("appendonly"), text("yes"), text("save"), text("")}),
          array({text("appendonly"), text(std::string(10'000, 'y'))})})
        EXPECT_FALSE(read_setting("appendonly", reply, facts));
    EXPECT_EQ(facts.append_only, std::nullopt);
    EXPECT_TRUE(read_setting("appendonly", array({text("appendonly"), text("perhaps")}), facts));
    EXPECT_EQ(facts.append_only, std::nullopt);
    EXPECT_TRUE(read_setting("min-replicas-to-write", array({text("min-replicas-to-write"), text("-1")}), facts));
    EXPECT_EQ(facts.min_replicas, std::nullopt);
}

TEST(server_report, takes_the_version_from_hello_where_info_has_not_said_it) {
    server_facts facts;
    read_hello_facts(array({text("server"), text("redis"), text("version"), text("7.2.0"), text("odd")}), facts);
    EXPECT_EQ(facts.version, "7.2.0");
    EXPECT_EQ(facts.software, "redis");
    read_hello_facts(array({text("server"), text("other"), text("version"), text("1.0")}), facts);
    EXPECT_EQ(facts.version, "7.2.0");
    server_facts none;
    for (auto const& reply : {error("ERR"), array({}), array({text("version")}), array({number(1), number(2)}),
                              array({text("server"), text(std::string(999, 's')), text("version"), text("1")})})
        read_hello_facts(reply, none);
    EXPECT_EQ(none.version, "");
    EXPECT_EQ(none.software, "");
}

TEST(server_report, takes_the_role_from_role_where_info_has_not_said_it) {
    server_facts facts;
    read_role_facts(array({text("master"), number(7), array({array({}), array({})})}), facts);
    EXPECT_EQ(facts.role, role_kind::master);
    EXPECT_EQ(facts.replicas, 2);
    read_role_facts(array({text("slave")}), facts);
    EXPECT_EQ(facts.role, role_kind::master);
    server_facts replica;
    read_role_facts(array({text("slave"), text("host"), number(6379), text("connected"), number(1)}), replica);
    EXPECT_EQ(replica.role, role_kind::replica);
    server_facts odd;
    read_role_facts(error("NOPERM"), odd);
    EXPECT_EQ(odd.role, role_kind::unknown);
    read_role_facts(array({text("master"), number(7), text("none")}), odd);
    EXPECT_EQ(odd.role, role_kind::master);
    EXPECT_EQ(odd.replicas, std::nullopt);
}

TEST(server_report, reads_the_time) {
    using std::chrono::microseconds;
    EXPECT_EQ(read_time(array({text("1700000000"), text("250000")})), microseconds(1'700'000'000'250'000));
    for (auto const& reply :
         {error("NOPERM"), array({}), array({text("1700000000")}), array({text("-1"), text("0")}),
          array({text("x"), text("0")}), array({text("1"), text("1000000")}),
          array({text("99999999999999999999"), text("0")}), array({text("1"), text("2"), text("3")})})
        EXPECT_EQ(read_time(reply), std::nullopt);
}

} // namespace
} // namespace redlatch::detail
