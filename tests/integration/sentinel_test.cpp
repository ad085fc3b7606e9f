// A master that Sentinels watch: how it is found, and what becomes of holds, waits and releases when it is another one.
#include "integration/child_of_fork.hpp"
#include "integration/fixture.hpp"
#include "integration/open_sockets.hpp"
#include "support/sentinel_set.hpp"

#include <cstdint>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <optional>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// With time for a failover.
acquire_options const patiently{.wait = sentinel_set::longest_failover};

config with_sentinels(std::string uri) {
    auto settings = quick(std::move(uri));
    settings.topology.scan_interval = 500ms;
    settings.retry_attempts = 0;
    settings.lock_watchdog_timeout = 2 * sentinel_set::longest_failover; // nobody renews before there is a master
    return settings;
}

class sentinel_test : public ::testing::Test {
protected:
    std::string const name = unique_name();

    static bool exists(redis_server& server, std::string const& key) { return server.run("EXISTS", key).integer == 1; }
    /// A waiter is subscribed there.
    static bool is_waited_for(redis_server& server, std::string const& lock) {
        auto const reply = server.run("PUBSUB", "NUMSUB", channel_of(lock));
        return reply.items.size() == 2 && reply.items[1].integer > 0;
    }
};

// --- finding the master

class sentinel_discovery_test : public sentinel_test {
protected:
    sentinel_set all{{.replicas = 1}};
    redis_server& master = all.servers()[0];

    void lock_there(config const& settings) {
        client user(settings);
        hold const mine = user.get_lock(name).acquire(patiently);
        EXPECT_TRUE(exists(master, name));
    }
};

TEST_F(sentinel_discovery_test, the_master_is_found_by_its_name) {
    lock_there(with_sentinels(all.uri()));
}

TEST_F(sentinel_discovery_test, one_sentinel_of_three_is_enough) {
    all.stop_sentinel(0);
    all.pause_sentinel(1); // takes connections, and says nothing
    lock_there(with_sentinels(all.uri()));
}

TEST_F(sentinel_discovery_test, a_name_that_no_sentinel_knows_is_an_error_with_all_that_was_asked) {
    auto const uri = all.uri();
    auto const failed = outcome_of([&] { client user(with_sentinels(uri.substr(0, uri.find('#')) + "#invoices")); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, AllOf(HasSubstr("no Sentinel of redis://" + all.sentinel_address(0) + ", redis://"
                                                + all.sentinel_address(1)),
                                      HasSubstr("knows a master 'invoices': check topology.master_name")));
}

TEST_F(sentinel_discovery_test, a_server_that_is_no_sentinel_is_told_from_one) {
    auto const failed =
        outcome_of([&] { client user(with_sentinels("redis-sentinel://" + master.uri().substr(8) + "#orders")); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, HasSubstr("is it a Sentinel"));
}

TEST_F(sentinel_discovery_test, the_address_map_says_where_the_master_is_reached_from_here) {
    byte_proxy proxy(master.address());
    auto settings = with_sentinels(all.uri());
    settings.topology.address_map["127.0.0.1:" + std::to_string(master.address().port)] =
        "127.0.0.1:" + std::to_string(proxy.address().port);
    client user(settings);
    hold const mine = user.get_lock(name).acquire(patiently);
    EXPECT_TRUE(exists(master, name));
    EXPECT_GT(proxy.count(an_acquisition()), 0U);
}

TEST_F(sentinel_discovery_test, a_replica_in_the_masters_place_is_refused_even_if_it_takes_writes) {
    auto& replica = all.servers()[1];
    replica.run("CONFIG", "SET", "replica-read-only", "no");
    auto settings = with_sentinels(all.uri());
    settings.topology.address_map["127.0.0.1:" + std::to_string(master.address().port)] =
        "127.0.0.1:" + std::to_string(replica.address().port);
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr(replica.uri() + " is a replica and not the master"),
                      HasSubstr("its master is at 127.0.0.1:" + std::to_string(master.address().port))));
}

TEST(sentinel_reach_test, sentinels_that_cannot_be_reached_are_named) {
    reserved_port const first;
    reserved_port const second;
    auto const a = "127.0.0.1:" + std::to_string(first.number());
    auto const b = "127.0.0.1:" + std::to_string(second.number());
    auto const failed = outcome_of([&] { client user(with_sentinels("redis-sentinel://" + a + "," + b + "#orders")); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("no Sentinel of redis://" + a + ", redis://" + b + " says where a master 'orders' is"),
                      HasSubstr("the Sentinel redis://" + a + " cannot be reached"),
                      HasSubstr("the Sentinel redis://" + b + " cannot be reached")));
}

