// The rule that redlatch acl prints: enough for each type, and no more than is used.
#include "acl_rule.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"

#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <set>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;
using test::wait_until;

constexpr char const* lock_name = "jobs:nightly";

/// Everything that can be done with a lock, once. `other`: somebody else of the same rights.
void use_lock(client& user, client& other, std::function<basic_lock(client&)> const& get) {
    auto lock = get(user);
    auto theirs = get(other);
    auto mine = lock.acquire({.wait = 5s});
    std::error_code not_reentrant;
    (void)lock.try_acquire({}, not_reentrant);
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    EXPECT_TRUE(lock.is_locked());
    EXPECT_TRUE(lock.remaining_lease());
    EXPECT_TRUE(lock.inspect().held);
    EXPECT_EQ(user.list_locks("jobs:*", {.labels = true}).size(), 1U);
    auto waiter = std::async(std::launch::async, [&] { return theirs.acquire({.wait = 20s, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    mine.release();
    waiter.get().release();
    auto const forced = lock.acquire({.wait = 5s});
    EXPECT_FALSE(theirs.try_acquire({.wait = 10ms, .owner = owner()}));
    EXPECT_TRUE(theirs.force_unlock());
}

using usage = std::function<void(client& user, client& other)>;

usage locks(std::function<basic_lock(client&)> get) {
    return [get](client& user, client& other) { use_lock(user, other, get); };
}

void use_read_write_lock(client& user, client& other) {
    use_lock(user, other, [](client& from) -> basic_lock { return from.get_read_write_lock(lock_name).write_lock(); });
    auto const both = user.get_read_write_lock(lock_name);
    auto writes = both.write_lock();
    auto reads = both.read_lock();
    owner const me;
    auto writing = writes.acquire({.wait = 5s, .owner = me});
    auto reading = reads.acquire({.wait = 5s, .owner = me});
    reads.acquire({.wait = 5s, .owner = me}).release();
    writing.release();
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    reading.release();
}

void use_election(client& user, client& other) {
    use_lock(user, other, [](client& from) -> basic_lock { return from.get_leader_election(lock_name).lock(); });
    auto election = user.get_leader_election(lock_name, {.candidate = "ann"});
    auto term = election.campaign({.wait = 5s});
    EXPECT_EQ(election.leader().value().candidate, "ann");
    term.resign();
}

void use_semaphore(client& user, client&) {
    auto permits = user.get_semaphore("jobs:permits", {.exactly_once = true});
    EXPECT_TRUE(permits.try_set_permits(2, 100s));
    permits.acquire({.wait = 5s});
    EXPECT_FALSE(permits.try_acquire({.permits = 2, .wait = 50ms}));
    EXPECT_EQ(permits.available_permits(), 1);
    permits.release();
    EXPECT_EQ(permits.drain_permits(), 2);
    EXPECT_TRUE(permits.remove());
}

void use_permit_semaphore(client& user, client&) {
    auto pool = user.get_permit_semaphore("jobs:pool", {.exactly_once = true});
    EXPECT_TRUE(pool.try_set_permits(2, 100s));
    auto first = pool.acquire({.lease = 60s, .wait = 5s});
    EXPECT_TRUE(pool.update_lease(first.ids().front(), 90s));
    EXPECT_EQ(pool.get_permits(), 2);
    EXPECT_EQ(pool.inspect().leases.size(), 1U);
    int found = 0;
    user.visit_permit_semaphores("jobs:*", [&](std::vector<permit_info> const& page) {
        for (auto const& one : page) found += one.problem.empty() ? 1 : 0;
    });
    EXPECT_EQ(found, 1);
    EXPECT_FALSE(pool.try_acquire({.permits = 2, .wait = 50ms}));
    first.release();
    (void)pool.acquire({.lease = 1ms, .wait = 5s}).detach();
    EXPECT_TRUE(wait_until([&] { return pool.available_permits() == 2; }));
    pool.add_permits(1);
    EXPECT_TRUE(pool.remove());
}

void use_latch(client& user, client&) {
    auto gate = user.get_count_down_latch("jobs:gate", {.exactly_once = true});
    EXPECT_TRUE(gate.try_set_count(2));
    std::error_code closed;
    gate.wait({.wait = 50ms}, closed);
    EXPECT_EQ(closed, errc::timed_out);
    EXPECT_TRUE(gate.count_down());
    EXPECT_EQ(gate.count(), 1);
    EXPECT_TRUE(gate.count_down());
    gate.wait({.wait = 5s});
    EXPECT_TRUE(gate.try_set_count(2));
    EXPECT_TRUE(gate.remove());
}

struct type {
    std::string name;
    usage use;
};

std::vector<type> const types{
    {"reentrant", locks([](client& from) -> basic_lock { return from.get_lock(lock_name); })},
    {"non_reentrant", locks([](client& from) -> basic_lock { return from.get_non_reentrant_lock(lock_name); })},
    {"spin", locks([](client& from) -> basic_lock { return from.get_spin_lock(lock_name); })},
    {"fair", locks([](client& from) -> basic_lock { return from.get_fair_lock(lock_name); })},
    {"non_reentrant_fair",
     locks([](client& from) -> basic_lock { return from.get_non_reentrant_fair_lock(lock_name); })},
    {"fenced", locks([](client& from) -> basic_lock { return from.get_fenced_lock(lock_name); })},
    {"election", use_election},
    {"read_write", use_read_write_lock},
    {"faster_multi", locks([](client& from) -> basic_lock {
         return from.get_faster_multi_lock(lock_name, {"a", "b"});
     })},
    {"semaphore", use_semaphore},
    {"permit_semaphore", use_permit_semaphore},
    {"latch", use_latch},
};

void PrintTo(type const& one, std::ostream* out) {
    *out << one.name;
}

class acl_rule_of : public testing::TestWithParam<type> {
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
INSTANTIATE_TEST_SUITE_P(each_type, acl_rule_of, testing::ValuesIn(types),
                         [](auto const& about) { return about.param.name; });

TEST(acl_types, are_all_in_this_test) {
    std::set<std::string_view> tested;
    for (auto const& one : types) tested.insert(one.name);
    auto const known = acl_types();
    EXPECT_EQ(tested, std::set<std::string_view>(known.begin(), known.end()));
}

TEST_P(acl_rule_of, is_enough_for_everything_with_names_of_the_prefix_and_for_no_other) {
    auto const settings = with(acl_rule({GetParam().name}, "jobs:"));
    client user(settings);
    client other(settings);
    EXPECT_NO_THROW(GetParam().use(user, other));
    EXPECT_THROW(user.get_lock("payments").acquire({.wait = 1s}), error);
    EXPECT_THROW(user.get_semaphore("payments").try_set_permits(1), error);
}

TEST_P(acl_rule_of, is_enough_for_all_names) {
    auto const settings = with(acl_rule({GetParam().name}, ""));
    client user(settings);
    client other(settings);
    EXPECT_NO_THROW(GetParam().use(user, other));
}

TEST_P(acl_rule_of, has_no_right_that_nothing_uses) {
    auto const rule = acl_rule({GetParam().name}, "");
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
    EXPECT_FALSE(has(tagged, "~{{jobs}*}*"));
    EXPECT_TRUE(has(acl_rule({"reentrant"}, "a*[b]?\\"), "~a\\*\\[b\\]\\?\\\\*")) << "a name, and no pattern";
}

} // namespace
} // namespace redlatch::cli
