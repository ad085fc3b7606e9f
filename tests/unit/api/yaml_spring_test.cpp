// Spring Boot's own keys for Redis.
#include "io/server_set.hpp"
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>
#include <redlatch/log.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <ostream>
#include <string>
#include <vector>

namespace redlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

TEST(yaml_spring, one_server) {
    auto const settings = config::from_yaml(R"(
spring:
  application:
    name: shop
  data:
    redis:
      host: db.example
      port: 6390
      username: alice
      password: pw
      database: 3
      timeout: 2s
      connect-timeout: PT1.5S
      client-name: shop
      ssl:
        enabled: false
)");
    EXPECT_EQ(settings.address, "redis://db.example:6390");
    EXPECT_EQ(settings.username, "alice");
    EXPECT_EQ(settings.password, "pw");
    EXPECT_EQ(settings.database, 3);
    EXPECT_EQ(settings.timeout, 2s);
    EXPECT_EQ(settings.connect_timeout, 1500ms);
    EXPECT_EQ(settings.client_name, "shop");
    EXPECT_EQ(settings.topology, topology_options{});
}

std::string address_of(std::string const& document) {
    return config::from_yaml(document).address;
}

TEST(yaml_spring, dots_and_groups_mean_the_same) {
    for (std::string const document :
         {"spring.redis.host: h\nspring.redis.port: 1", "spring:\n  redis.host: h\n  redis:\n    port: 1",
          "spring.redis:\n  host: h\n  port: 1", "spring.data:\n  redis:\n    host: h\nspring.data.redis.port: 1",
          R"({"spring": {"redis": {"host": "h", "port": 1}}})"})
        EXPECT_EQ(address_of(document), "redis://h:1") << document;
}

TEST(yaml_spring, knows_springs_defaults) {
    EXPECT_EQ(address_of("spring.redis.password: pw"), "redis://localhost:6379");
    EXPECT_EQ(address_of("spring.redis.port: 7"), "redis://localhost:7");
    EXPECT_EQ(address_of("spring.redis.host: h"), "redis://h:6379");
}

TEST(yaml_spring, writes_ipv6_in_brackets) {
    EXPECT_EQ(address_of("spring.redis.host: '::1'"), "redis://[::1]:6379");
    EXPECT_EQ(address_of("spring.redis.host: '[::1]'"), "redis://[::1]:6379");
}

TEST(yaml_spring, tls) {
    EXPECT_EQ(address_of("spring.redis: {host: h, ssl: true}"), "rediss://h:6379");
    EXPECT_EQ(address_of("spring.data.redis: {host: h, ssl: {enabled: true}}"), "rediss://h:6379");
    EXPECT_EQ(address_of("spring.data.redis: {host: h, ssl.enabled: true}"), "rediss://h:6379");
    EXPECT_EQ(address_of("spring.redis: {host: h, ssl: false}"), "redis://h:6379");
    EXPECT_EQ(config::from_yaml("spring.redis: {host: h, ssl: true}\nredlatch: {tlsCaFile: /ca.pem}").tls.ca_file,
              "/ca.pem");
}

TEST(yaml_spring, a_url_says_more_than_the_rest) {
    auto const settings = config::from_yaml(
        "spring.redis: {url: 'rediss://bob:other@db:6400', host: h, port: 1, password: pw, database: 2, ssl: true}");
    auto const where = io::resolve_servers(settings).nodes.front();
    EXPECT_EQ(where.host_or_path, "db");
    EXPECT_EQ(where.port, 6400);
    EXPECT_EQ(where.username, "bob");
    EXPECT_EQ(where.password, "other");
    EXPECT_EQ(where.database, 2);
    EXPECT_TRUE(where.tls);
}