TEST(sentinel_reach_test, a_master_at_an_address_that_only_a_sentinel_has_told_is_explained) {
    sentinel_set all({.sentinels = 1, .replicas = 0});
    reserved_port const nobody;
    auto const port = std::to_string(nobody.number());
    ASSERT_EQ(all.ask(0, {"SENTINEL", "MONITOR", "inner", "127.0.0.1", port, "1"}).text, "OK");
    auto const sentinel = all.sentinel_address(0);
    auto const failed = outcome_of([&] { client user(with_sentinels("redis-sentinel://" + sentinel + "/#inner")); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("the server redis://127.0.0.1:" + port + " cannot be reached"),
                      HasSubstr("the Sentinel redis://" + sentinel + " says that the master 'inner' is there"),
                      HasSubstr("set topology.address_map"), Not(HasSubstr("check the address"))));
}

// --- what Sentinels ask for

class sentinel_password_test : public sentinel_test {
protected:
    // Who may only do what all clients do: where a Sentinel tells no epoch and no other Sentinels, it serves all the same.
    sentinel_set all{{.sentinels = 1,
                      .replicas = 0,
                      .password = "hidden",
                      .lines = {"user watch on >known allchannels +ping +subscribe +unsubscribe "
                                "+sentinel|get-master-addr-by-name"}}};
    config settings = with_sentinels(all.uri());

    outcome opened() const {
        return outcome_of([this] { client(settings).get_lock(name).acquire(patiently).release(); });
    }
};

TEST_F(sentinel_password_test, theirs_is_not_that_of_the_servers) {
    settings.topology.sentinel_password = "hidden";
    auto const done = opened();
    EXPECT_EQ(done.reason, errc{}) << done;
}

TEST_F(sentinel_password_test, theirs_is_read_from_its_file_at_each_connect) {
    temporary_folder const folder;
    auto const file = (folder.path() / "password").string();
    settings.topology.sentinel_password_file = file;
    auto const missing = opened();
    EXPECT_EQ(missing.reason, errc::disconnected);
    EXPECT_THAT(missing.message, AllOf(HasSubstr("no credentials for the Sentinels of '"), HasSubstr(file)));
    std::ofstream(file) << "wrong";
    EXPECT_EQ(opened().reason, errc::server_refused);
    std::ofstream(file) << "hidden\n";
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    auto const done = opened();
    EXPECT_EQ(done.reason, errc{}) << done;
}

TEST_F(sentinel_password_test, a_user_with_few_rights_is_enough) {
    settings.topology.sentinel_username = "watch";
    settings.topology.sentinel_password = "known";
    auto const done = opened();
    EXPECT_EQ(done.reason, errc{}) << done;
}

TEST_F(sentinel_password_test, none_or_a_wrong_one_is_an_error_that_names_the_field) {
    auto const none = opened();
    EXPECT_EQ(none.reason, errc::server_refused);
    EXPECT_THAT(none.message, AllOf(HasSubstr("the Sentinel redis://" + all.sentinel_address(0) + " wants a password"),
                                    HasSubstr("set topology.sentinel_password")));
    settings.topology.sentinel_password = "wrong";
    auto const wrong = opened();
    EXPECT_EQ(wrong.reason, errc::server_refused);
    EXPECT_THAT(wrong.message, HasSubstr("check topology.sentinel_username and sentinel_password"));
}

// --- failovers

class sentinel_failover_test : public sentinel_test {
protected:
    explicit sentinel_failover_test(std::chrono::milliseconds down_after = 60s) : all({.down_after = down_after}) {}

    sentinel_set all;
    replica_set const& servers = all.servers();
    client user{with_sentinels(all.uri())};
    event_log events{user};
    reentrant_lock lock = user.get_lock(name);

    /// The replicas have what the master has.
    void replicated() const {
        ASSERT_TRUE(wait_until([&] { return servers.has_replicated(all.named_master().value()); }));
    }
};

