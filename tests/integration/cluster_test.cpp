// Locks on a cluster of real servers: where they are, what happens when their slots move, and when a master is lost.
#include "integration/cluster_fixture.hpp"
#include "support/every_use.hpp"

#include <redlatch/fair_lock.hpp>
#include <redlatch/multi_lock.hpp>
#include <redlatch/read_write_lock.hpp>
#include <redlatch/semaphore.hpp>

#include <gmock/gmock.h>
#include <map>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(cluster, has_each_lock_on_the_node_of_its_slot) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    std::vector<hold> held;
    std::map<std::size_t, int> on;
    for (int i = 0; i < 40; ++i) {
        auto const name = unique_name();
        held.push_back(user.get_lock(name).acquire({.owner = owner()}));
        EXPECT_EQ(fields_of(cluster.node(cluster.owner_of(name)), name), 1U) << name;
        ++on[cluster.owner_of(name)];
    }
    EXPECT_EQ(on.size(), 3U) << "the names are to be on all of them";
    EXPECT_EQ(user.list_locks("*").size(), held.size());
    for (std::size_t i = 0; i < cluster.size(); ++i)
        cluster.node(i).run("RPUSH", "redisson_lock_queue:{" + cluster.name_on(i) + "}", "x:1");
    EXPECT_EQ(user.list_locks("*").size(), held.size() + cluster.size()) << "and queues of fair locks that are free";
    for (std::size_t i = 0; i < cluster.size(); ++i)
        cluster.node(i).run("DEL", "redisson_lock_queue:{" + cluster.name_on(i) + "}");
    for (auto& one : held) EXPECT_NO_THROW(one.release());
    for (std::size_t i = 0; i < cluster.size(); ++i) EXPECT_EQ(keys_on(cluster.node(i)), 0U);
}

TEST(cluster, lists_the_numbers_of_all_nodes) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    std::map<std::string, std::int64_t> expected;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        auto const name = cluster.name_on(i);
        expected[name] = static_cast<std::int64_t>(i) + 1;
        EXPECT_TRUE(user.get_semaphore(name).try_set_permits(static_cast<int>(i) + 1));
    }
    std::map<std::string, std::int64_t> seen;
    user.visit_counters("*", [&](std::vector<counter_info> const& some) {
        for (auto const& one : some) EXPECT_TRUE(seen.emplace(one.name, one.number).second) << one.name << one.problem;
    });
    EXPECT_EQ(seen, expected);
    permits const taken = user.get_permit_semaphore(cluster.name_on(0)).acquire();
    std::map<std::string, std::int64_t> still_free;
    user.visit_permit_semaphores("*",
                                 [&](std::vector<permit_info> const& some) {
                                     for (auto const& one : some) still_free.emplace(one.name, one.available);
                                 },
                                 {.with_untaken = true});
    expected[cluster.name_on(0)] = 0;
    EXPECT_EQ(still_free, expected);
}

/// A cluster of one node.
std::unique_ptr<redis_server> lone_node(std::vector<std::string> const& more = {}) {
    reserved_port const bus;
    std::vector<std::string> arguments{"--cluster-enabled",
                                       "yes",
                                       "--cluster-config-file",
                                       "nodes.conf",
                                       "--cluster-port",
                                       std::to_string(bus.number()),
                                       "--cluster-require-full-coverage",
                                       "no"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto made = std::make_unique<redis_server>(
        server_options{.over = server_options::transport::tcp, .arguments = std::move(arguments)});
    EXPECT_EQ(made->run("CLUSTER", "ADDSLOTSRANGE", "0", "16383").text, "OK");
    EXPECT_TRUE(
        wait_until([&] { return made->run("CLUSTER", "INFO").text.find("cluster_state:ok") != std::string::npos; }));
    return made;
}

TEST(cluster, has_a_database_where_its_servers_have_some) {
    if (test_server_is_before_7()) GTEST_SKIP() << "the port of the bus can be chosen from Redis 7.0 on";
    auto node = lone_node();
    auto settings = quick({});
    auto const choose = [&] {
        settings.address = "redis-cluster://127.0.0.1:" + std::to_string(node->address().port) + "/3";
    };
    choose();
    EXPECT_THAT(outcome_of([&] { client refused(settings); }).message,
                AllOf(HasSubstr("refused the database"), HasSubstr("a cluster has no databases but 0")));
    auto const about = node->run("INFO", "server").text;
    constexpr std::string_view field = "valkey_version:";
    auto const valkey = about.find(field);
    if (valkey == std::string::npos || std::atoi(about.c_str() + valkey + field.size()) < 9) return; // it is refused
    node = lone_node({"--cluster-databases", "4"});
    choose();
    client user(settings);
    auto held = user.get_lock("a").acquire();
    EXPECT_NE(node->run("INFO", "keyspace").text.find("db3:keys=1"), std::string::npos);
    client other(settings);
    auto waiter = in_thread([&] { return other.get_lock("a").acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return somebody_listens(*node, "a"); }));
    held.release();
    EXPECT_TRUE(waiter.get());
}

