// User and password that change where there are several servers: each is told the new ones before the old ones expire, and
// those that are connected to later get what is valid then.
#include "integration/cluster_fixture.hpp"
#include "integration/vault.hpp"
#include "support/sentinel_set.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <string>

namespace redlatch::test {
namespace {

void allow(redis_server const& server, std::string const& password) {
    ASSERT_EQ(server.run("ACL", "SETUSER", "locks", "on", ">" + password, "~*", "&*", "+@all").text, "OK");
}
/// Connections that are there stay.
void forbid(redis_server const& server, std::string const& password) {
    ASSERT_EQ(server.run("ACL", "SETUSER", "locks", "<" + password).text, "OK");
}
std::uint64_t logins(redis_server const& server) {
    return command_counts(server)["auth"];
}

TEST(credentials_of_nodes, are_said_anew_to_each_node_and_to_one_that_gets_a_slot) {
    redis_cluster cluster;
    for (std::size_t i = 0; i < cluster.size(); ++i) allow(cluster.node(i), "first");
    vault const source;
    source.set_validity(2s);
    auto settings = of_cluster(cluster);
    settings.credentials = source.source();
    client user(settings);
    event_log const log(user);
    auto const name = cluster.name_on(0);
    auto held = user.get_lock(name).acquire({.owner = owner()});
    auto other = user.get_lock(cluster.name_on(1)).acquire({.owner = owner()});
    for (std::size_t i = 0; i < cluster.size(); ++i) allow(cluster.node(i), "second");
    source.set_password("second");
    for (auto const which : {0U, 1U}) { // the first of two logins may have been on its way with the old one
        auto const before = logins(cluster.node(which));
        EXPECT_TRUE(wait_until([&] { return logins(cluster.node(which)) >= before + 2; }));
    }
    for (std::size_t i = 0; i < cluster.size(); ++i) forbid(cluster.node(i), "first");

    auto const slot = redis_cluster::slot_of(name);
    cluster.begin_move(slot, 0, 2);
    cluster.move_keys(slot, 0, 2);
    cluster.end_move(slot, 0, 2);
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    EXPECT_EQ(keys_on(cluster.node(2)), 0U) << "a node that it was connected to last";
    other.release();
    user.get_lock(name).acquire({.wait = 20s}).release();
    EXPECT_EQ(log.count(event::kind::hold_lost), 0U);
}

TEST(credentials_of_nodes, are_those_of_now_where_sentinels_name_another_master) {
    sentinel_set set;
    for (std::size_t i = 0; i < set.servers().size(); ++i) allow(set.servers()[i], "first");
    vault const source;
    config settings = quick(set.uri());
    settings.timeout = 10s;
    settings.credentials = source.source();
    client user(settings);
    auto lock = user.get_lock(unique_name());
    lock.acquire({.wait = 20s}).release();
    source.set_password("second");
    for (std::size_t i = 0; i < set.servers().size(); ++i) {
        allow(set.servers()[i], "second");
        forbid(set.servers()[i], "first");
    }
    set.fail_over();
    lock.acquire({.wait = 60s}).release();
    EXPECT_GE(source.asked(), 2);
}

TEST(credentials_of_nodes, of_sentinels_are_those_of_now_when_one_is_connected_to_again) {
    sentinel_set set({.lines = {"user locks on >first ~* &* +@all"}});
    vault const source;
    config settings = quick(set.uri());
    settings.sentinel_credentials = source.source();
    client user(settings);
    auto lock = user.get_lock(unique_name());
    lock.acquire({.wait = 20s}).release();
    auto const has_logged_in = [&] {
        for (std::size_t i = 0; i < 3; ++i)
            if (set.ask(i, {"CLIENT", "LIST"}).text.find(" user=locks ") != std::string::npos) return true;
        return false;
    };
    EXPECT_TRUE(wait_until(has_logged_in));
    source.set_password("second");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(set.ask(i, {"ACL", "SETUSER", "locks", "resetpass", ">second"}).text, "OK");
        set.ask(i, {"CLIENT", "KILL", "USER", "locks"});
    }
    EXPECT_TRUE(wait_until(has_logged_in));
    set.fail_over();
    lock.acquire({.wait = sentinel_set::longest_failover}).release();
}

/// A master and its replica that are named in the settings, without anybody who watches them.
class credentials_of_named_servers : public ::testing::TestWithParam<server_mode> {
protected:
    replica_set servers{1};
    vault const source;

