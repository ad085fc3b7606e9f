// Clients that start before their servers (config::connect), and calls that fail at once while the server is away
// (config::fail_fast).
#include "integration/fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/reserved_port.hpp"
#include "support/sentinel_set.hpp"

#include <redlatch/semaphore.hpp>

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;
using data = redis_server::data;

config lazily(config settings) {
    settings.connect = connect_mode::lazily;
    return settings;
}

class lazy_connecting_test : public ::testing::Test {
protected:
    redis_server server;
    std::string const name = unique_name();

    config settings() const { return lazily(quick(server.uri())); }
    void TearDown() override {
        if (server.running()) expect_clean(server);
    }
};

TEST_F(lazy_connecting_test, the_client_is_there_before_its_server) {
    server.stop();
    client user(settings());
    auto lock = user.get_lock(name);
    auto const refused = outcome_of([&] { lock.acquire({.wait = 0s}).release(); });
    EXPECT_EQ(refused.reason, errc::disconnected);
    EXPECT_THAT(refused.message, HasSubstr("cannot be reached"));
    server.restart(data::lost);
    hold held = lock.acquire({.wait = 10s});
    EXPECT_EQ(server.run("EXISTS", name).integer, 1);
    held.release();
    expect_idle(user);
}

TEST_F(lazy_connecting_test, calls_wait_for_the_server_until_their_deadlines) {
    server.stop();
    client user(settings());
    auto waiter = in_thread([&] { return user.get_lock(name).acquire({.wait = 30s}); });
    EXPECT_EQ(outcome_of([&] { user.get_lock("other").acquire({.wait = 50ms}).release(); }).reason, errc::disconnected);
    EXPECT_FALSE(is_ready(waiter));
    server.restart(data::lost);
    waiter.get().release();
}

TEST_F(lazy_connecting_test, nothing_is_sent_before_the_first_call) {
    client user(settings());
    auto const connections = [&] { return server.run("CLIENT", "LIST").text; };
    EXPECT_EQ(connections().find(user.id()), std::string::npos);
    EXPECT_TRUE(user.get_lock(name).try_acquire());
    EXPECT_NE(connections().find(user.id()), std::string::npos);
}

TEST_F(lazy_connecting_test, asynchronous_calls_connect_too) {
    client user(settings());
    std::promise<std::error_code> ended;
    user.get_lock(name).async_acquire({.wait = 10s, .owner = owner()}, {}, [&](std::error_code code, hold got) {
        if (got) got.release_detached();
        ended.set_value(code);
    });
    EXPECT_EQ(ended.get_future().get(), std::error_code());
    expect_idle(user);
}

TEST_F(lazy_connecting_test, what_the_server_refuses_is_told_by_each_call) {
    redis_server guarded{{.arguments = {"--requirepass", "secret"}}};
    auto wrong = lazily(quick(guarded.uri()));
    wrong.password = "guess";
    client user(wrong);
    auto const refused = outcome_of([&] { user.get_lock(name).acquire({.wait = 0s}).release(); });
    EXPECT_EQ(refused.reason, errc::disconnected);
    EXPECT_THAT(refused.message, HasSubstr("WRONGPASS"));
}

TEST_F(lazy_connecting_test, a_configuration_that_cannot_work_is_refused_at_once) {
    auto wrong = settings();
    wrong.timeout = 0ms;
    EXPECT_EQ(outcome_of([&] { client user(wrong); }).reason, errc::bad_config);
}

TEST_F(lazy_connecting_test, holds_are_renewed_and_waiters_woken_as_ever) {
    auto quickly = settings();
    quickly.lock_watchdog_timeout = 900ms;
    client user(quickly);
    client other(quickly);
    hold held = user.get_lock(name).acquire();
    auto waiter = in_thread([&] { other.get_lock(name).acquire({.wait = 30s}).release(); });
    ASSERT_TRUE(wait_until([&] { return server.run("PUBSUB", "NUMSUB", channel_of(name)).items.at(1).integer > 0; }));
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= 2; }));
    EXPECT_TRUE(held);
    held.release();
    waiter.get();
}

