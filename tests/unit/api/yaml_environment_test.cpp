// `${NAME}` in a YAML document.
#include "io/endpoint.hpp"
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <string>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class yaml_environment : public ::testing::Test {
protected:
    ~yaml_environment() override {
        ::unsetenv("REDLATCH_TEST_HOST");
        ::unsetenv("REDLATCH_TEST_SECRET");
    }

    static config with(std::string const& lines) {
        return config::from_yaml("singleServerConfig:\n  address: redis://h\n" + lines);
    }
};

TEST_F(yaml_environment, fills_in_variables_and_defaults) {
    ::setenv("REDLATCH_TEST_HOST", "db.example", 1);
    ::setenv("REDLATCH_TEST_SECRET", "a: ${b} #'\"", 1);
    auto const settings = config::from_yaml(R"(
singleServerConfig:
  address: "redis://${REDLATCH_TEST_HOST}:${REDLATCH_TEST_PORT:-6390}"
  database: ${REDLATCH_TEST_DB:3}
  password: ${REDLATCH_TEST_SECRET}
  timeout: ${REDLATCH_TEST_TIMEOUT:-1234}
  clientName: ${REDLATCH_TEST_NAME:-}
)");
    auto const where = io::resolve_endpoint(settings);
    EXPECT_EQ(where.host_or_path, "db.example");
    EXPECT_EQ(where.port, 6390);
    EXPECT_EQ(where.database, 3);
    EXPECT_EQ(where.password, "a: ${b} #'\"");
    EXPECT_EQ(settings.timeout, 1234ms);
    EXPECT_EQ(settings.client_name, "");
}

TEST_F(yaml_environment, fills_in_defaults_within_defaults) {
    std::string const nested = "  password: '<${REDLATCH_TEST_SECRET:-${REDLATCH_TEST_HOST:inner}}>'\n";
    EXPECT_EQ(with(nested).password, "<inner>");
    ::setenv("REDLATCH_TEST_HOST", "host", 1);
    EXPECT_EQ(with(nested).password, "<host>");
    ::setenv("REDLATCH_TEST_SECRET", "${REDLATCH_TEST_HOST}", 1);
    EXPECT_EQ(with(nested).password, "<${REDLATCH_TEST_HOST}>") << "what comes from the environment is not looked at";
    EXPECT_EQ(with("  password: '${REDLATCH_TEST_NONE:-a${b c}d}'\n").password, "a${b c}d");
    std::string deep = "x";
    for (int i = 0; i < 10'000; ++i) deep = "${REDLATCH_TEST_NONE:" + deep + "}";
    EXPECT_THAT(test::refusal([&] { with("  password: '" + deep + "'\n"); }), HasSubstr("more than 20 times"));
}

TEST_F(yaml_environment, may_say_null) {
    EXPECT_EQ(with("  password: ${REDLATCH_TEST_NONE:-null}\n").password, "");
    EXPECT_EQ(with("  password: '${REDLATCH_TEST_NONE:-null}'\n").password, "null");
}

TEST_F(yaml_environment, leaves_other_text_alone) {
    for (std::string const text : {"a$b", "${", "${}", "${not closed", "$${", "${two words}", "${:-x}"})
        EXPECT_EQ(with("  password: '" + text + "'\n").password, text);
}

TEST_F(yaml_environment, must_know_the_variable) {
    auto const message = test::refusal([] { with("  password: ${REDLATCH_TEST_NONE}\n"); });
    EXPECT_THAT(message, AllOf(HasSubstr("line 3: password"), HasSubstr("no variable REDLATCH_TEST_NONE")));
}

} // namespace
} // namespace redlatch
