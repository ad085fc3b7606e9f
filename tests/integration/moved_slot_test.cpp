// Locks and semaphores of a cluster whose slots move while they are held and waited for.
#include "integration/cluster_fixture.hpp"

#include <redlatch/redlatch.hpp>

#include <future>
#include <iterator>

namespace redlatch::test {
namespace {

TEST(moved_slot, follows_a_slot_that_has_moved) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = 1h;
    client user(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    cluster.begin_move(slot, 0, 2);
    cluster.end_move(slot, 0, 2);
    auto held = user.get_lock(name).acquire({.owner = owner()});
    EXPECT_EQ(fields_of(cluster.node(2), name), 1U);
    EXPECT_EQ(user.get_lock(name).inspect().owners.size(), 1U);
    held.release();
    EXPECT_EQ(keys_on(cluster.node(2)), 0U);
}

TEST(moved_slot, has_locks_whose_slots_are_on_their_way) {
    redis_cluster cluster;
    client user(of_cluster(cluster));
    auto const name = cluster.name_on(1);
    auto const slot = redis_cluster::slot_of(name);
    auto lock = user.get_lock(name);
    cluster.begin_move(slot, 1, 0);
    auto held = lock.acquire({.owner = owner()});
    EXPECT_EQ(cluster.node(1).run("DBSIZE").integer, 0) << "what is new is where the slot goes to";
    EXPECT_EQ(keys_on(cluster.node(0)), 1U);
    EXPECT_TRUE(lock.is_locked());
    EXPECT_EQ(lock.inspect().owners.size(), 1U);
    EXPECT_FALSE(lock.try_acquire({.owner = owner()}));
    held.release();
    EXPECT_EQ(keys_on(cluster.node(0)), 0U);
    cluster.end_move(slot, 1, 0);
    EXPECT_TRUE(lock.try_lock());
}

TEST(moved_slot, keeps_a_lock_whose_slot_moves_and_wakes_who_waits_for_it) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 2000ms;
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name); }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(1), name); })) << "it listens on the new node";
    auto const before = holder.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return holder.stats().renewals >= before + 2; }));
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_EQ(fields_of(cluster.node(1), name), 1U);
    held.release();
    EXPECT_TRUE(waiter.get().status() == hold_status::held);
}