TEST_F(lazy_connecting_test, in_a_cluster_any_node_that_was_named_will_do) {
    redis_cluster cluster;
    reserved_port const nobody;
    auto settings = lazily(quick("redis-cluster://127.0.0.1:" + std::to_string(nobody.number())
                                 + ",127.0.0.1:" + std::to_string(cluster.node(2).address().port)));
    settings.timeout = 10s;
    client user(settings);
    client other(settings);
    auto const* const channels = test_server_is_before_7() ? "CHANNELS" : "SHARDCHANNELS";
    for (std::size_t master = 0; master < 3; ++master) {
        auto const there = cluster.name_on(master);
        hold held = user.get_lock(there).acquire({.wait = 20s});
        EXPECT_EQ(cluster.node(master).run("HLEN", there).integer, 1);
        auto waiter = in_thread([&] { other.get_lock(there).acquire({.wait = 60s}).release(); });
        ASSERT_TRUE(wait_until([&] {
            return !cluster.node(master).run("PUBSUB", channels, channel_of(there)).items.empty();
        })) << "messages of the shard, which nobody had said to be there when the client began";
        held.release();
        waiter.get();
    }
}

TEST_F(lazy_connecting_test, in_a_cluster_calls_wait_for_one_of_the_nodes) {
    redis_cluster cluster;
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).pause();
    auto settings = lazily(quick(cluster.uri()));
    client user(settings);
    auto waiter = in_thread([&] { user.get_lock(cluster.name_on(1)).acquire({.wait = 60s}).release(); });
    EXPECT_EQ(outcome_of([&] { user.get_lock(cluster.name_on(2)).acquire({.wait = 50ms}).release(); }).reason,
              errc::disconnected);
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).resume();
    waiter.get();
}

TEST_F(lazy_connecting_test, behind_sentinels_calls_wait_for_one_of_them) {
    sentinel_set const all;
    for (std::size_t i = 0; i < 3; ++i) all.pause_sentinel(i);
    client user(lazily(quick(all.uri())));
    auto waiter = in_thread([&] { user.get_lock(name).acquire({.wait = 60s}).release(); });
    EXPECT_EQ(outcome_of([&] { user.get_lock("other").acquire({.wait = 50ms}).release(); }).reason, errc::disconnected);
    EXPECT_FALSE(is_ready(waiter));
    for (std::size_t i = 0; i < 3; ++i) all.resume_sentinel(i);
    waiter.get();
}

/// A master and its replica that are named in the settings, without anybody who watches them.
class with_named_servers : public ::testing::TestWithParam<server_mode> {
protected:
    replica_set servers{1};
    std::string const name = unique_name();

    config settings() const {
        auto made = quick("");
        made.topology.mode = GetParam();
        made.topology.scan_interval = 200ms;
        made.topology.nodes = {servers.uri(0), servers.uri(1)};
        return made;
    }
};

std::string name_of_mode(::testing::TestParamInfo<server_mode> const& one) {
    return one.param == server_mode::replicated ? "replicated" : "master_slave";
}

class lazy_with_named_servers : public with_named_servers {};
INSTANTIATE_TEST_SUITE_P(modes, lazy_with_named_servers,
                         ::testing::Values(server_mode::master_slave, server_mode::replicated), name_of_mode);

TEST_P(lazy_with_named_servers, the_client_is_there_before_its_servers) {
    for (std::size_t i = 0; i < 2; ++i) servers[i].stop();
    client user(lazily(settings()));
    auto waiter = in_thread([&] { return user.get_lock(name).acquire({.wait = 60s, .owner = owner()}); });
    auto const refused = outcome_of([&] { user.get_lock("other").acquire({.wait = 50ms}).release(); });
    EXPECT_EQ(refused.reason, errc::disconnected);
    EXPECT_THAT(refused.message, HasSubstr(servers.uri(0)));
    EXPECT_FALSE(is_ready(waiter));
    for (std::size_t i = 0; i < 2; ++i) servers[i].restart(data::lost);
    hold held = waiter.get();
    EXPECT_EQ(servers[0].run("EXISTS", name).integer, 1);
    held.release();
    expect_idle(user);
}

