// The rule that redlatch acl prints: enough for each type, and no more than is used.
#include "acl_rule.hpp"
#include "support/every_use.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"
#include "support/telling_process.hpp"

#include <redlatch/log.hpp>
#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;
using test::use_of_type;
using test::uses_of_all_types;

/// A user with this rule.
config settings_with(test::redis_server const& server, std::vector<std::string> const& rule) {
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

class acl_rule_of : public testing::TestWithParam<use_of_type> {
protected:
    test::redis_server server;

    config with(std::vector<std::string> const& rule) const { return settings_with(server, rule); }
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
    std::set<std::string> used{"client|kill", "ping",    "unsubscribe", "eval",   "restore",
                               "hdel",        "publish", "lrem",        "lrange", "exists"};
    for (auto const& [command, count] : test::command_counts(server)) used.insert(command);
    for (auto const& word : rule) {
        if (word.front() != '+') continue;
        EXPECT_TRUE(used.contains(word.substr(1))) << word << " is not used";
    }
}

/// A process of its own that does everything with one right less, on a server of its own.
class attempt_without {
public:
    /// It begins at once.
    attempt_without(use_of_type const& type, std::vector<std::string> rule, std::string const& right)
        : settings_(without(std::move(rule), right)), process_([&](test::telling_process::teller const& tell) {
              set_log_sink([tell](log_level, std::string_view line) { tell(line); }, log_level::info);
              client user(settings_);
              client other(settings_);
              type.use(user, other);
          }) {}

    /// It says this before it ends.
    bool says(std::string const& text) {
        return process_.tells([&](std::string const& all) { return all.find(text) != std::string::npos; });
    }
    /// It has done everything. After says().
    bool is_done() const { return process_.is_done(); }
    std::string const& said() const noexcept { return process_.told(); }
    /// Its server has refused it.
    bool was_refused(std::string const& right) const {
        for (auto const& one : server_.run("ACL", "LOG").items)
            for (std::size_t i = 0; i + 1 < one.items.size(); i += 2)
                if (one.items[i].text == "object" && one.items[i + 1].text == right) return true;
        return false;
    }

private:
    config without(std::vector<std::string> rule, std::string const& right) const {
        std::erase(rule, "+" + right);
        return settings_with(server_, rule);
    }

    test::redis_server server_{};
    config settings_;
    test::telling_process process_;
};

/// Used only when a connection breaks or is idle, or when nobody waits any more. Below.
std::set<std::string> const of_rare_moments{"client|kill", "ping", "unsubscribe"};

/// Each right is missing once. What the server has refused for want of it is named, in quotes, by an error or by the log.
/// Eight at a time: each takes a third of a second, until a renewal.
TEST_P(acl_rule_of, names_each_right_that_is_missing) {
    auto const rule = acl_rule({GetParam().type}, "");
    // What only who queues needs fails in a waiter, which the others miss for 20 s: integration/acl_rule_test has these.
    std::set<std::string> left_out;
    if (GetParam().type.ends_with("fair")) left_out = {"+rpush", "+zadd", "+zscore"};
    std::vector<std::string> rights;
    for (auto const& word : rule)
        if (word.front() == '+' && !left_out.contains(word)) rights.push_back(word.substr(1));
    std::deque<std::pair<std::string, attempt_without>> attempts;
    for (std::size_t next = 0; next < rights.size() || !attempts.empty();) {
        while (next < rights.size() && attempts.size() < 8) {
            attempts.emplace_back(std::piecewise_construct, std::forward_as_tuple(rights[next]),
                                  std::forward_as_tuple(GetParam(), rule, rights[next]));
            ++next;
        }
        auto& [right, attempt] = attempts.front();
        if (!attempt.says("'" + right + "'")) {
            EXPECT_FALSE(attempt.was_refused(right)) << right << " is not named: " << attempt.said();
            EXPECT_TRUE(of_rare_moments.contains(right)) << right << " was not used: " << attempt.said();
            EXPECT_TRUE(attempt.is_done()) << right << ": " << attempt.said();
        }
        attempts.pop_front();
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