TEST(yaml_spring, sentinels) {
    auto const settings = config::from_yaml(R"(
spring:
  redis:
    password: pw
    database: 1
    sentinel:
      master: mymaster
      nodes: s1:26379, s2:26379
      username: watcher
      password: eye
)");
    EXPECT_EQ(settings.topology.mode, server_mode::sentinel);
    EXPECT_EQ(settings.topology.master_name, "mymaster");
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://s1:26379", "redis://s2:26379"));
    EXPECT_EQ(settings.topology.sentinel_username, "watcher");
    EXPECT_EQ(settings.topology.sentinel_password, "eye");
    EXPECT_EQ(settings.topology.scan_interval, 1s);
    EXPECT_EQ(settings.password, "pw");
    EXPECT_EQ(settings.database, 1);
}

TEST(yaml_spring, a_cluster) {
    auto const settings = config::from_yaml("spring.data.redis:\n  ssl.enabled: true\n  cluster:\n    max-redirects: "
                                            "3\n    nodes:\n    - a:7000\n    - b:7000\n");
    EXPECT_EQ(settings.topology.mode, server_mode::cluster);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("rediss://a:7000", "rediss://b:7000"));
    EXPECT_EQ(settings.topology.scan_interval, 5s);
}

TEST(yaml_spring, a_master_with_replicas) {
    auto const settings =
        config::from_yaml("spring.data.redis:\n  database: 2\n  masterreplica:\n    nodes: a:7000, b:7000\n");
    EXPECT_EQ(settings.topology.mode, server_mode::replicated);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://a:7000", "redis://b:7000"));
    EXPECT_EQ(settings.topology.scan_interval, 1s);
    EXPECT_EQ(settings.database, 2);
}

TEST(yaml_spring, takes_values_from_the_environment_as_spring_does) {
    EXPECT_EQ(address_of("spring.redis: {host: '${REDLATCH_TEST_NONE:h}', port: '${REDLATCH_TEST_NONE:12}'}"),
              "redis://h:12");
}

struct spring_time {
    std::string text;
    duration expected;

    friend std::ostream& operator<<(std::ostream& out, spring_time const& one) { return out << one.text; }
};

class yaml_spring_time : public ::testing::TestWithParam<spring_time> {};