TEST_F(sentinel_failover_test, a_hold_that_was_replicated_survives) {
    hold mine = lock.acquire(patiently);
    replicated();
    auto const now = all.fail_over();
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }, sentinel_set::longest_failover));
    hold const another = user.get_lock("another").acquire(patiently);
    EXPECT_TRUE(exists(servers[now], "another")) << "it is taken on the new master";
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(holders(servers[now], name).count(mine.owner_id()), 1U);
    mine.release();
    EXPECT_FALSE(exists(servers[now], name));
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    auto const of_new_master = [&](event const& one) {
        return one.what == event::kind::reconnected
               && one.message == "the new master redis://127.0.0.1:" + std::to_string(servers.port(now)) + " answers";
    };
    auto const all_events = events.all();
    EXPECT_TRUE(std::any_of(all_events.begin(), all_events.end(), of_new_master));
}

TEST_F(sentinel_failover_test, holds_that_it_forgot_are_reported_within_a_second_of_reconnecting) {
    std::mutex mutex;
    std::optional<test_clock::time_point> connected;
    std::vector<std::chrono::milliseconds> lost_after;
    user.on_event([&](event const& what) {
        std::lock_guard const guard(mutex);
        if (what.what == event::kind::reconnected) connected = test_clock::now();
        if (what.what == event::kind::hold_lost && connected) lost_after.push_back(since(*connected));
    });
    hold mine = lock.acquire(patiently); // is to be renewed for the first time after ten seconds
    hold leased = user.get_lock("leased").acquire({.wait = 10s, .lease = 600s});
    auto semaphore = user.get_permit_semaphore("permits");
    semaphore.try_set_permits(2);
    permits one = semaphore.acquire({.renewed = true});
    permits another = semaphore.acquire({.lease = 600s});
    replicated();
    for (std::size_t at = 1; at < servers.size(); ++at) {
        servers[at].run("CONFIG", "SET", "replica-read-only", "no");
        servers[at].run("DEL", name, "leased", "permits", "{permits}:timeout");
    }
    all.fail_over();
    EXPECT_TRUE(wait_until(
        [&] {
            return mine.lost().stop_requested() && leased.lost().stop_requested() && one.lost().stop_requested()
                   && another.lost().stop_requested();
        },
        sentinel_set::longest_failover));
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { leased.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { one.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { another.release(); }).reason, errc::lease_lost);
    ASSERT_TRUE(wait_until([&] {
        std::lock_guard const guard(mutex);
        return lost_after.size() == 4;
    }));
    for (auto const delay : lost_after) EXPECT_LT(delay, 1s);
    user.on_event({});
}

TEST_F(sentinel_failover_test, what_it_forgot_to_release_is_released_again) {
    auto semaphore = user.get_permit_semaphore("permits");
    semaphore.try_set_permits(4);
    hold mine = lock.acquire(patiently);
    permits one = semaphore.acquire();
    permits another = semaphore.acquire();
    permits last = semaphore.acquire({.lease = 600s});
    auto const dump = [&](std::string const& key) { return servers[0].run("DUMP", key).text; };
    auto const before = std::map<std::string, std::string>{
        {name, dump(name)}, {"permits", dump("permits")}, {"{permits}:timeout", dump("{permits}:timeout")}};
    mine.release();
    one.release();
    semaphore.release(another.detach().front());
    last = permits();
    replicated();
    for (std::size_t at = 1; at < servers.size(); ++at) { // as if they had not heard of it
        servers[at].run("CONFIG", "SET", "replica-read-only", "no");
        for (auto const& [key, value] : before) {
            servers[at].run("DEL", key);
            ASSERT_EQ(servers[at].run("RESTORE", key, "600000", value).text, "OK");
        }
    }
    auto& now = servers[all.fail_over()];
    EXPECT_TRUE(wait_until([&] { return !exists(now, name); }, sentinel_set::longest_failover));
    EXPECT_TRUE(wait_until([&] { return now.run("GET", "permits").text == "4"; }, sentinel_set::longest_failover));
    EXPECT_FALSE(exists(now, "{permits}:timeout"));
}

TEST_F(sentinel_failover_test, a_waiter_gets_the_lock_from_the_new_master) {
    hold_as_stranger(servers[0], name, 600s);
    auto waiter = in_thread([&] { lock.acquire(patiently).release(); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(servers[0], name); }));
    replicated();
    auto const now = all.fail_over();
    ASSERT_TRUE(wait_until([&] { return is_waited_for(servers[now], name); }, sentinel_set::longest_failover));
    EXPECT_FALSE(is_ready(waiter));
    release_as_stranger(servers[now], name);
    waiter.get();
}

