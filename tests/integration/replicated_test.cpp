// Servers that replicate a master, without Sentinels: the one that says that it is the master, or always the first one.
#include "integration/fixture.hpp"
#include "support/sentinel_set.hpp"
#include "support/temporary_folder.hpp"

#include <fstream>
#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

acquire_options const after_a_change{.wait = sentinel_set::longest_failover};

class replicated_test : public ::testing::Test {
protected:
    replica_set servers{1};
    std::string const name = unique_name();

    config of(server_mode mode, std::vector<std::size_t> const& order = {0, 1}) const {
        auto settings = quick("");
        settings.retry_attempts = 0;
        settings.topology.mode = mode;
        settings.topology.scan_interval = 200ms;
        for (auto const which : order) settings.topology.nodes.push_back(servers.uri(which));
        return settings;
    }
    bool exists(std::size_t which) const { return servers[which].run("EXISTS", name).integer == 1; }
    /// On which server this client takes the lock.
    void expect_lock_on(client& user, std::size_t which) const {
        hold const mine = user.get_lock(name).acquire(after_a_change);
        EXPECT_TRUE(exists(which));
    }
};

TEST_F(replicated_test, the_master_is_used_wherever_it_stands) {
    client user(of(server_mode::replicated, {1, 0}));
    expect_lock_on(user, 0);
}

TEST_F(replicated_test, a_server_that_is_promoted_is_followed_and_holds_survive) {
    client user(of(server_mode::replicated));
    event_log const events(user);
    hold mine = user.get_lock("kept").acquire();
    ASSERT_TRUE(wait_until([&] { return servers.has_replicated(0); }));
    servers.promote(1);
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }));
    expect_lock_on(user, 1);
    EXPECT_EQ(mine.status(), hold_status::held);
    mine.release();
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
}

TEST_F(replicated_test, a_promotion_is_followed_though_the_old_master_goes_on_as_one) {
    client user(of(server_mode::replicated));
    expect_lock_on(user, 0);
    // It has been asked what it is when the client began, and is seen as a replica with the watch's first question.
    ASSERT_TRUE(wait_until([&] { return command_counts(servers[1])["role"] >= 2; }));
    servers[1].run("REPLICAOF", "NO", "ONE");
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }));
    expect_lock_on(user, 1);
}

TEST_F(replicated_test, renewals_go_to_the_promoted_server_though_the_old_master_goes_on_as_one) {
    auto settings = of(server_mode::replicated);
    settings.lock_watchdog_timeout = 4s;
    client user(settings);
    hold const mine = user.get_lock(name).acquire();
    ASSERT_TRUE(wait_until([&] { return user.stats().renewals > 0; })) << "the connection for renewals is there";
    ASSERT_TRUE(wait_until([&] { return servers.has_replicated(0); }));
    ASSERT_TRUE(wait_until([&] { return command_counts(servers[1])["role"] >= 2; }));
    servers[1].run("REPLICAOF", "NO", "ONE");
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }));
    auto const switched = user.stats().renewals;
    ASSERT_TRUE(wait_until([&] { return user.stats().renewals >= switched + 4; })) << "more than a lease";
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_TRUE(exists(1)) << "it would have expired where it counts";
}

TEST_F(replicated_test, replicas_of_the_promoted_server_are_asked_though_the_old_master_goes_on_as_one) {
    replica_set three{2};
    auto settings = of(server_mode::replicated);
    settings.topology.nodes = {three.uri(0), three.uri(1)};
    settings.replicas = replica_policy::all();
    client user(settings);
    auto first = user.get_lock(name).acquire();
    EXPECT_EQ(first.confirmed_by(), 2);
    first.release();
    ASSERT_TRUE(wait_until([&] { return command_counts(three[1])["role"] >= 2; }));
    three[1].run("REPLICAOF", "NO", "ONE");
    three[2].run("REPLICAOF", "127.0.0.1", std::to_string(three.port(1)));
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0 && three.has_replicated(1); }));
    hold const second = user.get_lock(name).acquire(after_a_change);
    EXPECT_EQ(second.confirmed_by(), 1) << "the old master has none any more";
}

TEST_F(replicated_test, servers_are_asked_what_they_are_with_the_password_of_a_file) {
    for (std::size_t which = 0; which < 2; ++which)
        servers[which].run("ACL", "SETUSER", "ann", "on", ">secret", "~*", "&*", "+@all");
    temporary_folder const folder;
    auto const path = (folder.path() / "password").string();
    std::ofstream(path) << "secret\n";
    auto settings = of(server_mode::replicated);
    settings.username = "ann";
    settings.password_file = path;
    client user(settings);
    expect_lock_on(user, 0);
    servers.promote(1);
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }));
    expect_lock_on(user, 1);
}

TEST_F(replicated_test, another_master_is_found_after_a_crash) {
    client user(of(server_mode::replicated));
    expect_lock_on(user, 0);
    servers[0].kill9();
    servers.promote(1);
    expect_lock_on(user, 1);
}

TEST_F(replicated_test, a_release_that_the_new_master_has_not_heard_of_is_sent_again) {
    auto settings = of(server_mode::replicated);
    settings.topology.scan_interval = 60s; // it looks for another master when this one is gone
    settings.lock_watchdog_timeout = 600s; // and a forgotten hold would stay
    client user(settings);
    hold mine = user.get_lock(name).acquire();
    hold fair = user.get_fair_lock(name + ":fair").acquire();
    ASSERT_TRUE(wait_until([&] { return servers.has_replicated(0); }));
    servers[1].run("REPLICAOF", "NO", "ONE");
    mine.release();
    fair.release();
    EXPECT_FALSE(exists(0));
    EXPECT_TRUE(exists(1)) << "it was replicated, and its release was not";
    servers[0].kill9();
    EXPECT_TRUE(wait_until([&] { return servers[1].run("EXISTS", name, name + ":fair").integer == 0; }));
    expect_lock_on(user, 1);
    EXPECT_EQ(user.stats().lost, 0U);
}

TEST_F(replicated_test, an_error_names_all_servers_where_none_is_a_master) {
    servers[0].kill9();
    auto const failed = outcome_of([&] { client user(of(server_mode::replicated)); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("no server of " + servers.uri(0) + ", " + servers.uri(1) + " is a master"),
                      HasSubstr(servers.uri(0) + " cannot be reached"), HasSubstr(servers.uri(1) + " is a replica")));
}

TEST_F(replicated_test, of_a_master_with_replicas_the_first_one_is_used_and_no_other) {
    client user(of(server_mode::master_slave));
    expect_lock_on(user, 0);
    auto const failed = outcome_of([&] { client wrong(of(server_mode::master_slave, {1, 0})); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message, AllOf(HasSubstr(servers.uri(1) + " is a replica, which takes no locks"),
                                      Not(HasSubstr("check the address, and that the server runs"))));
}

} // namespace
} // namespace redlatch::test
