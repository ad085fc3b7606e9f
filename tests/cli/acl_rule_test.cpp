// The rule that redlatch acl prints: enough for each type, and no more than is used.
#include "acl_rule.hpp"
#include "support/every_use.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"

#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;
using test::use_of_type;
using test::uses_of_all_types;

class acl_rule_of : public testing::TestWithParam<use_of_type> {
protected:
    test::redis_server server;

    config with(std::vector<std::string> const& rule) const {
        std::vector<std::string> command{"ACL", "SETUSER", "locks", "reset", "on", ">secret"};
        command.insert(command.end(), rule.begin(), rule.end());
        EXPECT_EQ(server.admin().command(command).text, "OK") << "each word of the rule means something";
        config settings;
        settings.address = server.uri();
        settings.username = "locks";
        settings.password = "secret";
        settings.lock_watchdog_timeout = 900ms;
        settings.holder_label = "acl_rule_test";
        return settings;
    }
};
INSTANTIATE_TEST_SUITE_P(each_type, acl_rule_of, testing::ValuesIn(uses_of_all_types()),
                         [](auto const& about) { return about.param.type; });

TEST(acl_types, are_all_in_this_test) {
    std::set<std::string_view> tested;
    for (auto const& one : uses_of_all_types()) tested.insert(one.type);
    auto const known = acl_types();
    EXPECT_EQ(tested, std::set<std::string_view>(known.begin(), known.end()));
}

TEST_P(acl_rule_of, is_enough_for_everything_with_names_of_the_prefix_and_for_no_other) {
    auto const settings = with(acl_rule({GetParam().type}, "jobs:"));
    client user(settings);
    client other(settings);
    EXPECT_NO_THROW(GetParam().use(user, other));
    EXPECT_THROW((void)user.get_lock("payments").acquire({.wait = 1s}), error);
    EXPECT_THROW(user.get_semaphore("payments").try_set_permits(1), error);
}

TEST_P(acl_rule_of, is_enough_for_all_names) {
    auto const settings = with(acl_rule({GetParam().type}, ""));
    client user(settings);
    client other(settings);
    EXPECT_NO_THROW(GetParam().use(user, other));
}

TEST_P(acl_rule_of, has_no_right_that_nothing_uses) {
    auto const rule = acl_rule({GetParam().type}, "");
    server.run("CONFIG", "RESETSTAT");
    {
        auto const settings = with(rule);
        client user(settings);
        client other(settings);
        user.ping();
        GetParam().use(user, other);
    }
    // When connections break or are idle, when a user may do less, and when permits come back while somebody waits.
    std::set<std::string> used{"client|kill", "ping", "unsubscribe", "eval",   "restore", "hdel",
                               "publish",     "lrem", "lrange",      "exists", "zincrby"};
    for (auto const& [command, count] : test::command_counts(server)) used.insert(command);
    for (auto const& word : rule) {
        if (word.front() != '+') continue;
        EXPECT_TRUE(used.contains(word.substr(1))) << word << " is not used";
    }
}

TEST(acl_rule, names_keys_and_channels_as_they_are_derived) {
    auto const has = [](std::vector<std::string> const& rule, std::string const& word) {
        return std::find(rule.begin(), rule.end(), word) != rule.end();
    };
    auto const plain = acl_rule({"fair", "latch"}, "jobs:");
    EXPECT_TRUE(has(plain, "~jobs:*"));
    EXPECT_TRUE(has(plain, "~redisson_lock_queue:{jobs:*}"));
    EXPECT_TRUE(has(plain, "&redisson_lock__channel:{jobs:*")) << "that of a waiter has its id behind the bracket";
    EXPECT_TRUE(has(plain, "&redisson_countdownlatch__channel__{jobs:*"));
    EXPECT_FALSE(has(plain, "&redisson_sc:{jobs:*"));
    auto const tagged = acl_rule({"fair", "latch", "read_write"}, "{jobs}");
    EXPECT_TRUE(has(tagged, "~redisson_lock_queue:{jobs}*")) << "no further brackets";
    EXPECT_TRUE(has(tagged, "&redisson_countdownlatch__channel__{{jobs}*"));
    EXPECT_FALSE(has(tagged, "~{{jobs}*}:*"));
    EXPECT_TRUE(has(acl_rule({"reentrant"}, "a*[b]?\\"), "~a\\*\\[b\\]\\?\\\\*")) << "a name, and no pattern";
}

} // namespace
} // namespace redlatch::cli