TEST(cluster, learns_its_nodes_from_one_of_them) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.address = "redis-cluster://127.0.0.1:" + std::to_string(cluster.node(1).address().port);
    client user(settings);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(user.get_lock(cluster.name_on(i)).try_lock());
    EXPECT_FALSE(client(of_cluster(cluster)).get_lock(cluster.name_on(2)).try_lock());
}

TEST(cluster, wakes_waiters_by_messages_of_the_shard) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster;
    client holder(of_cluster(cluster));
    auto settings = of_cluster(cluster);
    settings.address = "redis-cluster://localhost:" + std::to_string(cluster.node(0).address().port);
    client other(settings); // that knows the nodes by other names than they tell
    for (std::size_t i = 0; i < 3; ++i) {
        auto const name = cluster.name_on(i);
        auto held = holder.get_lock(name).acquire({.owner = owner()});
        auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = patience, .owner = owner()}); });
        EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(i), name); }));
        EXPECT_TRUE(wait_until([&] { return command_counts(cluster.node(i))["pubsub|shardnumsub"] > 0; }))
            << "who waits wants to know how many wait beside it";
        held.release();
        EXPECT_TRUE(waiter.get().status() == hold_status::held) << "in less than the lease of thirty seconds";
    }
}

TEST(cluster, wakes_waiters_by_messages_to_all_nodes_where_that_is_wanted) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.topology.sharded = sharded_messages::off;
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(1);
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(1), name, "CHANNELS"); }));
    held.release();
    EXPECT_TRUE(waiter.get().status() == hold_status::held);
}

TEST(cluster, has_all_kinds) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 900ms; // they wait for renewals
    for (auto const& one : uses_of_all_types()) {
        SCOPED_TRACE(one.type);
        client user(settings);
        client other(settings);
        EXPECT_NO_THROW(one.use(user, other));
    }
}

TEST(cluster, has_queues_readers_and_permits_on_each_node) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    client other(of_cluster(cluster));
    for (std::size_t i = 0; i < 3; ++i) {
        auto const name = cluster.name_on(i);
        {
            auto held = user.get_fair_lock(name + ":fair").acquire({.owner = owner()});
            auto waiter = in_thread(
                [&] { return other.get_fair_lock(name + ":fair").acquire({.wait = patience, .owner = owner()}); });
            EXPECT_TRUE(wait_until([&] { return user.get_fair_lock(name + ":fair").inspect().waiters.size() == 1; }));
            held.release();
            EXPECT_TRUE(waiter.get().status() == hold_status::held);
        }
        {
            auto both = user.get_read_write_lock(name + ":rw");
            auto reading = both.read_lock().acquire({.owner = owner()});
            auto writer = in_thread([&] {
                return other.get_read_write_lock(name + ":rw")
                    .write_lock()
                    .acquire({.wait = patience, .owner = owner()});
            });
            reading.release();
            EXPECT_TRUE(writer.get().status() == hold_status::held);
        }
        {
            auto permits = user.get_semaphore(name + ":sem");
            EXPECT_TRUE(permits.try_set_permits(1));
            permits.acquire();
            auto waiter = in_thread([&] { return other.get_semaphore(name + ":sem").try_acquire({.wait = patience}); });
            EXPECT_FALSE(other.get_semaphore(name + ":sem").try_acquire());
            permits.release();
            EXPECT_TRUE(waiter.get());
        }
    }
}

TEST(cluster, has_no_read_write_lock_whose_keys_would_be_in_different_slots) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    for (std::string const bad : {"a{b", "x}y", "{}z", "}", "a{}b}"}) {
        auto const said = outcome_of([&] { (void)user.get_read_write_lock(bad); });
        EXPECT_EQ(said.reason, errc::bad_name) << bad;
        EXPECT_THAT(said.message, HasSubstr("the keys of lock '" + bad + "' would be in different slots"));
    }
    for (std::string const good : {"a", "{a}b", "a{b}c{"}) {
        auto of = user.get_read_write_lock(good);
        of.write_lock().acquire({.owner = owner()}).release();
        of.read_lock().acquire({.owner = owner()}).release();
    }
    EXPECT_EQ(keys_on(cluster.node(0)) + keys_on(cluster.node(1)) + keys_on(cluster.node(2)), 0U);
}