/// What a kind has besides its hash - a queue, a token, times of readers - moves with it.
TEST(moved_slot, keeps_locks_of_other_kinds_and_wakes_who_waits_for_them) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    struct kind {
        char const* name;
        basic_lock (*of)(client& from, std::string const& name);
    };
    constexpr kind kinds[] = {
        {"fair", [](client& from, std::string const& name) -> basic_lock { return from.get_fair_lock(name); }},
        {"write",
         [](client& from, std::string const& name) -> basic_lock {
             return from.get_read_write_lock(name).write_lock();
         }},
        {"faster_multi",
         [](client& from, std::string const& name) -> basic_lock {
             return from.get_faster_multi_lock(name, {"here", "there"});
         }},
        {"election",
         [](client& from, std::string const& name) -> basic_lock { return from.get_leader_election(name).lock(); }},
    };
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 6000ms;
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto const name_of = [&](kind const& one) { return std::string(one.name) + " {" + name + "}"; };
    std::vector<hold> held;
    std::vector<std::future<hold>> waiters;
    for (auto const& one : kinds) {
        held.push_back(one.of(holder, name_of(one)).acquire({.owner = owner()}));
        waiters.push_back(in_thread([&other, &one, key = name_of(one)] {
            return one.of(other, key).acquire({.wait = patience, .owner = owner()});
        }));
    }
    auto gate = holder.get_count_down_latch(name); // its channel would have brackets of its own around a tag
    EXPECT_TRUE(gate.try_set_count(1));
    auto through = in_thread([&] { other.get_count_down_latch(gate.name()).wait({.wait = patience}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().subscriptions == std::size(kinds) + 1; }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    std::vector<lease_clock::time_point> ends;
    for (auto const& one : held) ends.push_back(one.valid_until() + 1s);
    for (std::size_t i = 0; i < held.size(); ++i)
        EXPECT_TRUE(wait_until([&] { return held[i].valid_until() > ends[i]; })) << held[i].lock_name();
    EXPECT_EQ(keys_on(cluster.node(0)), 0U);
    auto const released = test_clock::now();
    for (auto& one : held) EXPECT_NO_THROW(one.release());
    EXPECT_TRUE(gate.count_down());
    for (auto& one : waiters) EXPECT_EQ(one.get().status(), hold_status::held);
    through.get();
    EXPECT_LT(since(released), 3s) << "a lease of six seconds had just been renewed";
}

TEST(moved_slot, wakes_who_waits_for_permits_whose_slot_moves) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.topology.scan_interval = 1h;
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto permits = holder.get_semaphore(name);
    EXPECT_TRUE(permits.try_set_permits(1));
    permits.acquire();
    auto const channel = "redisson_sc:{" + name + "}";
    auto const somebody_waits_on = [&](std::size_t node) {
        return !cluster.node(node).run("PUBSUB", "SHARDCHANNELS", channel).items.empty();
    };
    auto waiter = in_thread([&] { return other.get_semaphore(name).try_acquire({.wait = 2 * patience}); });
    EXPECT_TRUE(wait_until([&] { return somebody_waits_on(0); }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_TRUE(wait_until([&] { return somebody_waits_on(1); })) << "it listens on the new node";
    permits.release();
    EXPECT_TRUE(waiter.get());
}

TEST(moved_slot, keeps_locks_of_one_slot_while_some_of_them_have_moved) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 3000ms;
    client user(settings);
    auto const tag = "{" + cluster.name_on(0) + "}";
    auto const slot = redis_cluster::slot_of(tag + "a");
    auto first = user.get_lock(tag + "a").acquire({.owner = owner()});
    auto second = user.get_lock(tag + "b").acquire({.owner = owner()});
    cluster.begin_move(slot, 0, 1);
    cluster.move_key(first.lock_name(), 0, 1);
    // One call for both is answered TRYAGAIN for as long as the slot is on its way.
    auto const longer = second.valid_until() + 5s;
    auto const is_over = [&](hold const& one) {
        return one.status() == hold_status::lost || one.valid_until() > longer;
    };
    EXPECT_TRUE(wait_until([&] { return is_over(first) && is_over(second); }));
    EXPECT_EQ(first.status(), hold_status::held);
    EXPECT_EQ(second.status(), hold_status::held);
    EXPECT_EQ(user.stats().lost, 0U);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    first.release();
    second.release();
    EXPECT_EQ(keys_on(cluster.node(1)), 0U);
}

TEST(moved_slot, keeps_a_read_hold_whose_slot_is_on_its_way) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 3000ms;
    client user(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto held = user.get_read_write_lock(name).read_lock().acquire({.owner = owner()});
    cluster.begin_move(slot, 0, 1);
    EXPECT_TRUE(is_renewed(held, 5s)) << "all of it is on the node that has the slot";
    cluster.move_keys(slot, 0, 1);
    EXPECT_TRUE(is_renewed(held, 5s)) << "all of it is on the node that gets the slot";
    cluster.end_move(slot, 0, 1);
    held.release();
    EXPECT_EQ(keys_on(cluster.node(1)), 0U);
}

// Its hash is where the slot goes to, and the keys of its readers are where it comes from: they are alive all the same.
TEST(moved_slot, has_a_reader_whose_hash_has_moved_and_whose_keys_have_not) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 6000ms;
    client leaves(settings);
    client stays(settings);
    auto const name = "{" + cluster.name_on(0) + "}lock"; // a name with a tag has no brackets of its own around it
    auto const slot = redis_cluster::slot_of(name);
    auto leaving = leaves.get_read_write_lock(name).read_lock().acquire({.owner = owner()});
    auto staying = stays.get_read_write_lock(name).read_lock().acquire({.owner = owner()});
    cluster.begin_move(slot, 0, 1);
    cluster.move_key(name, 0, 1);
    std::promise<std::error_code> released;
    leaving.async_release({}, [&](std::error_code code) { released.set_value(code); });
    // The release is refused there, and asks again and again; a renewal looks for keys that are not there.
    ASSERT_TRUE(wait_until([&] {
        auto counts = command_counts(cluster.node(1));
        return counts["asking"] > 3 && counts["pttl"] > 0;
    }));
    EXPECT_EQ(keys_on(cluster.node(1)), 1U) << "who stays reads, whatever is not there yet";
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_EQ(released.get_future().get(), std::error_code());
    EXPECT_EQ(fields_of(cluster.node(1), name), 2U);
    EXPECT_TRUE(is_renewed(staying, 1s));
    EXPECT_FALSE(leaves.get_read_write_lock(name).write_lock().try_acquire({.owner = owner()}));
    staying.release();
    EXPECT_EQ(keys_on(cluster.node(1)), 0U);
}

