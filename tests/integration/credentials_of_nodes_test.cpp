// User and password that change where there are several servers: each is told the new ones before the old ones expire, and
// those that are connected to later get what is valid then.
#include "integration/cluster_fixture.hpp"
#include "integration/vault.hpp"
#include "support/sentinel_set.hpp"

#include <cstdint>
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

} // namespace
} // namespace redlatch::test