TEST(cluster, has_several_locks_of_different_nodes_as_one) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    multi_lock all(
        {user.get_lock(cluster.name_on(0)), user.get_lock(cluster.name_on(1)), user.get_lock(cluster.name_on(2))});
    auto held = all.acquire({.wait = patience, .owner = owner()});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(fields_of(cluster.node(i), cluster.name_on(i)), 1U);
    held.release();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(keys_on(cluster.node(i)), 0U);
}

TEST(cluster, releases_what_is_held_on_all_nodes_when_it_closes) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    std::vector<hold> held;
    for (int i = 0; i < 30; ++i) held.push_back(user.get_lock(unique_name()).acquire({.owner = owner()}));
    user.close();
    for (std::size_t i = 0; i < cluster.size(); ++i) EXPECT_EQ(keys_on(cluster.node(i)), 0U);
}

TEST(cluster, renews_what_is_held_on_all_nodes) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 1000ms;
    client user(settings);
    std::vector<hold> held;
    for (int i = 0; i < 60; ++i) held.push_back(user.get_lock(unique_name()).acquire({.owner = owner()}));
    auto const before = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= before + 2 * held.size(); }));
    for (auto& one : held) EXPECT_TRUE(one);
    EXPECT_EQ(user.stats().lost, 0U);
}

TEST(cluster, goes_on_when_a_node_gets_its_first_slots_and_another_one_leaves) {
    redis_cluster cluster;
    cluster.give_all_slots(2, 1); // from now on it is one that has joined
    EXPECT_TRUE(wait_until([&] { return !redis_cluster::is_master(cluster.node(2)); }));
    client user(of_cluster(cluster));
    auto const name = cluster.name_on(0);
    { auto held = user.get_lock(name).acquire({.owner = owner()}); }
    EXPECT_TRUE(wait_until([&] { return keys_on(cluster.node(0)) == 0; }));
    cluster.give_all_slots(0, 2);
    EXPECT_TRUE(wait_until([&] {
        auto held = user.get_lock(name).try_acquire({.wait = patience, .owner = owner()});
        return held && fields_of(cluster.node(2), name) == 1;
    }));
    for (auto const other : {std::size_t{1}, std::size_t{2}})
        cluster.node(other).run("CLUSTER", "FORGET", cluster.id(0));
    cluster.node(0).stop();
    std::vector<hold> held;
    for (auto const& lock : {name, cluster.name_on(1), cluster.name_on(2)})
        held.push_back(user.get_lock(lock).acquire({.wait = patience, .owner = owner()}));
    EXPECT_EQ(user.list_locks("*").size(), 3U);
}

TEST(cluster, goes_on_with_the_replica_of_a_master_that_is_lost) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster(3, 1);
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = 1h; // a connection that breaks is a reason to ask the others
    client user(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto held = user.get_lock(name).acquire({.owner = owner()});
    EXPECT_TRUE(wait_until([&] {
        return fields_of(cluster.replica_of(0), name) == 0 && keys_on(cluster.replica_of(0)) == 1;
    })) << "a replica sends the question on and has the key";
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 2 * patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name); }));
    cluster.node(0).kill9();
    EXPECT_TRUE(wait_until([&] { return redis_cluster::is_master(cluster.replica_of(0)); }));
    auto const elsewhere = user.get_lock(cluster.name_on(1)).acquire({.wait = patience, .owner = owner()});
    held.release();
    EXPECT_EQ(user.stats().lost, 0U);
    EXPECT_TRUE(waiter.get().status() == hold_status::held);
    auto const again = user.get_lock("another of {" + name + "}").acquire({.wait = patience, .owner = owner()});
    EXPECT_EQ(fields_of(cluster.replica_of(0), again.lock_name()), 1U);
}

TEST(cluster, is_found_again_through_replicas_where_all_masters_were_replaced) {
    redis_cluster cluster(3, 1);
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = std::chrono::hours(1);
    client user(settings); // is connected to the first one only
    for (std::size_t const lost : {2U, 1U, 0U}) {
        auto& replica = cluster.replica_of(lost);
        ASSERT_TRUE(wait_until(
            [&] { return replica.run("INFO", "replication").text.find("link_status:up") != std::string::npos; }));
        cluster.node(lost).kill9();
        ASSERT_TRUE(wait_until([&] { return redis_cluster::is_master(replica); }));
    }
    for (std::size_t const of : {0U, 1U, 2U})
        EXPECT_TRUE(user.get_lock(cluster.name_on(of)).acquire({.wait = patience, .owner = owner()}));
}

