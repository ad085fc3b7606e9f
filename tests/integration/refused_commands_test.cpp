// What hosted services take away: commands that are renamed or unknown. Each is survived, or named to whoever needs it; in a
// cluster and behind Sentinels too, where a master is lost.
#include "integration/fixture.hpp"
#include "support/every_use.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <redlatch/fair_lock.hpp>
#include <redlatch/read_write_lock.hpp>
#include <redlatch/semaphore.hpp>

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> const what_may_be_missing{"CLIENT", "CONFIG",  "DBSIZE", "HELLO", "INFO",
                                                   "PUBSUB", "RESTORE", "SCRIPT", "WAIT"};

class a_server_without : public ::testing::TestWithParam<std::string> {
protected:
    redis_server server{{.arguments = {"--rename-command", GetParam(), ""}}};

    config settings() const {
        auto made = quick(server.uri());
        made.commands = command_set::automatic;
        return made;
    }
};

auto const name_of_command = [](auto const& one) { return one.param; };

class a_server_without_what_may_be_missing : public a_server_without {};
INSTANTIATE_TEST_SUITE_P(command, a_server_without_what_may_be_missing, ::testing::ValuesIn(what_may_be_missing),
                         name_of_command);

/// `settings`: but for the watchdog timeout, for all of them wait until they are renewed.
template <class Clear> void expect_all_types_to_work(config settings, Clear clear) {
    settings.lock_watchdog_timeout = 900ms;
    for (auto const& one : uses_of_all_types()) {
        clear();
        client user(settings);
        client other(settings);
        auto const end = outcome_of([&] { one.use(user, other); });
        EXPECT_EQ(end.reason, errc{}) << one.type << ": " << end.message;
    }
}

TEST_P(a_server_without_what_may_be_missing, has_locks_and_synchronizers_of_all_types) {
    expect_all_types_to_work(settings(), [&] { server.run("FLUSHALL"); });
}

void expect_to_be_missing(redis_server const& server) {
    for (auto const& one : what_may_be_missing) EXPECT_THAT(server.run(one).text, HasSubstr("unknown command")) << one;
}

/// What `user` has of a lock is kept when another master takes the place of the lost one, and its waiter gets it then.
template <class Lose> void expect_to_be_kept_and_handed_on(config const& settings, std::string const& name, Lose lose) {
    client user(settings);
    client other(settings);
    hold held = user.get_lock(name).acquire({.owner = owner()});
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 3 * patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return other.stats().waiters == 1 && other.stats().subscriptions == 1; }));
    lose();
    user.get_lock(name + ":another").acquire({.wait = 3 * patience, .owner = owner()}).release();
    EXPECT_NE(waiter.wait_for(0s), std::future_status::ready) << "it is held by somebody else";
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

TEST(servers_without_what_may_be_missing, in_a_cluster_have_all_types_and_keep_locks_when_a_master_is_lost) {
    std::vector<std::string> removed;
    for (auto const& one : what_may_be_missing) removed.insert(removed.end(), {"--rename-command", one, ""});
    redis_cluster cluster{3, 1, redis_cluster::addresses::shared, removed};
    expect_to_be_missing(cluster.node(0));
    auto settings = quick(cluster.uri());
    settings.timeout = 10s; // a lost server is known by its broken connections
    settings.commands = command_set::automatic;
    settings.topology.scan_interval = 1000ms;
    expect_all_types_to_work(settings, [] {});
    auto const name = "{" + cluster.name_on(0) + "}";
    expect_to_be_kept_and_handed_on(settings, name, [&] {
        EXPECT_TRUE(wait_until([&] { return cluster.has_replicated(0); }));
        cluster.lose(0);
    });
}

TEST(servers_without_what_may_be_missing, behind_sentinels_have_all_types_and_keep_locks_when_a_master_is_lost) {
    sentinel_set all{{.hidden_commands = what_may_be_missing}};
    expect_to_be_missing(all.servers()[0]);
    auto settings = quick(all.uri());
    settings.timeout = 10s;
    settings.commands = command_set::automatic;
    settings.topology.scan_interval = 500ms;
    expect_all_types_to_work(settings, [] {});
    expect_to_be_kept_and_handed_on(settings, unique_name(), [&] {
        EXPECT_TRUE(wait_until([&] { return all.servers().has_replicated(0); }));
        all.servers()[0].kill9();
        all.fail_over();
    });
}

class a_server_without_scripts : public a_server_without {};
INSTANTIATE_TEST_SUITE_P(command, a_server_without_scripts, ::testing::Values("EVAL", "EVALSHA"), name_of_command);

TEST_P(a_server_without_scripts, has_free_locks_with_a_lease_of_their_own) {
    client user(settings());
    auto lock = user.get_lock(unique_name());
    EXPECT_EQ(outcome_of([&] { lock.acquire({.lease = 60s}).release(); }).reason, errc{});
    expect_idle(user);
}

TEST_P(a_server_without_scripts, names_the_command_to_whoever_needs_it) {
    client user(settings());
    client other(settings());
    auto const name = unique_name();
    hold held = user.get_lock(name).acquire({.lease = 60s, .owner = owner()});
    auto const told = [&](auto const& call) {
        auto const end = outcome_of(call);
        EXPECT_EQ(end.reason, errc::server_refused) << end;
        EXPECT_THAT(end.message, HasSubstr(GetParam()));
        EXPECT_THAT(end.message, HasSubstr(name));
    };
    told([&] { other.get_lock(name).acquire({.wait = 60s, .owner = owner()}).release(); });
    told([&] { user.get_fair_lock(name + ":fair").acquire({.wait = 60s}).release(); });
    told([&] { user.get_read_write_lock(name + ":rw").read_lock().acquire({.wait = 60s}).release(); });
    told([&] { user.get_semaphore(name + ":permits").acquire({.wait = 60s}); });
    held.release();
}

} // namespace
} // namespace redlatch::test