TEST(moved_slot, renews_permits_whose_number_is_on_another_node_than_their_leases) {
    for (bool const number_first : {true, false}) {
        redis_cluster cluster;
        auto settings = of_cluster(cluster);
        settings.lock_watchdog_timeout = 3000ms;
        client user(settings);
        auto const name = cluster.name_on(0);
        auto const slot = redis_cluster::slot_of(name);
        auto pool = user.get_permit_semaphore(name);
        pool.try_set_permits(2);
        auto const mine = pool.acquire({.renewed = true});
        cluster.begin_move(slot, 0, 1);
        cluster.move_key(number_first ? name : "{" + name + "}:timeout", 0, 1);
        auto const before = mine.valid_until();
        EXPECT_TRUE(wait_until([&] { return mine.valid_until() > before + 3s || !mine; }));
        EXPECT_TRUE(mine) << number_first;
        cluster.move_keys(slot, 0, 1);
        cluster.end_move(slot, 0, 1);
    }
}

// The connection for calls to the new node has never been used, since renewals have one of their own.
TEST(moved_slot, has_its_lock_released_by_a_guard_on_a_node_that_was_never_asked) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.lock_watchdog_timeout = 3000ms;
    client user(settings);
    event_log const events(user);
    auto const name = cluster.name_on(2);
    auto const slot = redis_cluster::slot_of(name);
    {
        auto const held = user.get_lock(name).acquire({.owner = owner()});
        cluster.begin_move(slot, 2, 1);
        cluster.move_keys(slot, 2, 1);
        cluster.end_move(slot, 2, 1);
        EXPECT_TRUE(is_renewed(held, 5s));
    }
    EXPECT_EQ(keys_on(cluster.node(1)), 0U) << "at once";
    EXPECT_EQ(events.count(event::kind::release_failed), 0U);
}

TEST(moved_slot, that_is_on_its_way_keeps_no_lock_of_another_slot_waiting) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.retry_delay = 1s;
    client user(settings);
    event_log const events(user);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    int number = 0;
    std::string other = "other";
    while (cluster.owner_of(other) != 0 || redis_cluster::slot_of(other) == slot)
        other = "other" + std::to_string(++number);
    auto readers = user.get_read_write_lock(name).read_lock();
    auto first = readers.acquire({.owner = owner()});
    cluster.begin_move(slot, 0, 1);
    // An EVALSHA that is rejected before it runs: nothing but a slot on its way is in its way here.
    auto const refused = [&] {
        auto const counts = cluster.node(0).run("INFO", "commandstats").text;
        auto const line = counts.find("cmdstat_evalsha:");
        if (line == std::string::npos) return false;
        return counts.substr(line, counts.find('\n', line) - line).find("rejected_calls=0") == std::string::npos;
    };
    ASSERT_FALSE(refused());
    auto second = in_thread([&] { return readers.acquire({.wait = 60s, .owner = owner()}); });
    ASSERT_TRUE(wait_until(refused));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(user.get_lock(other).try_acquire({.wait = 5s, .owner = owner()}));
    EXPECT_EQ(events.count(event::kind::server_refuses), 0U) << "it executes writes";
    EXPECT_FALSE(is_ready(second));
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    second.get().release();
    first.release();
}