TEST(cluster, goes_on_with_the_replica_of_a_lost_master_that_it_has_never_used) {
    redis_cluster cluster(3, 1);
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = 1h; // a connection that cannot be made is a reason to ask the others
    client user(settings);
    auto const used = user.get_lock(cluster.name_on(0)).acquire({.owner = owner()});
    auto const name = cluster.name_on(1);
    cluster.node(1).run("SET", "something in {" + name + "}", "1");
    EXPECT_TRUE(wait_until([&] { return keys_on(cluster.replica_of(1)) == 1; }));
    cluster.node(1).kill9();
    EXPECT_TRUE(wait_until([&] { return redis_cluster::is_master(cluster.replica_of(1)); }));
    auto const held = user.get_lock(name).try_acquire({.wait = patience, .owner = owner()});
    EXPECT_TRUE(held.has_value());
    EXPECT_EQ(fields_of(cluster.replica_of(1), name), 1U);
}

TEST(cluster, tells_soon_of_a_hold_that_the_new_master_does_not_know) {
    redis_cluster cluster(3, 1);
    client user(of_cluster(cluster));
    auto const name = cluster.name_on(2);
    auto held = user.get_lock(name).acquire({.owner = owner()});
    auto& replica = cluster.replica_of(2);
    EXPECT_TRUE(wait_until([&] { return keys_on(replica) == 1; }));
    // It loses what the master has acknowledged.
    replica.run("CONFIG", "SET", "replica-read-only", "no");
    EXPECT_EQ(replica.run("FLUSHALL").text, "OK");
    cluster.node(2).kill9();
    EXPECT_TRUE(wait_until([&] { return redis_cluster::is_master(replica); }));
    auto const new_master_since = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    // A second after it is connected; until then others are asked every 100 ms who has the slot.
    EXPECT_LT(since(new_master_since), 3s);
    EXPECT_TRUE(held.lost().stop_requested() || wait_until([&] { return held.lost().stop_requested(); }));
}

TEST(cluster, waits_for_a_slot_without_a_master) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    auto const name = cluster.name_on(1);
    auto const slot = std::to_string(redis_cluster::slot_of(name));
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).run("CONFIG", "SET", "cluster-require-full-coverage", "no");
    cluster.node(1).run("CLUSTER", "DELSLOTS", slot);
    auto waiter = in_thread([&] { return user.get_lock(name).acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    auto const once = outcome_of([&] { (void)user.get_lock(name).try_acquire({.owner = owner()}); });
    EXPECT_EQ(once.reason, errc::server_refused);
    EXPECT_THAT(once.message, HasSubstr("see CLUSTER INFO"));
    cluster.node(1).run("CLUSTER", "ADDSLOTS", slot);
    EXPECT_TRUE(waiter.get().status() == hold_status::held);
}

TEST(cluster, asks_who_has_a_slot_that_is_not_served_when_it_renews) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 3000ms;
    settings.topology.scan_interval = 1h;
    client user(settings);
    auto const name = cluster.name_on(0);
    auto const held = user.get_lock(name).acquire({.owner = owner()});
    auto const asked = [&] {
        auto counts = command_counts(cluster.node(0));
        return counts["cluster|nodes"] + counts["cluster"]; // Redis 6.2 does not tell its subcommands apart
    };
    cluster.node(0).run("CLUSTER", "DELSLOTS", std::to_string(redis_cluster::slot_of(name)));
    auto const before = asked();
    EXPECT_TRUE(wait_until([&] { return asked() > before || held.status() == hold_status::lost; }));
    EXPECT_GT(asked(), before) << "it holds locks, and makes no other calls";
}

TEST(cluster, is_asked_for_its_slots_no_more_often_than_the_interval_says) {
    redis_cluster cluster;
    auto const asked = [&] {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            auto counts = command_counts(cluster.node(i));
            sum += counts["cluster|nodes"] + counts["cluster"];
        }
        return sum;
    };
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = 1h;
    auto const before = asked();
    client user(settings);
    std::vector<hold> held;
    for (std::size_t i = 0; i < 3; ++i) held.push_back(user.get_lock(cluster.name_on(i)).acquire());
    EXPECT_TRUE(stays([&] { return asked() == before + 1; }, 500ms)) << asked() - before;
}