    credentials_of_named_servers() {
        for (std::size_t i = 0; i < servers.size(); ++i) allow(servers[i], "first");
    }
    config settings() const {
        auto made = quick("");
        made.timeout = 10s;
        made.topology.mode = GetParam();
        made.topology.scan_interval = 200ms;
        made.topology.nodes = {servers.uri(0), servers.uri(1)};
        made.credentials = source.source();
        return made;
    }
    /// Two more logins: the first of them may have been on its way with the former password.
    bool hears_of_them_again(std::size_t which) const {
        auto const before = logins(servers[which]);
        return wait_until([&] { return logins(servers[which]) >= before + 2; });
    }
};

INSTANTIATE_TEST_SUITE_P(modes, credentials_of_named_servers,
                         ::testing::Values(server_mode::master_slave, server_mode::replicated),
                         [](::testing::TestParamInfo<server_mode> const& one) {
                             return one.param == server_mode::replicated ? "replicated" : "master_slave";
                         });

TEST_P(credentials_of_named_servers, are_those_of_now_when_a_connection_for_roles_is_made_again) {
    if (GetParam() != server_mode::replicated) GTEST_SKIP() << "nobody is asked for a role";
    client user(settings());
    auto const is_asked = [&] { // the replica is connected to for nothing else
        auto const before = command_counts(servers[1])["role"];
        return wait_until([&] { return command_counts(servers[1])["role"] >= before + 2; });
    };
    EXPECT_TRUE(is_asked());
    source.set_password("second");
    allow(servers[1], "second");
    forbid(servers[1], "first");
    servers[1].run("CLIENT", "KILL", "USER", "locks");
    EXPECT_TRUE(is_asked());
}

TEST_P(credentials_of_named_servers, are_said_anew_and_are_those_of_now_after_a_change_of_the_master) {
    bool const is_replicated = GetParam() == server_mode::replicated;
    source.set_validity(2s);
    client user(settings());
    event_log const log(user);
    auto const name = unique_name();
    auto held = user.get_lock(name).acquire({.wait = patience, .owner = owner()});
    for (std::size_t i = 0; i < servers.size(); ++i) allow(servers[i], "second");
    source.set_password("second");
    EXPECT_TRUE(hears_of_them_again(0));
    // Which is asked whether it is the master now.
    if (is_replicated) {
        EXPECT_TRUE(hears_of_them_again(1));
    }
    for (std::size_t i = 0; i < servers.size(); ++i) forbid(servers[i], "first");

    std::size_t const master = is_replicated ? 1 : 0;
    if (is_replicated) {
        ASSERT_TRUE(wait_until([&] { return servers.has_replicated(0); }));
        servers.promote(master);
    } else {
        servers[0].run("CLIENT", "KILL", "USER", "locks");
    }
    ASSERT_TRUE(log.wait_for(event::kind::reconnected));
    auto const again = user.get_lock(name + ":other").acquire({.wait = 60s, .owner = owner()});
    EXPECT_EQ(fields_of(servers[master], again.lock_name()), 1U);
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    EXPECT_EQ(log.count(event::kind::hold_lost), 0U);
}

TEST_P(credentials_of_named_servers, that_cannot_be_had_are_told_with_what_the_source_says) {
    source.fail(1000);
    auto made = settings();
    made.retry_attempts = 1;
    auto const failed = outcome_of([&] { client user(made); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message, ::testing::StartsWith("no credentials for "));
    EXPECT_THAT(failed.message, ::testing::HasSubstr("config::credentials has failed: the vault is sealed"));
    EXPECT_THAT(failed.message, ::testing::HasSubstr(servers.uri(0)));
    source.fail(0);
    client user(made);
    EXPECT_TRUE(user.get_lock(unique_name()).try_acquire({.wait = patience}));
}

TEST_P(credentials_of_named_servers, that_the_master_refuses_are_a_clear_error) {
    source.set_password("wrong");
    auto const refused = outcome_of([&] { client user(settings()); });
    EXPECT_EQ(refused.reason, errc::server_refused);
    EXPECT_THAT(refused.message, ::testing::HasSubstr("refused user name or password"));
    EXPECT_THAT(refused.message, ::testing::HasSubstr(servers.uri(0)));
}

} // namespace
} // namespace redlatch::test