TEST_P(yaml_spring_time, is_read_in_each_form) {
    EXPECT_EQ(config::from_yaml("spring.redis: {host: h, timeout: " + GetParam().text + "}").timeout,
              GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(yaml_spring, yaml_spring_time,
                         ::testing::Values(spring_time{"1500", 1500ms}, spring_time{"1500ms", 1500ms},
                                           spring_time{"5s", 5s}, spring_time{"2m", 2min}, spring_time{"1h", 1h},
                                           spring_time{"1d", 24h}, spring_time{"PT1M", 1min}, spring_time{"10S", 10s}));

TEST(yaml_spring, takes_names_in_each_spelling) {
    for (std::string const name : {"connect-timeout", "connectTimeout", "connect_timeout", "CONNECT-TIMEOUT"})
        EXPECT_EQ(config::from_yaml("spring.redis: {host: h, " + name + ": 7s}").connect_timeout, 7s) << name;
}

class log_of_spring {
public:
    log_of_spring() {
        set_log_sink([this](log_level, std::string_view line) { lines.emplace_back(line); }, log_level::debug);
    }
    ~log_of_spring() { set_log_sink({}); }
    log_of_spring(log_of_spring const&) = delete;
    log_of_spring& operator=(log_of_spring const&) = delete;

    std::vector<std::string> lines;
};

TEST(yaml_spring, says_what_it_ignores) {
    log_of_spring log;
    config::from_yaml("spring.redis:\n  host: h\n  lettuce.pool.max-active: 8\n  lettuce.pool.max-idle: 8\n"
                      "  jedis: {pool: {max-active: 8}}\n  client-type: lettuce\n");
    EXPECT_THAT(log.lines, ElementsAre(HasSubstr("line 6: client-type is ignored"),
                                       HasSubstr("line 5: jedis is ignored"), HasSubstr("line 3: lettuce is ignored")));
}

TEST(yaml_spring, redissons_own_settings_are_all_there_is) {
    log_of_spring log;
    EXPECT_EQ(
        address_of("spring.redis:\n  host: other\n  redisson.config: {singleServerConfig: {address: 'redis://h:1'}}"),
        "redis://h:1");
    EXPECT_THAT(log.lines, ElementsAre(HasSubstr("line 2: host is ignored: redisson.config has all settings")));
}

struct refused_spring {
    std::string text;
    std::string because;

    friend std::ostream& operator<<(std::ostream& out, refused_spring const& one) { return out << one.text; }
};

class yaml_spring_that_cannot_be : public ::testing::TestWithParam<refused_spring> {};

TEST_P(yaml_spring_that_cannot_be, is_refused_with_a_reason) {
    auto const message = test::refusal([] { config::from_yaml(GetParam().text); });
    EXPECT_THAT(message, HasSubstr(GetParam().because));
    EXPECT_THAT(message, Not(HasSubstr("s3cret")));
}

INSTANTIATE_TEST_SUITE_P(
    yaml_spring, yaml_spring_that_cannot_be,
    ::testing::Values(
        refused_spring{"spring:\n  redis:\n    hots: h", "line 3: hots is not known under spring.redis or "
                                                         "spring.data.redis; the nearest known name is host"},
        refused_spring{"spring.redis.redisson.confg: {}", "the nearest known name is redisson.config"},
        refused_spring{"spring:\n  redis: {host: h}\n  data.redis: {host: g}", "line 3: host stands already in line 2"},
        refused_spring{"spring.redis: {host: h, port: x}", "line 1: port: 'x' is not a whole number"},
        refused_spring{"spring.redis: {host: h, port: 65536}", "out of range"},
        refused_spring{"spring.redis: {host: 'a b'}", "contains a space"},
        refused_spring{"spring.redis: {host: h, timeout: 5x}", "'5x' is not a whole number"},
        refused_spring{"spring.redis: {host: h, timeout: 0s}", "out of range"},
        refused_spring{"spring.redis: {host: h, timeout: 99999999999999999999s}", "out of range"},
        refused_spring{"spring.redis: {host: h, timeout: 4000d}", "out of range"},
        refused_spring{"spring.redis: {host: h, ssl: perhaps}", "line 1: ssl: must be true or false"},
        refused_spring{"spring.data.redis: {host: h, ssl: {enabled: true, bundle: mine}}",
                       "ssl.bundle: names certificates that only Spring knows"},
        refused_spring{"spring.redis: {url: 'redis://:s3cret@h:1', ssl: true}", "has no TLS, which ssl asks for"},
        refused_spring{"spring.redis: {url: 'redis://:s3cret@h:x'}", "line 1: url: the address"},
        refused_spring{"spring.redis: {sentinel.master: m}", "sentinel.master has no Sentinels to ask for it"},
        refused_spring{"spring.redis: {sentinel.nodes: 'h:1'}", "sentinel.master is empty"},
        refused_spring{"spring.redis: {cluster: {nodes: ['h:x']}}", "line 1: cluster.nodes: the address"},
        refused_spring{"spring.data.redis: {masterreplica: {nodes: ['h:x']}}",
                       "line 1: masterreplica.nodes: the address"},
        refused_spring{"spring.redis: {}", "nothing under spring.redis"},
        refused_spring{"spring.redis: text", "nothing under spring.redis"},
        refused_spring{"spring.redis.host: h\n---\nspring.redis.host: g", "more than one of its documents"}));

TEST(yaml_spring, ends_with_groups_that_are_parts_of_themselves) {
    for (std::string const document :
         {"spring: &a {redis: *a, data: *a}", "spring: {redis: &a {ssl: *a, sentinel: *a, cluster: *a}}",
          "&a\nspring: *a\nspring.redis: *a\n"})
        EXPECT_NE(test::refusal([&] { config::from_yaml(document); }), "") << document;
    std::string wide = "a: &a {" + std::string("ssl: 1");
    for (int entry = 0; entry < 3000; ++entry) wide += ", k" + std::to_string(entry) + ": 1";
    wide += "}\nspring: {redis: {";
    for (int entry = 0; entry < 3000; ++entry) wide += std::string(entry == 0 ? "" : ", ") + "ssl: *a";
    EXPECT_NE(test::refusal([&] { config::from_yaml(wide + "}}"); }), "") << "nine million entries";
}

} // namespace
} // namespace redlatch