TEST(cluster, lists_nothing_while_a_master_is_away_and_says_which) {
    redis_cluster cluster;
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).run("CONFIG", "SET", "cluster-require-full-coverage", "no");
    auto settings = of_cluster(cluster);
    settings.timeout = 4s;
    client user(settings);
    std::vector<hold> held;
    for (std::size_t i = 0; i < 3; ++i)
        held.push_back(user.get_lock(cluster.name_on(i)).acquire({.wait = patience, .owner = owner()}));
    EXPECT_EQ(user.list_locks().size(), 3U);
    auto const expect_to_name = [&](std::size_t away) {
        auto const begin = test_clock::now();
        auto const failed = outcome_of([&] { static_cast<void>(user.list_locks()); });
        EXPECT_EQ(failed.reason, errc::disconnected) << failed;
        EXPECT_THAT(failed.message, AllOf(HasSubstr("listing locks"), HasSubstr(cluster.node(away).uri())));
        EXPECT_LT(since(begin), 3 * settings.timeout) << "each master is asked for no longer than that";
    };
    cluster.node(0).pause();
    expect_to_name(0);
    cluster.node(0).resume();
    EXPECT_TRUE(wait_until([&] {
        return outcome_of([&] { EXPECT_EQ(user.list_locks().size(), 3U); }).reason == errc{};
    })) << "those of all nodes again";
    cluster.node(1).kill9();
    expect_to_name(1);
}

TEST(cluster, is_told_apart_from_a_single_server) {
    redis_cluster cluster(1);
    auto const one_node = cluster.node(0).uri();
    auto const as_single = outcome_of([&] { client user(quick(one_node)); });
    EXPECT_EQ(as_single.reason, errc::server_refused);
    EXPECT_THAT(as_single.message, HasSubstr("write its address as redis-cluster://host:port"));
    redis_server single({.over = server_options::transport::tcp});
    auto const as_cluster =
        outcome_of([&] { client user(quick("redis-cluster://127.0.0.1:" + std::to_string(single.address().port))); });
    EXPECT_EQ(as_cluster.reason, errc::server_refused);
    EXPECT_THAT(as_cluster.message, HasSubstr("is not a node of a cluster"));
}

TEST(cluster, says_which_of_its_nodes_were_asked_in_vain) {
    reserved_port nobody;
    reserved_port nobody_either;
    auto settings = quick("redis-cluster://127.0.0.1:" + std::to_string(nobody.number())
                          + ",127.0.0.1:" + std::to_string(nobody_either.number()));
    settings.retry_attempts = 1;
    auto const what = outcome_of([&] { client user(settings); });
    EXPECT_EQ(what.reason, errc::disconnected);
    EXPECT_THAT(what.message, HasSubstr(std::to_string(nobody.number())));
    EXPECT_THAT(what.message, HasSubstr(std::to_string(nobody_either.number())));
}

TEST(cluster, says_who_has_told_the_address_of_a_node_that_cannot_be_reached) {
    redis_cluster cluster(2);
    reserved_port const nobody;
    auto const at = "127.0.0.1:" + std::to_string(nobody.number());
    auto settings = quick(cluster.node(0).uri());
    settings.address.replace(0, std::string("redis").size(), "redis-cluster");
    settings.topology.address_map = {{cluster.node(1).uri().substr(std::string("redis://").size()), at}};
    client user(settings);
    auto const failed = outcome_of([&] { static_cast<void>(user.get_lock(cluster.name_on(1)).try_lock()); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message, HasSubstr("the server redis://" + at + " cannot be reached"));
    EXPECT_THAT(failed.message, HasSubstr("the cluster says that a node of it is there; where it has another address"));
}

TEST(cluster, is_reached_at_other_addresses_than_its_nodes_tell) {
    redis_cluster cluster(2);
    auto settings = of_cluster(cluster);
    byte_proxy first(cluster.node(0).address());
    byte_proxy second(cluster.node(1).address());
    settings.address = first.uri();
    settings.address.replace(0, std::string("redis").size(), "redis-cluster");
    auto const at = [](std::string const& uri) { return uri.substr(std::string("redis://").size()); };
    settings.topology.address_map = {{at(cluster.node(0).uri()), at(first.uri())},
                                     {at(cluster.node(1).uri()), at(second.uri())}};
    client user(settings);
    EXPECT_TRUE(user.get_lock(cluster.name_on(1)).try_lock());
    EXPECT_EQ(second.connections() > 0, true);
}

} // namespace
} // namespace redlatch::test
