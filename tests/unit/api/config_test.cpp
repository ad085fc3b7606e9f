#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <limits>
#include <ostream>
#include <string>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

TEST(config, is_usable_as_it_comes) {
    EXPECT_NO_THROW(config{}.validate());
    EXPECT_NO_THROW(config::local().validate());
}

TEST(config, from_a_uri_keeps_the_uri_and_the_defaults) {
    auto const settings = config::from_uri("redis://alice:secret@host:1/2");
    EXPECT_EQ(settings.address, "redis://alice:secret@host:1/2");
    EXPECT_EQ(settings.timeout, 3s);
    EXPECT_NO_THROW(settings.validate());
}

TEST(config, a_policy_about_replicas_that_cannot_work_is_refused) {
    auto const refusal = [](replica_policy const& policy) {
        return test::refusal([&] { config{.replicas = policy}.validate(); });
    };
    for (auto const& good : {replica_policy::none(), replica_policy::at_least(1), replica_policy::all(),
                             replica_policy::redisson_default()})
        EXPECT_NO_THROW((config{.replicas = good}.validate()));
    EXPECT_THAT(refusal({.replicas = -2}), HasSubstr("replicas.replicas is -2; it must be from 0 to 1000"));
    EXPECT_THAT(refusal({.replicas = 1001}), HasSubstr("replicas.replicas is 1001"));
    EXPECT_THAT(refusal({.replicas = 2, .required = 3}), HasSubstr("replicas.required is 3; it must be from 0 to 2"));
    EXPECT_THAT(refusal({.replicas = replica_policy::all_connected, .required = -1}), HasSubstr("required is -1"));
    EXPECT_THAT(refusal({.replicas = 1, .time = 0ms}), HasSubstr("replicas.time is 0 ms"));
    EXPECT_THAT(refusal({.replicas = 1, .time = duration::max()}), HasSubstr("from 1 ms to ten years"));
    EXPECT_THAT(refusal({.replicas = 1, .retries = 101}), HasSubstr("replicas.retries is 101"));
    EXPECT_THAT(refusal({.replicas = 1, .shortage = static_cast<replica_shortage>(3)}),
                HasSubstr("must be fail, give_back or accept"));
}

TEST(config, redisson_asks_all_and_is_content_with_one) {
    auto const policy = replica_policy::redisson_default(2s);
    EXPECT_EQ(policy.replicas, replica_policy::all_connected);
    EXPECT_EQ(policy.required, 1);
    EXPECT_EQ(policy.time, 2s);
    EXPECT_EQ(policy.retries, 4);
    EXPECT_EQ(policy.shortage, replica_shortage::fail);
    EXPECT_FALSE(policy.needs_wait);
    EXPECT_EQ(replica_policy::redisson_default().time, 1s);
}

TEST(config, from_an_empty_uri_is_refused_as_it_is_no_choice) {
    EXPECT_THAT(test::refusal([] { config::from_uri(""); }), HasSubstr("it is empty"));
}

TEST(config, from_a_bad_uri_is_refused_without_showing_the_password) {
    auto const message = test::refusal([] { config::from_uri("redis://alice:hunter2@host:x"); });
    EXPECT_THAT(message, HasSubstr("redis://alice:***@host:x"));
    EXPECT_THAT(message, Not(HasSubstr("hunter2")));
}

TEST(config, nodes_need_a_mode_that_has_some) {
    for (auto const* const address : {"", "redis://h", "local:"}) {
        config const settings{.address = address, .topology = {.nodes = {"redis://:hunter2@a:1", "redis://b:2"}}};
        EXPECT_THAT(test::refusal([&] { settings.validate(); }),
                    AllOf(HasSubstr("topology.nodes has redis://"), HasSubstr("topology.mode is single"),
                          Not(HasSubstr("hunter2"))))
            << address;
    }
}

TEST(config, options_for_tls_need_an_address_with_tls) {
    config settings{.address = "rediss://host", .tls = {.ca_file = "/ca.pem"}};
    EXPECT_NO_THROW(settings.validate());
    for (auto const* const plain : {"redis://host", "unix:///run/redis.sock", "local:"}) {
        settings.address = plain;
        EXPECT_THAT(test::refusal([&] { settings.validate(); }), HasSubstr("write rediss://host:port")) << plain;
    }
    settings.tls = {.verification = tls_verification::none};
    EXPECT_THAT(test::refusal([&] { settings.validate(); }), HasSubstr("write rediss://host:port"));
}