TEST(moved_slot, is_where_a_hold_is_listened_for) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.topology.sharded = sharded_messages::off; // else the former node ends the subscription by itself
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto const held = holder.get_lock(name).acquire({.owner = owner()});
    ASSERT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name, "CHANNELS"); })) << "a second old";
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    ASSERT_TRUE(wait_until([&] { return somebody_listens(cluster.node(1), name, "CHANNELS"); }))
        << "the former node may be gone soon, and say nothing any more";
    auto const forced = test_clock::now();
    EXPECT_TRUE(other.get_lock(name).force_unlock());
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_LT(since(forced), 5s) << "the renewal would be due after ten seconds";
}

TEST(moved_slot, whose_keys_have_not_moved_with_it_is_told_to_holders_soon) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.watched_holds = 0;
    client holder(settings);
    auto const name = cluster.name_on(0);
    auto const held = holder.get_lock(name).acquire({.owner = owner()});
    cluster.give_all_slots(0, 1);
    auto const moved = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_LT(since(moved), 6s) << "the renewal would be due after ten seconds";
}

TEST(moved_slot, is_where_waiters_listen_though_all_nodes_pass_messages_on) {
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.topology.sharded = sharded_messages::off;
    settings.watched_holds = 0; // nobody else listens
    client holder(settings);
    client other(settings);
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 2 * patience, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name, "CHANNELS"); }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(1), name, "CHANNELS"); }))
        << "the former node may be gone soon, and say nothing any more";
    held.release();
    EXPECT_TRUE(waiter.get());
}

TEST(moved_slot, that_is_still_on_its_way_wakes_waiters_where_it_comes_from) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster;
    auto settings = of_cluster(cluster);
    settings.commands = command_set::scripts; // which publish where the key is
    client holder(settings);
    client other(of_cluster(cluster));
    auto const name = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(name);
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 2 * patience, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name); }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    auto const released = test_clock::now();
    held.release(); // on the node to which the slot goes; its waiters listen on the other one
    EXPECT_TRUE(waiter.get());
    EXPECT_LT(since(released), 10s) << "they would ask after a lease of thirty seconds";
    cluster.end_move(slot, 0, 1);
}

/// Not so of permits with ids: while some of their keys are missing on that node it answers TRYAGAIN until the slot has moved.
TEST(moved_slot, that_is_still_on_its_way_wakes_who_waits_for_permits_or_a_latch_where_it_comes_from) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    redis_cluster cluster;
    client holder(of_cluster(cluster));
    client other(of_cluster(cluster));
    auto const tag = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(tag);
    auto counter = holder.get_semaphore("{" + tag + "}: semaphore");
    auto gate = holder.get_count_down_latch(tag);
    EXPECT_TRUE(counter.try_set_permits(1) && gate.try_set_count(1));
    counter.acquire();
    auto const limit = 2 * patience;
    std::vector<std::future<bool>> waiters;
    waiters.push_back(in_thread([&] { return other.get_semaphore(counter.name()).try_acquire({.wait = limit}); }));
    waiters.push_back(in_thread([&] {
        std::error_code ec;
        other.get_count_down_latch(tag).wait({.wait = limit}, ec);
        return !ec;
    }));
    EXPECT_TRUE(wait_until([&] { return cluster.node(0).run("PUBSUB", "SHARDCHANNELS").items.size() == 2; }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    auto const released = test_clock::now();
    counter.release();
    EXPECT_TRUE(gate.count_down());
    for (auto& one : waiters) EXPECT_TRUE(one.get());
    EXPECT_LT(since(released), 10s) << "they would ask after thirty seconds";
    cluster.end_move(slot, 0, 1);
}

} // namespace
} // namespace redlatch::test
