#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>
#include <redlatch/log.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <ostream>
#include <string>
#include <vector>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr char const* redisson_document = R"(
singleServerConfig:
  idleConnectionTimeout: 10000
  connectTimeout: 10001
  timeout: 3001
  retryAttempts: 5
  retryDelay: !<org.redisson.config.EqualJitterDelay> {baseDelay: PT1.5S, maxDelay: PT2S}
  reconnectionDelay: !<org.redisson.config.EqualJitterDelay> {baseDelay: PT0.1S, maxDelay: PT10S}
  password: null
  subscriptionsPerConnection: 5
  clientName: backup
  address: "redis://127.0.0.1:6380"
  subscriptionConnectionMinimumIdleSize: 1
  subscriptionConnectionPoolSize: 50
  connectionMinimumIdleSize: 24
  connectionPoolSize: 64
  database: 2
  dnsMonitoringInterval: 5000
  pingConnectionInterval: 15000
lockWatchdogTimeout: 20000
lockWatchdogBatchSize: 50
fairLockWaitTimeout: 60000
threads: 16
nettyThreads: 32
codec: !<org.redisson.codec.Kryo5Codec> {}
transportMode: "NIO"
nameMapper: !<org.redisson.config.DefaultNameMapper> {}
)";

void expect_the_redisson_document(config const& settings) {
    EXPECT_EQ(settings.address, "redis://127.0.0.1:6380");
    EXPECT_EQ(settings.username, "");
    EXPECT_EQ(settings.password, "");
    EXPECT_EQ(settings.client_name, "backup");
    EXPECT_EQ(settings.database, 2);
    EXPECT_EQ(settings.timeout, 3001ms);
    EXPECT_EQ(settings.connect_timeout, 10001ms);
    EXPECT_EQ(settings.retry_attempts, 5);
    EXPECT_EQ(settings.retry_delay, 1500ms);
    EXPECT_EQ(settings.ping_interval, 15s);
    EXPECT_EQ(settings.lock_watchdog_timeout, 20s);
    EXPECT_EQ(settings.renewal_batch, 50);
    EXPECT_EQ(settings.fair_lock_wait_timeout, 60s);
}

TEST(config_from_yaml, knows_for_how_long_the_counters_of_tokens_stay) {
    auto const server = std::string("\nsingleServerConfig: {address: 'redis://h'}");
    EXPECT_EQ(config::from_yaml("fencingCounterTtl: 86400000" + server).fencing_counter_ttl, 24h);
    EXPECT_EQ(config::from_yaml(server).fencing_counter_ttl, std::nullopt);
}

TEST(config_from_yaml, knows_the_label_of_holders) {
    auto const read = [](std::string const& value) {
        return config::from_yaml("holderLabel: " + value + "\nsingleServerConfig: {address: 'redis://h'}").holder_label;
    };
    EXPECT_EQ(read("web-1:importer"), "web-1:importer");
    EXPECT_EQ(read("''"), "") << "none is wanted";
    EXPECT_EQ(read("null"), std::nullopt) << "the default";
    EXPECT_EQ(config::from_yaml("singleServerConfig: {address: 'redis://h'}").holder_label, std::nullopt);
}

std::string indented(std::string const& text, std::string const& by) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = text.find('\n', at);
        out += by + text.substr(at, end - at) + "\n";
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return out;
}

TEST(yaml_config, reads_a_document_of_redisson) {
    expect_the_redisson_document(config::from_yaml(redisson_document));
}

TEST(yaml_config, leaves_defaults_where_the_document_is_silent) {
    auto const settings = config::from_yaml("singleServerConfig: {address: 'redis://host:1'}");
    config const defaults;
    EXPECT_EQ(settings.address, "redis://host:1");
    EXPECT_EQ(settings.timeout, defaults.timeout);
    EXPECT_EQ(settings.retry_delay, defaults.retry_delay);
    EXPECT_EQ(settings.lock_watchdog_timeout, defaults.lock_watchdog_timeout);
}

