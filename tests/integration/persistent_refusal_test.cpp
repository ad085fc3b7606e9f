// A server that answers and takes no locks, or none that last: out of memory, a replica, without replicas; or that is away.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

namespace redlatch::test {
namespace {

class persistent_refusal_test : public with_server {
protected:
    /// As users have it: patience of three seconds.
    config settings() const {
        config result = quick(server.uri());
        result.timeout = 3s;
        result.retry_delay = 1s;
        result.commands = command_set::automatic;
        return result;
    }
    void out_of_memory(bool yes) const { server.run("CONFIG", "SET", "maxmemory", yes ? "1" : "0"); }
    void replica(bool yes) const {
        if (yes)
            server.run("REPLICAOF", "127.0.0.1", "1");
        else
            server.run("REPLICAOF", "NO", "ONE");
    }
    /// How often clients wrote, whatever became of it.
    std::int64_t writes() const {
        std::int64_t count = 0;
        for (auto const* command : {"restore", "evalsha", "eval"}) {
            auto const text = server.run("INFO", "commandstats").text;
            auto const at = text.find("cmdstat_" + std::string(command) + ":");
            if (at == std::string::npos) continue;
            auto const line = text.substr(at, text.find('\n', at) - at);
            for (auto const* field : {"calls=", "rejected_calls="})
                count += std::stoll(line.substr(line.find(field) + std::string(field).size()));
        }
        return count;
    }
};

TEST_F(persistent_refusal_test, who_asks_once_is_told_at_once_what_the_server_lacks) {
    client user(settings());
    auto lock = user.get_lock(name);
    out_of_memory(true);
    auto const start = test_clock::now();
    auto const memory = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(memory.reason, errc::server_refused) << memory;
    EXPECT_NE(memory.message.find("raise maxmemory"), std::string::npos) << memory;
    EXPECT_EQ(memory.message.find("rights"), std::string::npos) << memory;
    out_of_memory(false);
    server.run("CONFIG", "SET", "min-replicas-to-write", "1");
    auto const replicas = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(replicas.reason, errc::server_refused) << replicas;
    EXPECT_NE(replicas.message.find("min-replicas-to-write"), std::string::npos) << replicas;
    EXPECT_LT(since(start), 2s);
    server.run("CONFIG", "SET", "min-replicas-to-write", "0");
    EXPECT_TRUE(lock.try_acquire());
}

TEST_F(persistent_refusal_test, a_wait_without_a_deadline_ends_as_in_an_outage) {
    auto limited = settings();
    limited.outage_limit = 1s;
    client user(limited);
    out_of_memory(true);
    auto const start = test_clock::now();
    auto const ended = outcome_of([&] { (void)user.get_lock(name).acquire(); });
    EXPECT_EQ(ended.reason, errc::server_refused) << ended;
    EXPECT_NE(ended.message.find("OOM"), std::string::npos) << ended;
    EXPECT_GE(since(start), 1s);
    EXPECT_LT(since(start), 10s);
    expect_idle(user);
}

/// Of these answers none says that the server executes writes again.
TEST_F(persistent_refusal_test, a_wait_without_a_deadline_ends_whatever_else_is_answered) {
    auto limited = settings();
    limited.outage_limit = 2s;
    client user(limited);
    event_log const told(user);
    auto semaphore = user.get_semaphore(name + "-semaphore");
    auto absent = user.get_semaphore(name + "-absent");
    auto latch = user.get_count_down_latch(name + "-latch");
    auto election = user.get_leader_election(name + "-election");
    semaphore.try_set_permits(0);
    client holder(settings());
    auto const busy = holder.get_lock(name + "-busy").acquire();
    auto mine = user.get_lock(name + "-mine");
    owner const me;
    auto const held = mine.acquire({.owner = me});
    out_of_memory(true);
    auto waiting = in_thread([&] { return outcome_of([&] { (void)user.get_lock(name).acquire(); }); });
    while (!is_ready(waiting)) {
        EXPECT_FALSE(semaphore.try_acquire());
        EXPECT_FALSE(absent.release_if_exists());
        latch.count_down();
        (void)outcome_of([&] { (void)user.get_lock(name + "-busy").try_acquire(); }); // refused, where it needs memory
        mine.acquire({.owner = me}).release(); // a count, behind a lease that is written again
        std::error_code ec;
        (void)election.wait_for_change(std::nullopt, {.wait = 1ms}, ec);
        // sleeps because nobody asks without a pause
        std::this_thread::sleep_for(20ms);
    }
    auto const ended = waiting.get();
    EXPECT_EQ(ended.reason, errc::server_refused) << ended;
    EXPECT_EQ(told.count(event::kind::server_refuses), 1U);
    EXPECT_EQ(told.count(event::kind::server_recovered), 0U);
    out_of_memory(false);
}

TEST_F(persistent_refusal_test, who_gives_back_in_the_background_does_not_hammer_it) {
    client user(settings());
    auto semaphore = user.get_permit_semaphore(name);
    semaphore.try_set_permits(50);
    std::vector<permits> each;
    semaphore.acquire().release(); // the server knows the scripts
    for (int i = 0; i < 50; ++i) each.push_back(semaphore.acquire());
    server.run("CONFIG", "SET", "min-replicas-to-write", "1");
    server.run("CONFIG", "RESETSTAT");
    for (auto& one : each) one.release_detached();
    ASSERT_TRUE(wait_until([&] { return writes() >= 50; }));
    EXPECT_TRUE(stays([&] { return writes() <= 50 + 15; }, 3s)) << "ten a second of each were 1500";
    server.run("CONFIG", "SET", "min-replicas-to-write", "0");
    EXPECT_TRUE(wait_until([&] { return semaphore.available_permits() == 50; }));
    expect_idle(user);
}

TEST_F(persistent_refusal_test, is_told_once_and_asked_about_by_one_for_all) {
    client user(settings());
    event_log const told(user);
    out_of_memory(true);
    server.run("CONFIG", "RESETSTAT");
    std::vector<std::future<hold>> waiters;
    for (int i = 0; i < 20; ++i)
        waiters.push_back(in_thread([&, i] { return user.get_lock(name + std::to_string(i)).acquire({.wait = 60s}); }));
    EXPECT_TRUE(told.wait_for(event::kind::server_refuses));
    EXPECT_TRUE(stays([&] { return told.count(event::kind::server_refuses) == 1; }, 3s));
    EXPECT_LE(writes(), 20 + 15) << "ten a second of each waiter were 600";
    out_of_memory(false);
    for (auto& one : waiters) one.get().release();
    EXPECT_TRUE(told.wait_for(event::kind::server_recovered));
    EXPECT_EQ(told.count(event::kind::server_recovered), 1U);
    EXPECT_EQ(told.count(event::kind::server_refuses), 1U);
    expect_idle(user);
}

TEST_F(persistent_refusal_test, a_replica_is_noticed_at_connect) {
    replica(true);
    auto impatient = settings();
    impatient.retry_attempts = 0;
    auto const refused = outcome_of([&] { client const user(impatient); });
    EXPECT_EQ(refused.reason, errc::disconnected) << refused;
    EXPECT_NE(refused.message.find("is a replica"), std::string::npos) << refused;
    EXPECT_NE(refused.message.find("master, 127.0.0.1:1"), std::string::npos) << refused;
    auto patient = settings();
    patient.retry_delay = 20ms;
    patient.retry_attempts = 100;
    auto late = in_thread([&] { return client(patient).stats().holds; });
    EXPECT_TRUE(stays([&] { return !is_ready(late); }, 200ms));
    replica(false);
    EXPECT_EQ(late.get(), 0U) << "the next address of this name may be the new master's";
}

TEST_F(persistent_refusal_test, waiters_of_a_master_that_became_a_replica_do_not_hammer_it) {
    for (bool const informed : {true, false}) {
        server.run("ACL", "SETUSER", "restricted", "reset", "on", ">secret", "~*", "&*", "+@all",
                   informed ? "+info" : "-info");
        auto restricted = settings();
        restricted.username = "restricted";
        restricted.password = "secret";
        client user(restricted);
        replica(true);
        std::vector<std::future<hold>> waiters;
        for (int i = 0; i < 10; ++i)
            waiters.push_back(
                in_thread([&, i] { return user.get_lock(name + std::to_string(i)).acquire({.wait = 60s}); }));
        EXPECT_TRUE(stays([&] { return user.stats().acquired == 0; }, 3s));
        EXPECT_LE(user.stats().reconnects, 12U) << "ten a second of each waiter were 300";
        replica(false);
        for (auto& one : waiters) one.get().release();
    }
}

TEST_F(persistent_refusal_test, a_policy_that_may_remove_locks_is_warned_about_once) {
    server.run("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
    client user(settings());
    event_log const told(user);
    EXPECT_TRUE(told.wait_for(event::kind::eviction_possible)) << "also when the listener comes after the connection";
    server.run("CLIENT", "KILL", "TYPE", "normal");
    user.get_lock(name).acquire({.wait = 10s}).release();
    EXPECT_EQ(told.count(event::kind::eviction_possible), 1U);
    EXPECT_NE(told.all().front().message.find("volatile-ttl"), std::string::npos) << told.all().front().message;
    auto lazily = settings();
    lazily.connect = connect_mode::lazily;
    client later(lazily);
    event_log const listening(later);
    later.get_lock(name).acquire({.wait = 10s}).release();
    EXPECT_TRUE(listening.wait_for(event::kind::eviction_possible))
        << "also when the connection comes after the listener";

    server.run("CONFIG", "SET", "maxmemory-policy", "noeviction");
    client calm(settings());
    event_log const nothing(calm);
    calm.get_lock(name).acquire({.wait = 10s}).release();
    EXPECT_EQ(nothing.count(event::kind::eviction_possible), 0U);
}

TEST_F(persistent_refusal_test, who_asks_once_is_told_at_once_that_the_server_is_away) {
    client user(settings());
    auto lock = user.get_lock(name);
    lock.acquire().release();
    server.kill9();
    for (int round = 0; round < 3; ++round) {
        auto const start = test_clock::now();
        auto const away = outcome_of([&] { (void)lock.try_acquire(); });
        EXPECT_EQ(away.reason, errc::disconnected) << away;
        EXPECT_LT(since(start), 1s) << away;
    }
    server.restart(redis_server::data::lost);
    EXPECT_TRUE(wait_until([&] { return outcome_of([&] { (void)lock.try_acquire(); }).reason == errc{}; }));
    expect_idle(user);
}

TEST_F(persistent_refusal_test, destructors_wait_together_for_a_server_that_is_away) {
    for (bool const dead : {true, false}) {
        auto shorter = settings();
        shorter.timeout = 1s;
        client user(shorter);
        auto start = test_clock::now();
        {
            hold const first = user.get_lock(name + "1").acquire();
            hold const second = user.get_lock(name + "2").acquire();
            hold const third = user.get_lock(name + "3").acquire();
            dead ? server.kill9() : server.pause();
            start = test_clock::now();
        }
        EXPECT_LT(since(start), 1900ms) << "a second for all of them, not for each";
        dead ? server.restart(redis_server::data::lost) : server.resume();
        EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; })) << "the background goes on";
        EXPECT_FALSE(exists(name + "1") || exists(name + "2") || exists(name + "3"));
    }
}

} // namespace
} // namespace redlatch::test
