// The settings that Redisson has no key for, under `redlatch`.
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <string>

namespace redlatch {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

config with_own(std::string const& settings) {
    return config::from_yaml("singleServerConfig: {address: 'rediss://h:1'}\nredlatch: " + settings);
}

TEST(yaml_own, says_what_redisson_has_no_key_for) {
    auto const settings = with_own(R"(
  namePrefix: "app:"
  fencingCounterTtl: 86400000
  holderLabel: web-1
  validityMargin: 25
  watchedHolds: 7
  commands: scripts
  localHandoff: false
  localHandoffTime: 9
  localHandoffStrict: true
  connect: lazily
  failFast: true
  detachedUnlock: true
  outageLimit: 1234
  closeTimeout: 567
  lazyThreads: true
  passwordFile: file:/run/secrets/redis
  sentinelPasswordFile: /run/secrets/sentinels
  tlsCaFile: /ca.pem
  tlsServerName: redis.example
)");
    EXPECT_EQ(settings.name_prefix, "app:");
    EXPECT_EQ(settings.fencing_counter_ttl, 24h);
    EXPECT_EQ(settings.holder_label, "web-1");
    EXPECT_EQ(settings.validity_margin, 25ms);
    EXPECT_EQ(settings.watched_holds, 7);
    EXPECT_EQ(settings.commands, command_set::scripts);
    EXPECT_EQ(settings.local_handoff, (local_handoff{.enabled = false, .time = 9ms, .strict = true}));
    EXPECT_EQ(settings.connect, connect_mode::lazily);
    EXPECT_TRUE(settings.fail_fast);
    EXPECT_TRUE(settings.detached_unlock);
    EXPECT_EQ(settings.outage_limit, 1234ms);
    EXPECT_EQ(settings.close_timeout, 567ms);
    EXPECT_TRUE(settings.lazy_threads);
    EXPECT_EQ(settings.password_file, "/run/secrets/redis");
    EXPECT_EQ(settings.topology.sentinel_password_file, "/run/secrets/sentinels");
    EXPECT_EQ(settings.tls.ca_file, "/ca.pem");
    EXPECT_EQ(settings.tls.server_name, "redis.example");
}

TEST(yaml_own, says_for_how_many_replicas_to_wait) {
    EXPECT_EQ(with_own("{replicas: 2}").replicas, replica_policy::at_least(2));
    EXPECT_EQ(with_own("{replicas: none}").replicas, replica_policy::none());
    EXPECT_EQ(with_own("{replicas: all, replicasTimeout: 250}").replicas, replica_policy::all(250ms));
    EXPECT_EQ(with_own("{replicas: redisson}").replicas, replica_policy::redisson_default());
    auto policy = replica_policy::at_least(1);
    policy.retries = 3;
    policy.shortage = replica_shortage::accept;
    EXPECT_EQ(with_own("{onTooFewReplicas: accept, replicasRetries: 3, replicas: 1}").replicas, policy)
        << "in whatever order";
    policy.shortage = replica_shortage::give_back;
    EXPECT_EQ(with_own("{onTooFewReplicas: giveBack, replicasRetries: 3, replicas: 1}").replicas, policy);
    auto const refusal = [](std::string const& text) { return test::refusal([&] { with_own(text); }); };
    EXPECT_THAT(refusal("{replicas: some}"), HasSubstr("replicas: must be none, all, redisson or a number"));
    EXPECT_THAT(refusal("{replicas: -1}"), HasSubstr("replicas: must be none, all, redisson or a number"));
    EXPECT_THAT(refusal("{replicas: 1001}"), HasSubstr("1000"));
    EXPECT_THAT(refusal("{replicasTimeout: 0}"), HasSubstr("replicasTimeout: "));
    EXPECT_THAT(refusal("{replicasRetries: 101}"), HasSubstr("replicasRetries: "));
    EXPECT_THAT(refusal("{onTooFewReplicas: retry}"), HasSubstr("must be fail, giveBack or accept"));
}

TEST(yaml_own, may_be_empty) {
    for (std::string const nothing : {"", "{}", "null", "{commands: null, watchedHolds: }"}) {
        auto const settings = with_own(nothing);
        EXPECT_EQ(settings.commands, config().commands) << nothing;
        EXPECT_EQ(settings.watched_holds, config().watched_holds) << nothing;
    }
}

TEST(yaml_own, chooses_commands) {
    EXPECT_EQ(with_own("{commands: plain}").commands, command_set::plain);
    EXPECT_EQ(with_own("{commands: automatic}").commands, command_set::automatic);
}

TEST(yaml_own, watches_no_hold_where_none_is_to_be_watched) {
    EXPECT_EQ(with_own("{watchedHolds: 0}").watched_holds, 0);
}

TEST(yaml_own, takes_values_from_the_environment) {
    EXPECT_EQ(with_own("{watchedHolds: '${REDLATCH_TEST_NONE:-12}'}").watched_holds, 12);
}

TEST(yaml_own, takes_the_words_of_yaml_for_true_and_false) {
    for (auto const* const word : {"true", "True", "yes", "on", "ON"})
        EXPECT_TRUE(with_own(std::string("{failFast: ") + word + "}").fail_fast) << word;
    for (auto const* const word : {"false", "no", "off"})
        EXPECT_FALSE(with_own(std::string("{failFast: ") + word + "}").fail_fast) << word;
}

TEST(yaml_own, refuses_the_rest) {
    struct row {
        std::string text;
        std::string because;
    };
    for (auto const& [text, because] :
         {row{"[a]", "line 2: redlatch must be a group of keys"},
          row{"\n  watchedHold: 1",
              "line 3: watchedHold is not known under redlatch; the nearest known name is watchedHolds"},
          row{"{timeout: 1}", "timeout belongs in singleServerConfig, not under redlatch"},
          row{"{lockWatchdogTimeout: 1}", "lockWatchdogTimeout belongs at the top level, not under redlatch"},
          row{"{commands: some}", "line 2: commands: must be automatic, plain or scripts"},
          row{"{connect: later}", "connect: must be eagerly or lazily"},
          row{"{closeTimeout: 0700}", "closeTimeout: '0700' has a leading zero, with which Java reads another number"},
          row{"{localHandoff: maybe}", "localHandoff: must be true or false"},
          row{"{localHandoffTime: 0}", "out of range"}, row{"{watchedHolds: -1}", "out of range"},
          row{"{validityMargin: 30000}", "line 2: validityMargin must be less than lockWatchdogTimeout"}})
        EXPECT_THAT(test::refusal([&text = text] { with_own(text); }), HasSubstr(because)) << text;
    EXPECT_THAT(
        test::refusal([] { config::from_yaml("singleServerConfig: {address: 'redis://h:1'}\ndetachedUnlock: true"); }),
        HasSubstr("detachedUnlock belongs under redlatch, not at the top level"));
}

TEST(yaml_own, stands_beside_what_spring_nests) {
    for (std::string const where : {"config: {singleServerConfig: {address: 'redis://h:1'}}",
                                    "config: |\n        singleServerConfig: {address: 'redis://h:1'}"})
        EXPECT_EQ(
            config::from_yaml("spring:\n  redis:\n    redisson:\n      " + where + "\nredlatch: {watchedHolds: 3}")
                .watched_holds,
            3);
    EXPECT_EQ(config::from_yaml("spring.redis.host: h\nredlatch: {watchedHolds: 3}").watched_holds, 3);
    EXPECT_THAT(test::refusal([] { config::from_yaml("spring.redis.host: h\nredlatch: {wotchedHolds: 3}"); }),
                HasSubstr("line 2: wotchedHolds is not known under redlatch"));
}

} // namespace
} // namespace redlatch