TEST_P(lazy_with_named_servers, nothing_is_sent_before_the_first_call_without_threads) {
    auto made = lazily(settings());
    made.lazy_threads = true; // the thread would ask at once who the master is, where that may change
    client user(made);
    auto const is_connected = [&](std::size_t which) {
        return servers[which].run("CLIENT", "LIST").text.find(user.id()) != std::string::npos;
    };
    for (std::size_t i = 0; i < 2; ++i) EXPECT_FALSE(is_connected(i)) << i;
    EXPECT_TRUE(user.get_lock(name).try_acquire({.wait = patience}));
    EXPECT_TRUE(is_connected(0));
}

TEST_P(lazy_with_named_servers, a_master_that_does_not_answer_yet_is_waited_for) {
    servers[0].pause();
    client user(lazily(settings()));
    auto waiter = in_thread([&] { user.get_lock(name).acquire({.wait = 60s}).release(); });
    EXPECT_EQ(outcome_of([&] { user.get_lock("other").acquire({.wait = 50ms}).release(); }).reason, errc::disconnected);
    EXPECT_FALSE(is_ready(waiter));
    servers[0].resume();
    waiter.get();
}

// --- fail fast

class fail_fast_test : public lazy_connecting_test {
protected:
    config settings() const {
        auto made = quick(server.uri());
        made.fail_fast = true;
        return made;
    }
};

TEST_F(fail_fast_test, calls_end_at_once_while_the_server_is_away) {
    client user(settings());
    auto lock = user.get_lock(name);
    auto permits = user.get_semaphore(name + ":permits");
    ASSERT_TRUE(permits.try_set_permits(1));
    server.kill9();
    auto const begin = test_clock::now();
    auto const refused = outcome_of([&] { lock.acquire({.wait = 600s}).release(); });
    EXPECT_EQ(refused.reason, errc::disconnected);
    EXPECT_THAT(refused.message, HasSubstr("cannot be reached"));
    EXPECT_EQ(outcome_of([&] { lock.acquire().release(); }).reason, errc::disconnected) << "without a deadline";
    EXPECT_EQ(outcome_of([&] { permits.acquire({.wait = 600s}); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { permits.release(); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { static_cast<void>(lock.is_locked()); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { static_cast<void>(user.list_locks()); }).reason, errc::disconnected);
    EXPECT_LT(since(begin), 60s) << "none has waited for its deadline";
    server.restart(data::lost);
    EXPECT_TRUE(wait_until([&] { return outcome_of([&] { lock.acquire({.wait = 1s}).release(); }).reason == errc{}; }));
    expect_idle(user);
}

TEST_F(fail_fast_test, what_was_taken_by_a_call_that_has_failed_is_given_back) {
    byte_proxy proxy{server.address()};
    auto through = settings();
    through.address = proxy.uri();
    client user(through);
    auto lock = user.get_lock(name);
    lock.acquire().release();
    proxy.refuse_connections(true);
    auto const lost = proxy.cut_after(an_acquisition());
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).reason, errc::disconnected);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(server.run("EXISTS", name).integer, 1) << "its answer was lost";
    proxy.refuse_connections(false);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; })) << "long before the lease ends";
    expect_idle(user);
}

TEST_F(fail_fast_test, whoever_waits_already_ends_too) {
    hold_as_stranger(server, name, 600s);
    client user(settings());
    auto waiter =
        in_thread([&] { return outcome_of([&] { user.get_lock(name).acquire({.wait = 600s}).release(); }).reason; });
    ASSERT_TRUE(wait_until([&] { return server.run("PUBSUB", "NUMSUB", channel_of(name)).items.at(1).integer > 0; }));
    server.kill9();
    EXPECT_EQ(waiter.get(), errc::disconnected);
}