TEST_F(sentinel_test, a_client_that_is_being_made_does_not_wait_for_a_master_that_is_replaced) {
    sentinel_set all({.down_after = 60s});
    all.servers()[0].pause();
    auto settings = with_sentinels(all.uri());
    settings.connect_timeout = 3 * sentinel_set::longest_failover;
    auto const before = open_sockets();
    auto made = in_thread([&] { client(settings).get_lock(name).acquire(patiently).release(); });
    ASSERT_TRUE(wait_until([&] {
        return open_sockets() > before && stays([&] { return open_sockets() > before; }, 200ms);
    })) << "it connects to the master, which says nothing";
    auto const begin = test_clock::now();
    all.fail_over();
    made.get();
    EXPECT_LT(since(begin), settings.connect_timeout / 2);
}

TEST_F(sentinel_failover_test, sentinels_that_the_configuration_does_not_name_are_found) {
    client knows_one(with_sentinels(all.uri(2)));
    all.stop_sentinel(2);
    auto const now = all.fail_over();
    ASSERT_TRUE(wait_until([&] { return knows_one.stats().reconnects > 0; }, sentinel_set::longest_failover));
    hold const mine = knows_one.get_lock(name).acquire(patiently);
    EXPECT_TRUE(exists(servers[now], name));
}

TEST_F(sentinel_test, the_child_of_a_fork_closes_all_connections_of_a_client) {
    sentinel_set const all({.down_after = 60s});
    auto const before = open_sockets();
    auto one = std::make_unique<client>(with_sentinels(all.uri()));
    one->get_lock(name).acquire(patiently).release();
    ASSERT_TRUE(wait_until([&] { return open_sockets() >= before + 2; }))
        << "to the master, and to a Sentinel for its news";
    auto const left_open = status_of_child([&] {
        one.reset();
        return static_cast<int>(open_sockets() - before);
    });
    EXPECT_EQ(left_open, 0);
}

TEST_F(sentinel_failover_test, the_old_master_is_not_used_when_it_is_back) {
    lock.acquire(patiently).release();
    auto& old = servers[0];
    old.kill9();
    auto const now = all.fail_over();
    old.restart(redis_server::data::lost); // as a master, until a Sentinel makes it a replica
    {
        hold const mine = lock.acquire(patiently);
        EXPECT_TRUE(exists(servers[now], name));
    }
    EXPECT_TRUE(wait_until([&] { return servers.role(0) == "slave"; }, sentinel_set::longest_failover));
    hold const mine = lock.acquire(patiently);
    EXPECT_TRUE(exists(servers[now], name));
}

/// The Sentinels notice by themselves that the master has gone. On a busy machine they may think so earlier than the test.
class sentinel_crash_test : public sentinel_failover_test {
protected:
    sentinel_crash_test() : sentinel_failover_test(1s) {}

    std::size_t master() const {
        std::optional<std::size_t> known;
        wait_until([&] { return (known = all.named_master()).has_value(); });
        return known.value();
    }
};

TEST_F(sentinel_crash_test, a_hold_survives_the_crash_of_the_master) {
    hold mine = lock.acquire(patiently);
    replicated();
    auto const old = master();
    servers[old].kill9();
    auto const now = all.wait_for_another_than(old);
    user.get_lock("another").acquire(patiently).release();
    EXPECT_EQ(mine.status(), hold_status::held);
    mine.release();
    EXPECT_FALSE(exists(servers[now], name));
}

TEST_F(sentinel_crash_test, a_release_that_finds_no_master_is_finished_on_the_new_one) {
    hold mine = lock.acquire(patiently);
    replicated();
    auto const old = master();
    servers[old].kill9();
    std::error_code code;
    mine.release(code);
    EXPECT_TRUE(!code || code == errc::outcome_unknown) << code.message();
    auto const now = all.wait_for_another_than(old);
    EXPECT_TRUE(wait_until([&] { return !exists(servers[now], name); }, sentinel_set::longest_failover));
    expect_idle(user);
}

TEST_F(sentinel_crash_test, a_master_that_hangs_is_left_as_soon_as_there_is_another_one) {
    auto settings = with_sentinels(all.uri());
    settings.timeout = 600s; // it does not give up the connection by itself
    client patient(settings);
    hold mine = patient.get_lock(name).acquire(patiently);
    replicated();
    auto const old = master();
    servers[old].pause();
    auto const now = all.wait_for_another_than(old);
    ASSERT_TRUE(wait_until([&] { return patient.stats().reconnects > 0; }, sentinel_set::longest_failover));
    mine.release();
    EXPECT_FALSE(exists(servers[now], name));
    servers[old].resume();
}

} // namespace
} // namespace redlatch::test
