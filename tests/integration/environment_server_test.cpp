// Which server a client uses that names none: what the environment says, as for the tool.
#include "integration/embedded_fixture.hpp"
#include "support/redis_server.hpp"

#include <redlatch/client.hpp>
#include <redlatch/log.hpp>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace redlatch::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class environment_server : public embedded_server_test {
protected:
    ~environment_server() override {
        for (auto const* const chooser : {"REDLATCH_SERVER", "REDLATCH_CONFIG", "REDLATCH_REQUIRE_SERVER"})
            ::unsetenv(chooser);
        set_log_sink({});
    }

    /// Both ways to name no server.
    static std::vector<std::string> addresses_used() {
        return {client().ping().address, client(config{}).ping().address};
    }
    std::vector<std::string> twice(std::string const& uri) const { return {uri, uri}; }

    std::string file_for(std::string const& uri) const {
        auto file = (base.path() / "redisson.yaml").string();
        std::ofstream(file) << "lockWatchdogTimeout: 7000\nfencingCounterTtl: 90000\nsingleServerConfig:\n  address: \""
                            << uri << "\"\n  clientName: from-the-file\nredlatch:\n  replicas: 1\n";
        return file;
    }
    static std::string name_of(client& asked, redis_server& server) {
        asked.ping();
        return server.run("CLIENT", "LIST").text;
    }
};

TEST_F(environment_server, is_the_address_in_the_environment) {
    redis_server named;
    redis_server other;
    ::setenv("REDLATCH_SERVER", named.uri().c_str(), 1);
    EXPECT_EQ(addresses_used(), twice(named.uri()));
    ::setenv("REDLATCH_CONFIG", file_for(other.uri()).c_str(), 1);
    EXPECT_EQ(addresses_used(), twice(named.uri())) << "an address beats a file";
    ::setenv("REDLATCH_REQUIRE_SERVER", "1", 1);
    EXPECT_EQ(addresses_used(), twice(named.uri()));
    EXPECT_EQ(client(config{.address = other.uri()}).ping().address, other.uri()) << "the program beats both";
    EXPECT_FALSE(embedded_server().status().running);
}

TEST_F(environment_server, is_what_a_file_says_for_all_that_the_program_leaves_open) {
    redis_server named;
    ::setenv("REDLATCH_CONFIG", file_for(named.uri()).c_str(), 1);
    EXPECT_EQ(addresses_used(), twice(named.uri()));
    client as_in_the_file;
    EXPECT_THAT(name_of(as_in_the_file, named), HasSubstr("name=from-the-file"));
    try {
        (void)as_in_the_file.get_lock("confirmed").acquire();
        ADD_FAILURE() << "there are no replicas";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::not_replicated);
    }
    auto const held = as_in_the_file.get_lock("job", {.replicas = replica_policy::none()}).acquire();
    EXPECT_LE(named.run("PTTL", "job").integer, 7000);
    EXPECT_TRUE(
        as_in_the_file.get_lock("other", {.replicas = replica_policy::none()}).acquire({.fencing = true}).token());
    EXPECT_GT(named.run("PTTL", "redisson_lock_token:{other}").integer, 0);
    client with_a_name(config{.client_name = "from-the-program"});
    EXPECT_THAT(name_of(with_a_name, named), HasSubstr("name=from-the-program"));
}

TEST_F(environment_server, that_is_wrong_is_refused_and_not_replaced_by_the_private_one) {
    ::setenv("REDLATCH_SERVER", "redis//host", 1);
    EXPECT_THROW(client(), error);
    ::setenv("REDLATCH_SERVER", "", 1);
    ::setenv("REDLATCH_CONFIG", "/no/such/file", 1);
    EXPECT_THROW(client(), error);
    EXPECT_THROW(client(""), error) << "an address that is empty is no choice";
    EXPECT_FALSE(embedded_server().status().running);
}

TEST_F(environment_server, is_the_private_one_with_a_warning_if_nothing_is_said) {
    std::vector<std::string> warnings;
    set_log_sink([&](log_level, std::string_view line) { warnings.emplace_back(line); }, log_level::warning);
    EXPECT_EQ(addresses_used(), twice(embedded_server().uri()));
    EXPECT_THAT(warnings, Contains(HasSubstr("private server of this user")).Times(2));
    warnings.clear();
    EXPECT_EQ(client(config::local()).ping().address, embedded_server().uri());
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("private server")))) << "it was asked for";
}

TEST_F(environment_server, is_not_the_private_one_where_a_server_is_required) {
    ::setenv("REDLATCH_REQUIRE_SERVER", "1", 1);
    for (auto const& attempt : std::vector<std::function<void()>>{[] { client(); }, [] { client(config{}); }}) {
        try {
            attempt();
            ADD_FAILURE() << "not refused";
        } catch (error const& problem) {
            EXPECT_EQ(problem.reason(), errc::bad_config);
            EXPECT_THAT(problem.what(), HasSubstr("REDLATCH_SERVER"));
        }
    }
    EXPECT_FALSE(embedded_server().status().running);
    EXPECT_NO_THROW(client(config::local()));
    ::setenv("REDLATCH_REQUIRE_SERVER", "0", 1);
    EXPECT_NO_THROW(client());
}

} // namespace
} // namespace redlatch::test