TEST_F(fail_fast_test, whoever_waits_for_permits_already_ends_too) {
    client user(settings());
    semaphore full = user.get_semaphore(name);
    EXPECT_FALSE(full.try_acquire()); // the server knows the script
    auto const asked = scripts_executed(server);
    auto waiter = in_thread([&] { return outcome_of([&] { full.acquire({.wait = 600s}); }); });
    ASSERT_TRUE(waits_for_permits(server, asked));
    auto const begin = test_clock::now();
    server.kill9();
    auto const ended = waiter.get();
    EXPECT_EQ(ended.reason, errc::disconnected) << ended;
    EXPECT_LT(since(begin), 5s);
}

TEST_F(fail_fast_test, a_hold_outlives_a_short_absence) {
    redis_server keeps{{.persistent = true}};
    auto made = quick(keeps.uri());
    made.fail_fast = true;
    made.timeout = 30s; // what the server keeps it writes to the disk before it answers, which others use too
    client user(made);
    event_log events(user);
    hold held = user.get_lock(name).acquire();
    keeps.kill9();
    ASSERT_TRUE(events.wait_for(event::kind::disconnected));
    keeps.restart(data::kept);
    EXPECT_TRUE(events.wait_for(event::kind::reconnected));
    EXPECT_TRUE(held);
    held.release();
    EXPECT_EQ(keeps.run("EXISTS", name).integer, 0);
}

/// Ends where the server is away: long before the wait would.
void expect_to_end_at_once(reentrant_lock lock) {
    auto const begin = test_clock::now();
    EXPECT_TRUE(wait_until([&] {
        return outcome_of([&] { lock.acquire({.wait = 600s, .owner = owner()}).release(); }).reason
               == errc::disconnected;
    }));
    EXPECT_LT(since(begin), 60s);
}

TEST_F(fail_fast_test, in_a_cluster_only_calls_to_the_node_that_is_away_end) {
    redis_cluster cluster;
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).run("CONFIG", "SET", "cluster-require-full-coverage", "no");
    auto made = settings();
    made.address = cluster.uri();
    client user(made);
    auto lock = user.get_lock(cluster.name_on(1));
    lock.acquire({.wait = patience}).release();
    cluster.node(1).kill9();
    expect_to_end_at_once(lock);
    for (std::size_t const there : {0U, 2U})
        user.get_lock(cluster.name_on(there)).acquire({.wait = patience}).release();
}

TEST_F(fail_fast_test, behind_sentinels_calls_end_until_there_is_another_master) {
    sentinel_set all;
    auto made = settings();
    made.address = all.uri();
    client user(made);
    auto lock = user.get_lock(name);
    lock.acquire({.wait = patience}).release();
    all.servers()[0].kill9();
    expect_to_end_at_once(lock);
    all.fail_over();
    EXPECT_TRUE(wait_until([&] { return outcome_of([&] { lock.acquire({.wait = 1s}).release(); }).reason == errc{}; },
                           sentinel_set::longest_failover));
}

class fail_fast_with_named_servers : public with_named_servers {};
INSTANTIATE_TEST_SUITE_P(modes, fail_fast_with_named_servers,
                         ::testing::Values(server_mode::master_slave, server_mode::replicated), name_of_mode);

TEST_P(fail_fast_with_named_servers, calls_end_at_once_until_there_is_a_master) {
    auto made = settings();
    made.fail_fast = true;
    client user(made);
    auto lock = user.get_lock(name);
    lock.acquire({.wait = patience}).release();
    servers[0].kill9();
    expect_to_end_at_once(lock);
    std::size_t const master = GetParam() == server_mode::replicated ? 1 : 0;
    if (master == 0)
        servers[0].restart(data::lost);
    else
        servers.promote(master);
    hold held;
    EXPECT_TRUE(wait_until(
        [&] { return outcome_of([&] { held = lock.acquire({.wait = 1s, .owner = owner()}); }).reason == errc{}; }));
    EXPECT_EQ(servers[master].run("EXISTS", name).integer, 1);
    held.release();
    expect_idle(user);
}

} // namespace
} // namespace redlatch::test