TEST(config, options_for_tls_that_cannot_work_are_refused) {
    auto const refusal = [](tls_options options) {
        return test::refusal([&] { config{.address = "rediss://host", .tls = std::move(options)}.validate(); });
    };
    EXPECT_THAT(refusal({.key_file = "/key"}), HasSubstr("tls.key_file needs tls.certificate_file"));
    EXPECT_THAT(refusal({.key_password = "x"}), HasSubstr("tls.key_password needs tls.certificate_file"));
    EXPECT_THAT(refusal({.ca_password = "x"}), HasSubstr("tls.ca_password is for a tls.ca_file"));
    EXPECT_THAT(refusal({.ca_file = std::string(5000, 'x')}), HasSubstr("tls.ca_file is longer than 4096 bytes"));
    EXPECT_THAT(refusal({.server_name = std::string("a\0b", 3)}), HasSubstr("tls.server_name contains a NUL byte"));
    EXPECT_THAT(refusal({.certificate_file = "/cert", .key_file = "/key", .key_password = std::string(5000, 'x')}),
                HasSubstr("tls.key_password is longer than 4096 bytes"));
    EXPECT_THAT(refusal({.verification = static_cast<tls_verification>(3)}), HasSubstr("strict, ca_only or none"));
    EXPECT_THAT(refusal({.minimum_version = static_cast<tls_version>(2)}), HasSubstr("tls_1_2 or tls_1_3"));
}

TEST(config, says_only_once_how_to_log_in) {
    auto const refusal = [](config const& settings) { return test::refusal([&] { settings.validate(); }); };
    auto const asked = [] { return credentials{}; };
    EXPECT_NO_THROW((config{.address = "redis://h", .credentials = asked}.validate()));
    EXPECT_NO_THROW((config{.address = "redis://h", .username = "alice", .password_file = "/p"}.validate()));
    EXPECT_NO_THROW((config{.address = "redis-sentinel://h#m", .password_file = "/p"}.validate()));
    EXPECT_THAT(refusal({.address = "redis://h", .password_file = "/p", .credentials = asked}),
                HasSubstr("credentials and password_file are both set"));
    EXPECT_THAT(refusal({.address = "redis://h", .password = "pw", .password_file = "/p"}),
                HasSubstr("password_file and a password are both set; give one of them"));
    EXPECT_THAT(refusal({.address = "redis://:pw@h", .credentials = asked}),
                HasSubstr("credentials and a password are both set"));
    EXPECT_THAT(refusal({.address = "redis://h", .username = "alice", .credentials = asked}),
                HasSubstr("credentials and a user name are both set"));
    EXPECT_THAT(refusal({.address = "redis-sentinel://:pw@h#m", .credentials = asked}),
                HasSubstr("credentials and a password are both set"));
    auto const by_sentinels = [](topology_options topology) {
        return config{.address = "redis-sentinel://:pw@h#m", .topology = std::move(topology)};
    };
    auto asking = by_sentinels({.sentinel_username = "watch"});
    asking.sentinel_credentials = asked;
    EXPECT_THAT(refusal(asking), HasSubstr("sentinel_credentials and a user name of the Sentinels are both set"));
    asking.topology = {.sentinel_password_file = "/p"};
    EXPECT_THAT(refusal(asking),
                HasSubstr("sentinel_credentials and topology.sentinel_password_file are both set; give one of them"));
    asking.topology = {};
    EXPECT_NO_THROW(asking.validate());
    EXPECT_NO_THROW(by_sentinels({.sentinel_username = "watch", .sentinel_password_file = "/p"}).validate());
    EXPECT_THAT(refusal(by_sentinels({.sentinel_password = "x", .sentinel_password_file = "/p"})),
                HasSubstr("topology.sentinel_password_file and a password of the Sentinels are both set"));
    EXPECT_THAT(refusal({.address = "redis://h", .password_file = std::string(5000, 'x')}),
                HasSubstr("password_file is longer than 4096 bytes"));
}