TEST(yaml_config, reads_what_spring_nests) {
    for (std::string const head :
         {"spring:\n  redis:\n    redisson:\n      config:",
          "spring:\n  data:\n    redis:\n      redisson:\n        config:", "spring.redis.redisson:\n  config:",
          "spring:\n  data.redis:\n    redisson.config:", "server:\n  port: 80\nspring.redis.redisson.config:"}) {
        SCOPED_TRACE(head);
        expect_the_redisson_document(config::from_yaml(head + "\n" + indented(redisson_document, "            ")));
        expect_the_redisson_document(config::from_yaml(head + " |\n" + indented(redisson_document, "            ")));
    }
}

TEST(yaml_config, reads_the_one_spring_document_of_several) {
    auto const settings =
        config::from_yaml("spring:\n  profiles: default\n---\nspring:\n  redis:\n    redisson:\n      config: |\n"
                          "        singleServerConfig:\n          address: redis://host:1\n");
    EXPECT_EQ(settings.address, "redis://host:1");
}

TEST(yaml_config, reads_json_too) {
    EXPECT_EQ(config::from_yaml(R"({"singleServerConfig": {"address": "redis://host:1", "database": 3}})").database, 3);
}

TEST(yaml_config, takes_user_and_password_from_either_level) {
    auto const at_top =
        config::from_yaml("username: alice\npassword: 12345\nsingleServerConfig: {address: 'redis://h'}");
    EXPECT_EQ(at_top.username, "alice");
    EXPECT_EQ(at_top.password, "12345");
    auto const in_server =
        config::from_yaml("password: other\nsingleServerConfig: {address: 'redis://h', username: bob, password: '~'}");
    EXPECT_EQ(in_server.username, "bob");
    EXPECT_EQ(in_server.password, "~");
}

struct delay_case {
    std::string text;
    duration expected;

    friend std::ostream& operator<<(std::ostream& out, delay_case const& one) { return out << one.text; }
};

class retry_delay : public ::testing::TestWithParam<delay_case> {};

TEST_P(retry_delay, is_read_in_each_form) {
    auto const settings = config::from_yaml("singleServerConfig:\n  address: redis://h\n  " + GetParam().text + "\n");
    EXPECT_EQ(settings.retry_delay, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    yaml_config, retry_delay,
    ::testing::Values(delay_case{"retryInterval: 1500", 1500ms}, delay_case{"retryDelay: 250", 250ms},
                      delay_case{"retryDelay: PT0.25S", 250ms},
                      delay_case{"retryDelay: !<org.redisson.config.ConstantDelay> {delay: PT5S}", 5s},
                      delay_case{"retryDelay: !<org.redisson.config.FullJitterDelay> {maxDelay: PT9S, baseDelay: PT2S}",
                                 2s},
                      delay_case{"retryDelay: !<org.redisson.config.DecorrelatedJitterDelay> {minDelay: PT1M1S}", 61s},
                      delay_case{"retryDelay: {baseDelay: PT1H}\n  retryInterval: 7", 1h},
                      delay_case{"retryDelay: P1DT1H1M1.001S", 25h + 1min + 1s + 1ms},
                      delay_case{"retryDelay: PT.5S", 500ms}));

class log_of_a_test {
public:
    log_of_a_test() {
        set_log_sink([this](log_level, std::string_view line) { lines.emplace_back(line); }, log_level::debug);
    }
    ~log_of_a_test() { set_log_sink({}); }
    log_of_a_test(log_of_a_test const&) = delete;
    log_of_a_test& operator=(log_of_a_test const&) = delete;

    std::vector<std::string> lines;
};

TEST(yaml_config, says_once_what_it_ignores) {
    log_of_a_test log;
    config::from_yaml("threads: 16\nsingleServerConfig:\n  address: redis://h\n  connectionPoolSize: 64\n");
    EXPECT_THAT(log.lines, ElementsAre(AllOf(HasSubstr("line 1: threads"), HasSubstr("ignored")),
                                       AllOf(HasSubstr("line 4: connectionPoolSize"), HasSubstr("ignored"))));
}

TEST(yaml_config, connects_lazily_where_redisson_would) {
    std::string const server = "singleServerConfig: {address: 'redis://h'}\n";
    EXPECT_EQ(config::from_yaml(server).connect, connect_mode::eagerly);
    EXPECT_EQ(config::from_yaml(server + "lazyInitialization: true").connect, connect_mode::lazily);
    EXPECT_EQ(config::from_yaml(server + "lazyInitialization: false").connect, connect_mode::eagerly);
}

TEST(yaml_config, knows_every_key_of_redisson_4) {
    for (std::string const key : {"addressResolverGroupFactory",
                                  "checkLockSyncedSlaves",
                                  "cleanUpKeysAmount",
                                  "codec",
                                  "commandMapper",
                                  "connectionListener",
                                  "credentialsResolver",
                                  "eventLoopGroup",
                                  "executor",
                                  "fairLockWaitTimeout",
                                  "keepPubSubOrder",
                                  "lazyInitialization",
                                  "lockWatchdogBatchSize",
                                  "lockWatchdogTimeout",
                                  "maxCleanUpDelay",
                                  "minCleanUpDelay",
                                  "nameMapper",
                                  "nettyExecutor",
                                  "nettyHook",
                                  "nettyThreads",
                                  "password",
                                  "protocol",
                                  "referenceEnabled",
                                  "reliableTopicWatchdogTimeout",
                                  "slavesSyncTimeout",
                                  "sslCiphers",
                                  "sslKeystore",
                                  "sslProtocols",
                                  "sslTruststore",
                                  "sslVerificationMode",
                                  "tcpKeepAlive",
                                  "tcpUserTimeout",
                                  "threads",
                                  "transportMode",
                                  "useScriptCache",
                                  "useThreadClassLoader",
                                  "username",
                                  "valkeyCapabilities"})
        EXPECT_NO_THROW(config::from_yaml(key + ": null\nsingleServerConfig: {address: 'redis://h'}")) << key;
    for (std::string const key : {"clientName",
                                  "commandMapper",
                                  "connectTimeout",
                                  "connectionMinimumIdleSize",
                                  "connectionPoolSize",
                                  "credentialsResolver",
                                  "database",
                                  "dnsMonitoringInterval",
                                  "dnsMonitoringTimes",
                                  "idleConnectionTimeout",
                                  "keepAlive",
                                  "nameMapper",
                                  "password",
                                  "pingConnectionInterval",
                                  "reconnectionDelay",
                                  "retryAttempts",
                                  "retryDelay",
                                  "retryInterval",
                                  "sslEnableEndpointIdentification",
                                  "sslKeystorePassword",
                                  "subscriptionConnectionPoolSize",
                                  "subscriptionTimeout",
                                  "subscriptionsPerConnection",
                                  "tcpKeepAliveIdle",
                                  "tcpNoDelay",
                                  "timeout",
                                  "username"})
        EXPECT_NO_THROW(config::from_yaml("singleServerConfig: {address: 'redis://h', " + key + ": null}")) << key;
}

/// What stands in the message when a value was taken for something else.
TEST(yaml_password, is_not_shown_by_errors) {
    for (std::string const line :
         {"password:s3cret", "password:s3cret\n  timeout: 1000", "password:s3cret: 1", "password=s3cret: 1",
          "password: *s3cret", "password: !s3cret [1]", "password: &s3cret {a: 1}", "password s3cret: 1",
          "'password: s3cret': 1", "password: [s3cret", "address:redis://user:s3cret@host", "pasword:s3cret: 1"}) {
        auto const message =
            test::refusal([&] { config::from_yaml("singleServerConfig:\n  address: redis://h\n  " + line + "\n"); });
        EXPECT_THAT(message, AllOf(HasSubstr("line "), Not(HasSubstr("s3cret")))) << line;
    }
    EXPECT_THAT(test::refusal([] { config::from_yaml("password:s3cret: 1\n"); }),
                AllOf(HasSubstr("line 1: password…"), HasSubstr("a space is missing"), Not(HasSubstr("s3cret"))));
    EXPECT_THAT(test::refusal([] { config::from_yaml("password:s3cret"); }), Not(HasSubstr("s3cret")));
}

TEST(yaml_alias, may_not_make_a_delay_a_part_of_itself) {
    for (std::string const part : {"delay", "baseDelay", "minDelay"})
        EXPECT_THAT(test::refusal([&] {
                        config::from_yaml("singleServerConfig:\n  address: redis://h\n  retryDelay: &d {" + part
                                          + ": *d}\n");
                    }),
                    AllOf(HasSubstr("line 3: retryDelay"), HasSubstr(part + " in it needs a duration")));
    EXPECT_EQ(config::from_yaml("singleServerConfig: {address: 'redis://h', timeout: &t 1500, retryDelay: {delay: *t}}")
                  .retry_delay,
              1500ms)
        << "other aliases are as good as what they name";
}

TEST(yaml_alias, may_not_make_a_group_a_part_of_itself) {
    EXPECT_THROW(config::from_yaml("&a\nsingleServerConfig: *a\n"), error);
    EXPECT_THROW(config::from_yaml("&a\nspring: {redis: {redisson: {config: *a}}}\n"), error);
    EXPECT_THROW(config::from_yaml("&a\nspring: *a\n"), error);
    EXPECT_THROW(config::from_yaml("singleServerConfig: &a {address: *a}\n"), error);
}

struct refused {
    std::string text;
    std::string because;

    friend std::ostream& operator<<(std::ostream& out, refused const& one) { return out << one.text.substr(0, 60); }
};

class refused_yaml : public ::testing::TestWithParam<refused> {};

TEST_P(refused_yaml, is_refused_with_a_reason) {
    EXPECT_THAT(test::refusal([] { config::from_yaml(GetParam().text); }), HasSubstr(GetParam().because));
}

refused in_server(std::string const& line, std::string const& because) {
    return {"singleServerConfig:\n  address: redis://h\n  " + line + "\n", because};
}

INSTANTIATE_TEST_SUITE_P(
    unknown_keys, refused_yaml,
    ::testing::Values(
        refused{"singleServerConfig:\n  adress: redis://h",
                "line 2: adress is not known in singleServerConfig; the nearest "
                "known name is address"},
        in_server("timout: 3", "line 3: timout is not known in singleServerConfig; the nearest known name is timeout"),
        in_server("conectionPoolSize: 3", "nearest known name is connectionPoolSize"),
        in_server("client-name: x", "nearest known name is clientName"),
        in_server("fruit_and_vegetables: 1", "line 3: fruit_and_vegetables is not known in singleServerConfig"),
        in_server(std::string(1000, 'x') + ": 1", "xxx… is not known"),
        in_server("threads: 3", "line 3: threads belongs at the top level, not in singleServerConfig"),
        in_server("'': 3", "line 3: "), in_server("? [a]\n  : 1", "a key must be a plain name"),
        in_server("timeout: 1\n  timeout: 2", "line 4: timeout stands already in line 3"),
        in_server("<<: {a: 1}", "line 3: << is not known"),
        refused{"timeout: 3\nsingleServerConfig: {address: 'redis://h'}",
                "line 1: timeout belongs in singleServerConfig, not at the top level"},
        refused{"singleServer: {address: 'redis://h'}", "nearest known name is singleServerConfig"},
        refused{"single-server-config: {address: 'redis://h'}", "nearest known name is singleServerConfig"}));

INSTANTIATE_TEST_SUITE_P(
    unusable_values, refused_yaml,
    ::testing::Values(
        in_server("timeout: abc", "line 3: timeout: 'abc' is not a whole number"),
        in_server("timeout: 3s", "line 3: timeout: '3s' is not a whole number"),
        in_server("timeout: 3.5", "'3.5' is not a whole number"), in_server("timeout: 0x10", "not a whole number"),
        in_server("timeout: [1]", "line 3: timeout: needs one value"), in_server("timeout: {a: 1}", "needs one value"),
        in_server("timeout: 0", "line 3: timeout: '0' is out of range"),
        in_server("timeout: -1", "'-1' is out of range"), in_server("timeout: 9223372036854775807", "out of range"),
        in_server("timeout: 92233720368547758070", "out of range"),
        in_server("connectTimeout: 0", "line 3: connectTimeout: '0' is out of range"),
        in_server("database: -1", "line 3: database: '-1' is out of range"),
        in_server("database: 2147483648", "out of range"), in_server("retryAttempts: -1", "out of range"),
        in_server("retryInterval: 0", "line 3: retryInterval: '0' is out of range"),
        in_server("retryDelay: 0", "line 3: retryDelay: '0' is out of range"),
        in_server("retryDelay: PT0S", "too short"), in_server("retryDelay: PT", "not a duration like PT1S"),
        in_server("retryDelay: PT-1S", "not a duration"), in_server("retryDelay: PT1S1M", "not a duration"),
        in_server("retryDelay: PT99999999999999999999S", "not a duration"),
        in_server("retryDelay: P9999D", "not a duration"), in_server("retryDelay: PT0.0001S", "not a duration"),
        in_server("retryDelay: {maxDelay: PT1S}", "needs baseDelay"),
        in_server("retryDelay: [PT1S]", "needs one value"), in_server("pingConnectionInterval: -1", "out of range"),
        in_server("clientName: two words", "line 3: clientName may have"),
        refused{"singleServerConfig: {address: 'redis://h'}\nholderLabel: two words", "line 2: holderLabel may have"},
        in_server("nameMapper: !<com.example.OwnNameMapper> {prefix: x}", "line 3: nameMapper: needs Java code"),
        refused{"singleServerConfig: {address: 'redis://h'}\nlockWatchdogTimeout: 29",
                "line 2: lockWatchdogTimeout: '29'"},
        refused{"singleServerConfig: {address: 'redis://h'}\nfairLockWaitTimeout: 999",
                "line 2: fairLockWaitTimeout: '999'"},
        refused{"singleServerConfig: {address: 'redis://h'}\nfencingCounterTtl: 0", "line 2: fencingCounterTtl: '0'"},
        refused{"singleServerConfig: {address: 'redis://h'}\nfencingCounterTtl: 20000",
                "line 2: fencingCounterTtl is 20000 ms, less than lockWatchdogTimeout"},
        refused{"singleServerConfig: {address: 'redis://h'}\nlockWatchdogBatchSize: 0",
                "line 2: lockWatchdogBatchSize: '0'"},
        refused{"singleServerConfig: {address: 'redis://h'}\ncommandMapper: !<x.Y> {}",
                "commandMapper: needs Java code"},
        in_server("credentialsResolver: !<com.Defaults.Vault> {}", "line 3: credentialsResolver: needs Java code"),
        refused{"singleServerConfig: {address: 'redisss://h'}",
                "line 1: address: the address 'redisss://h' cannot be used"},
        refused{"singleServerConfig:\n  address: redis://${REDLATCH_TEST_NONE}",
                "line 2: address: the environment has no variable REDLATCH_TEST_NONE"},
        refused{"spring.redis:\n  host: ${REDLATCH_TEST_NONE}",
                "line 2: host: the environment has no variable REDLATCH_TEST_NONE"},
        refused{"singleServerConfig: {address: ['redis://h']}", "line 1: address: needs one value"},
        refused{"singleServerConfig: {database: 1}", "has no address"},
        refused{"singleServerConfig: {address: null}", "has no address"},
        refused{"singleServerConfig: redis://h", "line 1: singleServerConfig must be a group of keys"},
        refused{"singleServerConfig:", "must be a group of keys"}, refused{"threads: 3", "no singleServerConfig"}));

INSTANTIATE_TEST_SUITE_P(
    documents, refused_yaml,
    ::testing::Values(
        refused{"", "it is empty"}, refused{"# only a comment\n", "it is empty"}, refused{"---\n", "it is empty"},
        refused{"null", "it is empty"}, refused{"redis://h", "not a group of keys"},
        refused{"[1, 2]", "not a group of keys"}, refused{"[single]\naddress=1", "not a group of keys"},
        refused{"spring.redis.host=h\nspring.redis.port=1\n", "as YAML: 'key: value'"},
        refused{"a: 1\n---\nb: 2\n", "more than one document"},
        refused{"a: 1\n b: 2\n", "line 2: it is not well-formed YAML"}, refused{"a: [1, 2\n", "not well-formed YAML"},
        refused{"a: 'open", "not well-formed YAML"}, refused{"a: *nowhere", "not well-formed YAML"},
        refused{", \n- C\n- 2\n", "line 1: it is not well-formed YAML"}, refused{"a: b: c", "not well-formed YAML"},
        refused{std::string("a: 1\0", 5), "NUL byte"}, refused{std::string((1 << 20) + 1, ' '), "1 MiB"},
        refused{"spring:\n  application:\n    name: h\n", "nothing under spring.redis or spring.data.redis"},
        refused{"spring.redis.redisson.file: 'classpath:r.yaml'", "give that file instead"},
        refused{"spring.redis:\n  redisson.config: classpath:r.yaml",
                "line 2: redisson.config names another file; give that file instead"},
        refused{"spring.redis.redisson.config: [1]", "holds no settings"},
        refused{"spring.redis.redisson.config:", "holds no settings"},
        refused{"spring.redis.redisson.config: |\n  \n", "it is empty"},
        refused{"spring.redis.redisson.config: {singleServerConfig: {timout: 1, address: 'redis://h'}}",
                "line 1: timout"},
        refused{"spring.redis.redisson.config: \"singleServerConfig: {timout: 1, address: 'redis://h'}\"",
                "line 1: timout"},
        refused{"a: 1\nspring:\n  redis.redisson.config: |\n    threads: 1\n    singleServerConfig:\n"
                "      address: redis://h\n      timout: 1\n",
                "line 7: timout"},
        refused{"spring.redis.redisson.config: |\n  a: 1\n   b: 2\n", "line 3: it is not well-formed YAML"}));

TEST(hostile_yaml, ends_soon_and_is_refused) {
    auto const repeated = [](std::string const& text, std::size_t size) {
        std::string out;
        while (out.size() + text.size() <= size) out += text;
        return out;
    };
    constexpr std::size_t large = std::size_t{1} << 18;
    std::string bomb = "a0: &a0 [x]\n";
    for (int level = 1; level < 60; ++level) {
        auto const former = "*a" + std::to_string(level - 1);
        bomb += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + former + ", " + former + "]\n";
    }
    std::vector<std::string> documents{bomb,
                                       "singleServerConfig: &s {address: *s}",
                                       "spring: &s\n  redis: *s\n",
                                       "&a ? *a\n: *a\n",
                                       std::string(large, '\xff'),
                                       "\xff\xfe" + std::string(1000, 'x'),
                                       "spring.redis.redisson.config: |\n" + repeated("  [", large / 2)};
    for (std::string const piece :
         {"[", "{", "{a: ", "- ", "? ", "a: ", "- a\n", "k: 1\n", "---\n", "&", "!", "#\n", ":\n", "\t"})
        documents.push_back(repeated(piece, large));
    for (auto const& document : documents)
        EXPECT_NE(test::refusal([&] { config::from_yaml(document); }), "") << document.substr(0, 20);
}

TEST(yaml_config, shows_no_password_in_a_refusal) {
    for (std::string const document :
         {"singleServerConfig: {address: 'redis://alice:hunter2@h:x'}", "singleServerConfig: {password: [hunter2]}",
          "password: {hunter2: 1}\nsingleServerConfig: {address: 'redis://h'}", "password: \"hunter2\n\\",
          "singleServerConfig:\n  address: redis://h\n  password: \"hunter2\\0\"\n",
          "singleServerConfig:\n  address: redis://:hunter2@h\n  database: 1x\n"})
        EXPECT_THAT(test::refusal([&] { config::from_yaml(document); }), Not(HasSubstr("hunter2"))) << document;
}

} // namespace
} // namespace redlatch
