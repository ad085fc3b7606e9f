// References of a document of Spring's to other values of it.
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <string>

namespace redlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class yaml_own_values_test : public ::testing::Test {
protected:
    std::string const others = "app:\n  redis-host: real\n  port.of: 7\n  both: '${app.redis-host}:${app.port.of}'\n";

    ~yaml_own_values_test() override { ::unsetenv("app.redis-host"); }
    std::string address_of(std::string const& rest) const { return config::from_yaml(others + rest).address; }
    static std::string refusal_of(std::string const& document) {
        return test::refusal([&] { config::from_yaml(document); });
    }
};

TEST_F(yaml_own_values_test, are_found_by_their_whole_names) {
    EXPECT_EQ(address_of("spring.redis.host: '${app.redis-host:localhost}'"), "redis://real:6379");
    EXPECT_EQ(address_of("spring.redis.host: '${app.redisHost:localhost}'"), "redis://real:6379");
    EXPECT_EQ(address_of("spring.redis.host: '${app.none:${app.redis-host}}'"), "redis://real:6379");
    EXPECT_EQ(address_of("spring.redis: {host: h, port: '${app.port.of}'}"), "redis://h:7");
    EXPECT_EQ(address_of("spring.redis.url: 'redis://${app.both}'"), "redis://real:7");
    auto const cluster = config::from_yaml(others + "spring.redis.cluster.nodes: ['${app.both}', 'b:${app.port.of}']");
    EXPECT_THAT(cluster.topology.nodes, ElementsAre("redis://real:7", "redis://b:7"));
}

TEST_F(yaml_own_values_test, are_those_of_redissons_settings_too) {
    for (std::string const config : {"{singleServerConfig: {address: 'redis://${app.both:h}'}}",
                                     "|\n  singleServerConfig:\n    address: 'redis://${app.both:h}'\n"}) {
        auto const document = "spring.redis.redisson.config: " + config;
        EXPECT_EQ(address_of(document), "redis://real:7") << document;
    }
    EXPECT_THAT(
        refusal_of(others + "spring.redis.redisson.config: |\n  singleServerConfig:\n    adress: '${app.both}'\n"),
        HasSubstr("line 7: adress"))
        << "where it stands in the document";
}

TEST_F(yaml_own_values_test, come_behind_variables_of_the_environment) {
    ::setenv("app.redis-host", "variable", 1);
    EXPECT_EQ(address_of("spring.redis.host: '${app.redis-host}'"), "redis://variable:6379");
}

TEST_F(yaml_own_values_test, are_taken_as_they_are) {
    for (std::string const password : {"a}b", "x${y", "$", "{"}) {
        auto const document =
            "pw: '" + password + "'\nspring.redis: {host: h, password: '${REDLATCH_TEST_NONE:${pw}}'}";
        EXPECT_EQ(config::from_yaml(document).password, password);
    }
}

TEST_F(yaml_own_values_test, do_not_lead_to_themselves) {
    EXPECT_THAT(refusal_of("a: '${b}'\nb: '${a}'\nspring.redis.host: '${a}'"), HasSubstr("line 3: host: a reference"));
}

TEST_F(yaml_own_values_test, of_hostile_documents_are_refused_soon) {
    std::string many = "a: x\nspring.redis.cluster.nodes:\n";
    for (int i = 0; i < 2'000; ++i) many += "- '${a}:1'\n";
    EXPECT_THAT(refusal_of(many), HasSubstr("too many references"));

    std::string deep = "a";
    for (int i = 0; i < 50'000; ++i) deep += ".a";
    EXPECT_NE(refusal_of("a: &m {a: *m}\nspring.redis.host: '${" + deep + "}'"), "") << "a group within itself";
    EXPECT_NE(refusal_of("a: &m {x: *m, X: *m}\nspring.redis.host: '${a.x.x}'"), "") << "twice in itself";
    EXPECT_NE(refusal_of("spring.redis.redisson.config: &m {singleServerConfig: *m, b: '${a}'}"), "");

    std::string long_one = "a: " + std::string(100'000, 'x') + "\nspring.redis.host: '";
    for (int i = 0; i < 500; ++i) long_one += "${a}";
    EXPECT_THAT(refusal_of(long_one + "'"), HasSubstr("is longer than"));

    std::string doubling;
    for (char name = 'a'; name < 's'; ++name) {
        auto const next = std::string(1, static_cast<char>(name + 1));
        doubling += std::string(1, name) + ": '${" + next + "}${" + next + "}'\n";
    }
    EXPECT_THAT(refusal_of(doubling + "s: ''\nspring.redis.host: '${a}'"), HasSubstr("too many references"));
}

} // namespace
} // namespace redlatch