TEST(config, accepts_the_least_and_the_most_of_each_field) {
    constexpr duration ten_years = std::chrono::hours(24 * 366 * 10);
    config least{.timeout = 1ms, .connect_timeout = 1ms, .retry_attempts = 0, .retry_delay = 1ms, .ping_interval = 0ms};
    least.lock_watchdog_timeout = 30ms;
    least.renewal_batch = 1;
    least.fair_lock_wait_timeout = 1s;
    least.fencing_counter_ttl = 30ms;
    least.outage_limit = 0ms;
    least.close_timeout = 0ms;
    least.local_handoff.time = 1ms;
    EXPECT_NO_THROW(least.validate());
    config most{
        .timeout = ten_years, .connect_timeout = ten_years, .retry_delay = ten_years, .ping_interval = ten_years};
    most.lock_watchdog_timeout = ten_years;
    most.validity_margin = ten_years - 1ms;
    most.fencing_counter_ttl = ten_years;
    most.outage_limit = ten_years;
    most.close_timeout = ten_years;
    most.local_handoff.time = ten_years;
    most.database = std::numeric_limits<int>::max();
    EXPECT_NO_THROW(most.validate());
}

struct unusable {
    char const* field;
    config settings;

    friend std::ostream& operator<<(std::ostream& out, unusable const& one) { return out << one.field; }
};

class unusable_config : public ::testing::TestWithParam<unusable> {};

TEST_P(unusable_config, is_refused_by_the_name_of_its_field) {
    auto const message = test::refusal([] { GetParam().settings.validate(); });
    EXPECT_THAT(message, HasSubstr(GetParam().field));
    EXPECT_THAT(message, Not(HasSubstr("hunter2")));
}

INSTANTIATE_TEST_SUITE_P(
    config, unusable_config,
    ::testing::Values(
        unusable{"address", {.address = "host:6379"}}, unusable{"address", {.address = "redis://"}},
        unusable{"username", {.username = std::string("a\0b", 3)}},
        unusable{"password", {.password = std::string("hunter2\0", 8)}},
        unusable{"password", {.password = std::string(4097, 'p')}},
        unusable{"client_name", {.client_name = "two words"}}, unusable{"client_name", {.client_name = "line\n"}},
        unusable{"client_name", {.client_name = "\xc3\xa4"}}, unusable{"holder_label", {.holder_label = "two words"}},
        unusable{"holder_label", {.holder_label = "\x1b[31m"}},
        unusable{"holder_label", {.holder_label = std::string(129, 'x')}}, unusable{"database", {.database = -1}},
        unusable{"timeout", {.timeout = 0ms}}, unusable{"timeout", {.timeout = -1ms}},
        unusable{"timeout", {.timeout = duration::max()}}, unusable{"timeout", {.timeout = duration::min()}},
        unusable{"connect_timeout", {.connect_timeout = 0ms}}, unusable{"retry_attempts", {.retry_attempts = -1}},
        unusable{"retry_delay", {.retry_delay = 0ms}}, unusable{"ping_interval", {.ping_interval = -1ms}},
        unusable{"lock_watchdog_timeout", {.lock_watchdog_timeout = 29ms}},
        unusable{"fair_lock_wait_timeout", {.fair_lock_wait_timeout = 999ms}},
        unusable{"fencing_counter_ttl", {.fencing_counter_ttl = 0ms}},
        unusable{"fencing_counter_ttl", {.fencing_counter_ttl = -1ms}},
        unusable{"fencing_counter_ttl", {.fencing_counter_ttl = 29'999ms}}, // less than the lease of a renewed lock
        unusable{"fencing_counter_ttl", {.fencing_counter_ttl = duration::max()}},
        unusable{"watched_holds", {.watched_holds = -1}}, unusable{"watched_holds", {.watched_holds = 1'000'001}},
        unusable{"renewal_batch", {.renewal_batch = 0}}, unusable{"renewal_batch", {.renewal_batch = 10'001}},
        unusable{"validity_margin", {.validity_margin = -1ms}}, unusable{"validity_margin", {.validity_margin = 30s}},
        unusable{"commands", {.commands = static_cast<command_set>(3)}},
        unusable{"local_handoff.time", {.local_handoff = {.time = 0ms}}},
        unusable{"outage_limit", {.outage_limit = -1ms}},
        unusable{"close_timeout", {.close_timeout = duration::max()}}));

} // namespace
} // namespace redlatch
