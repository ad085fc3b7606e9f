// The two halves of a read-write lock: who may enter beside whom, who is woken, and what is lost with what. What the half that
// writes has in common with other kinds is in behaviour_test.cpp.
#include "behaviour/kinds.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace redlatch::test {
namespace {

/// Two clients whose leases last for 30 s: none ends, nor is renewed, while a loaded machine takes its time.
struct with_long_leases {
    with_long_leases(redis_server const& server, std::string const& name)
        : user(quick(server.uri())), other(quick(server.uri())), reads(user.get_read_write_lock(name).read_lock()),
          writes(user.get_read_write_lock(name).write_lock()), they_read(other.get_read_write_lock(name).read_lock()),
          they_write(other.get_read_write_lock(name).write_lock()) {}

    client user;
    client other;
    any_lock reads;
    any_lock writes;
    any_lock they_read;
    any_lock they_write;
};

class read_write_lock_test : public with_server {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    client user{settings(server.uri())};
    client other{settings(server.uri())};
    any_lock reads = user.get_read_write_lock(name).read_lock();
    any_lock writes = user.get_read_write_lock(name).write_lock();
    any_lock they_read = other.get_read_write_lock(name).read_lock();
    any_lock they_write = other.get_read_write_lock(name).write_lock();

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
    /// A reader of somebody else's, whose process has died: nobody renews it and nobody gives it back.
    void read_as_stranger(std::chrono::milliseconds lease) const {
        std::string const who = "0e1f2a3b-0000-4000-8000-0123456789ab:7";
        auto const ms = std::to_string(lease.count());
        server.run("HSET", name, "mode", "read", who, "1");
        server.run("PEXPIRE", name, ms);
        server.run("SET", "{" + name + "}:" + who + ":rwlock_timeout:1", "1", "PX", ms);
    }
    bool waiting(client& who, std::size_t many) const {
        return wait_until([&] { return who.stats().waiters == many; });
    }
};

TEST_F(read_write_lock_test, lets_owners_of_all_clients_read_together_and_nobody_write) {
    auto one = reads.acquire();
    auto two = reads.acquire({.owner = owner()});
    auto three = they_read.acquire();
    EXPECT_EQ(reads.inspect().owners.size(), 3U);
    EXPECT_EQ(reads.inspect().type, "read");
    EXPECT_TRUE(reads.is_locked());
    EXPECT_FALSE(writes.is_locked());
    for (auto* mine : {&one, &two}) {
        EXPECT_FALSE(they_write.try_acquire({.owner = owner()}));
        mine->release();
    }
    EXPECT_FALSE(writes.try_acquire());
    three.release();
    EXPECT_FALSE(reads.is_locked());
    EXPECT_TRUE(writes.try_acquire());
}

TEST_F(read_write_lock_test, lets_nobody_in_beside_who_writes) {
    auto mine = writes.acquire();
    EXPECT_TRUE(mine.owner_id().ends_with(":write"));
    EXPECT_TRUE(writes.is_locked());
    EXPECT_FALSE(reads.is_locked());
    EXPECT_FALSE(they_read.try_acquire());
    EXPECT_FALSE(they_write.try_acquire());
    EXPECT_FALSE(reads.try_acquire({.owner = owner()})) << "another owner of the same client";
    EXPECT_EQ(outcome_of([&] { (void)they_read.acquire({.wait = 1s}); }).reason, errc::timed_out);
    mine.release();
    EXPECT_TRUE(they_read.try_acquire());
}

TEST_F(read_write_lock_test, lets_all_waiting_readers_in_with_one_release) {
    with_long_leases both(server, name);
    auto mine = both.writes.acquire();
    std::atomic<int> inside{0};
    std::vector<std::jthread> readers;
    constexpr int many = 8;
    for (int i = 0; i < many; ++i)
        readers.emplace_back([&, from = i % 2 == 0 ? both.reads : both.they_read]() mutable {
            auto const got = from.acquire({.wait = 20s, .owner = owner()});
            ++inside;
            EXPECT_TRUE(wait_until([&] { return inside == many; })) << "all of them, at the same time";
        });
    ASSERT_TRUE(waiting(both.user, many / 2) && waiting(both.other, many / 2));
    auto const told = test_clock::now();
    mine.release();
    readers.clear();
    EXPECT_EQ(inside, many);
    EXPECT_LT(since(told), 1s) << "by the message: the lease would have ended later";
}

TEST_F(read_write_lock_test, lets_all_waiting_readers_in_when_the_lease_of_who_writes_has_ended) {
    auto mine = writes.acquire({.lease = 300ms, .owner = owner()});
    auto first = in_thread([&] { return reads.acquire({.wait = 20s, .owner = owner()}); });
    auto second = in_thread([&] { return they_read.acquire({.wait = 20s, .owner = owner()}); });
    auto beside = second.get();
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(beside);
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
}

TEST_F(read_write_lock_test, lets_a_waiting_writer_in_when_the_longest_lease_of_those_who_read_has_ended) {
    auto const began = test_clock::now();
    auto longest = reads.acquire({.lease = 900ms, .owner = owner()});
    auto shorter = they_read.acquire({.lease = 200ms, .owner = owner()});
    EXPECT_TRUE(they_write.acquire({.wait = 20s, .owner = owner()}));
    EXPECT_GE(since(began), 700ms) << "not when the shorter one was over";
    EXPECT_EQ(longest.status(), hold_status::lost);
    EXPECT_EQ(shorter.status(), hold_status::lost);
}

TEST_F(read_write_lock_test,
       is_not_kept_from_writers_by_a_dead_reader_for_longer_than_its_lease_whoever_reads_beside_it) {
    read_as_stranger(400ms);
    auto mine = reads.acquire({.lease = 60s});
    auto writer = in_thread([&] { return they_write.acquire({.wait = 20s}); });
    ASSERT_TRUE(waiting(other, 1));
    auto const told = test_clock::now();
    mine.release();
    EXPECT_TRUE(writer.get());
    EXPECT_LT(since(told), 10s);
}

TEST_F(read_write_lock_test, keeps_the_longest_lease_of_who_reads_also_when_that_level_has_been_released) {
    owner const me;
    auto const outer = reads.acquire({.lease = 20s, .owner = me});
    reads.acquire({.lease = 60s, .owner = me}).release();
    EXPECT_GT(pttl(server, "{" + name + "}:" + outer.owner_id() + ":rwlock_timeout:1"), 40'000);
    EXPECT_GT(outer.valid_until() - lease_clock::now(), 40s);
    EXPECT_FALSE(they_write.try_acquire());
}

TEST_F(read_write_lock_test, wakes_a_waiting_writer_when_the_last_reader_leaves) {
    with_long_leases both(server, name);
    auto one = both.reads.acquire();
    auto two = both.they_read.acquire();
    auto writer = in_thread([&] { return both.they_write.acquire({.wait = 20s}); });
    ASSERT_TRUE(waiting(both.other, 1));
    one.release();
    EXPECT_FALSE(is_ready(writer));
    auto const told = test_clock::now();
    two.release();
    auto got = writer.get();
    EXPECT_LT(since(told), 1s);
    EXPECT_FALSE(reads.try_acquire());
}

TEST_F(read_write_lock_test, lets_who_writes_read_too_and_others_as_soon_as_it_only_reads) {
    with_long_leases both(server, name);
    owner const me;
    auto writing = both.writes.acquire({.owner = me});
    EXPECT_FALSE(reads.is_locked());
    auto reading = both.reads.acquire({.owner = me});
    EXPECT_TRUE(reads.is_locked() && writes.is_locked());
    EXPECT_FALSE(they_read.try_acquire());
    auto waiter = in_thread([&] { return both.they_read.acquire({.wait = 20s}); });
    ASSERT_TRUE(waiting(both.other, 1));
    auto const told = test_clock::now();
    writing.release();
    auto beside = waiter.get();
    EXPECT_LT(since(told), 1s) << "Redisson's readers sleep until the lease ends";
    EXPECT_EQ(reading.status(), hold_status::held);
    EXPECT_FALSE(writes.is_locked());
    EXPECT_TRUE(reads.is_locked());
    EXPECT_FALSE(they_write.try_acquire({.owner = owner()}));
}

TEST_F(read_write_lock_test, keeps_the_write_hold_and_its_renewal_when_a_read_hold_beside_it_ends) {
    owner const me;
    auto writing = writes.acquire({.owner = me});
    reads.acquire({.owner = me}).release();
    EXPECT_TRUE(writes.is_locked());
    auto const before = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > before + 1; }));
    writing.ensure_held();
    EXPECT_FALSE(they_read.try_acquire());
    writing.release();
    EXPECT_FALSE(writes.is_locked());
}

TEST_F(read_write_lock_test, renews_both_halves_of_one_owner_and_goes_on_with_the_one_that_stays) {
    owner const me;
    auto writing = writes.acquire({.owner = me});
    auto reading = reads.acquire({.owner = me});
    auto const lasts = [&] { // for longer than a lease
        return stays([&] { return exists(name) && reads.is_locked() && bool(reading); }, 2s);
    };
    EXPECT_TRUE(lasts());
    EXPECT_TRUE(writing);
    writing.release();
    EXPECT_TRUE(lasts());
    reading.release();
    EXPECT_FALSE(exists(name));
}

TEST_F(read_write_lock_test, tells_who_reads_that_it_would_wait_for_itself_to_write) {
    auto reading = reads.acquire();
    auto const refused = outcome_of([&] { (void)writes.acquire({.owner = owner::this_thread()}); });
    if (!asynchronously()) { // there each call has an owner of its own
        EXPECT_EQ(refused.reason, errc::would_deadlock);
        EXPECT_NE(refused.message.find(reading.owner_id()), std::string::npos) << refused.message;
    }
    owner const me;
    auto mine = reads.acquire({.owner = me});
    EXPECT_EQ(outcome_of([&] { (void)writes.acquire({.owner = me}); }).reason, errc::would_deadlock);
    EXPECT_EQ(outcome_of([&] { (void)writes.try_acquire({.owner = me}); }).reason, errc::would_deadlock);
    reading.release();
    mine.release();
    EXPECT_TRUE(writes.try_acquire({.owner = me}));
}

TEST_F(read_write_lock_test, is_entered_again_by_who_reads) {
    owner const me;
    EXPECT_EQ(reads.hold_count(me), 0);
    EXPECT_FALSE(reads.is_held(me));
    auto outer = reads.acquire({.owner = me});
    EXPECT_EQ(reads.hold_count(me), 1);
    auto inner = reads.acquire({.owner = me});
    EXPECT_EQ(reads.hold_count(me), 2);
    EXPECT_TRUE(reads.is_held(me));
    EXPECT_FALSE(reads.is_held(owner()));
    EXPECT_EQ(writes.hold_count(me), 0);
    EXPECT_EQ(reads.inspect().owners.at(0).count, 2);
    inner.release();
    EXPECT_EQ(reads.hold_count(me), 1);
    EXPECT_EQ(reads.inspect().owners.at(0).count, 1);
    EXPECT_FALSE(they_write.try_acquire());
    outer.release();
    EXPECT_EQ(reads.hold_count(me), 0);
    EXPECT_FALSE(reads.is_held(me));
    EXPECT_TRUE(they_write.try_acquire());
}

TEST_F(read_write_lock_test, is_not_unlocked_by_who_does_not_read) {
    auto mine = reads.acquire({.owner = owner()});
    EXPECT_EQ(outcome_of([&] { reads.unlock(); }).reason, errc::not_owner);
    EXPECT_EQ(outcome_of([&] { they_read.unlock(); }).reason, errc::not_owner);
    EXPECT_EQ(reads.inspect().owners.size(), 1U);
    EXPECT_TRUE(mine);
    mine.release();
    for (int round = 0; round < 2; ++round) {
        reads.lock();
        EXPECT_TRUE(reads.is_locked());
        reads.unlock();
        EXPECT_FALSE(reads.is_locked());
    }
}

TEST_F(read_write_lock_test, is_read_under_names_of_any_bytes) {
    for (std::string const& odd : {std::string("{test}:abc:key"), std::string("or{ders"), std::string("a\0b\xff", 4),
                                   std::string("\r\n $1"), std::string(1000, 'n')}) {
        any_lock reading = user.get_read_write_lock(odd).read_lock();
        any_lock writing = other.get_read_write_lock(odd).write_lock();
        owner const me;
        auto outer = reading.acquire({.owner = me});
        auto inner = reading.acquire({.owner = me});
        EXPECT_FALSE(writing.try_acquire());
        inner.release();
        outer.release();
        EXPECT_TRUE(writing.try_acquire());
    }
}

TEST_F(read_write_lock_test, renews_each_reader_and_none_for_others) {
    auto mine = reads.acquire();
    auto const dead = "0e1f2a3b-0000-4000-8000-0123456789ab:7";
    server.run("HSET", name, dead, "1"); // a reader whose process has died: nobody renews its key
    auto const before = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > before + 3; }));
    mine.ensure_held();
    EXPECT_EQ(server.run("EXISTS", "{" + name + "}:" + dead + ":rwlock_timeout:1").integer, 0);
    mine.release();
    EXPECT_TRUE(they_write.try_acquire()) << "it keeps nobody out any more";
}

TEST_F(read_write_lock_test, renews_fifty_readers_for_longer_than_a_lease) {
    std::vector<hold> all;
    for (int i = 0; i < 50; ++i) all.push_back((i % 2 == 0 ? reads : they_read).acquire({.owner = owner()}));
    EXPECT_TRUE(
        stays([&] { return std::all_of(all.begin(), all.end(), [](hold const& one) { return bool(one); }); }, 2s));
    EXPECT_EQ(reads.inspect().owners.size(), all.size());
    for (auto& one : all) one.release();
    EXPECT_FALSE(exists(name));
}

TEST_F(read_write_lock_test, is_lost_with_a_server_that_comes_back_empty_and_can_be_taken_again) {
    any_lock more_reads = other.get_read_write_lock(name + "-read").read_lock();
    auto writing = writes.acquire({.owner = owner()});
    auto reading = more_reads.acquire({.owner = owner()});
    server.restart(redis_server::data::lost);
    for (auto* one : {&writing, &reading}) {
        EXPECT_TRUE(wait_until([&] { return one->status() == hold_status::lost; }));
        EXPECT_EQ(outcome_of([&] { one->release(); }).reason, errc::lease_lost);
    }
    writing = writes.acquire({.wait = 20s, .owner = owner()});
    reading = more_reads.acquire({.wait = 20s, .owner = owner()});
    EXPECT_TRUE(stays([&] { return exists(name) && exists(name + "-read") && writing && reading; }, 2s));
    writing.release();
    reading.release();
}

TEST_F(read_write_lock_test, tells_readers_and_who_writes_when_they_are_ended_by_force) {
    auto one = reads.acquire();
    auto two = they_read.acquire({.owner = owner()});
    EXPECT_FALSE(they_write.force_unlock()) << "nobody writes";
    EXPECT_TRUE(they_read.force_unlock());
    EXPECT_EQ(two.status(), hold_status::lost);
    EXPECT_TRUE(wait_until([&] { return one.status() == hold_status::lost; }));
    auto writing = writes.acquire({.owner = owner()});
    EXPECT_FALSE(they_read.force_unlock());
    EXPECT_TRUE(they_write.force_unlock());
    EXPECT_TRUE(wait_until([&] { return writing.status() == hold_status::lost; }));
    EXPECT_TRUE(they_read.try_acquire());
}

TEST_F(read_write_lock_test, tells_every_reader_of_a_client_that_it_was_ended_by_force) {
    std::vector<hold> all;
    for (int i = 0; i < 3; ++i) all.push_back(reads.acquire({.lease = 60s, .owner = owner()}));
    ASSERT_TRUE(wait_until([&] { return somebody_listens("redisson_rwlock:{" + name + "}"); }))
        << "holds that last are watched";
    EXPECT_TRUE(they_read.force_unlock());
    for (auto& one : all) EXPECT_TRUE(wait_until([&] { return one.status() == hold_status::lost; }, 5s));
}

TEST_F(read_write_lock_test, loses_readers_when_another_owner_of_the_client_writes_after_all) {
    auto reading = reads.acquire({.lease = 60s, .owner = owner()});
    server.run("DEL", name);
    auto writing = writes.acquire({.lease = 60s, .owner = owner()});
    EXPECT_EQ(reading.status(), hold_status::lost);
    server.run("DEL", name);
    auto anew = reads.acquire({.owner = owner()});
    EXPECT_EQ(writing.status(), hold_status::lost);
    EXPECT_EQ(anew.status(), hold_status::held);
}

TEST_F(read_write_lock_test, keeps_the_outer_hold_of_a_reader_whose_inner_one_had_a_short_lease) {
    owner const me;
    auto outer = reads.acquire({.owner = me});
    auto inner = reads.acquire({.lease = 100ms, .owner = me});
    auto const before = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > before + 2; }));
    outer.ensure_held();
}

TEST_F(read_write_lock_test, is_shown_as_what_it_is_behind_a_thousand_readers) {
    server.run("EVAL",
               "redis.call('hset', KEYS[1], 'mode', 'read') for i = 1, 3000 do "
               "redis.call('hset', KEYS[1], '0e1f2a3b-0000-4000-8000-0123456789ab:' .. i, 1) end",
               "1", name);
    EXPECT_EQ(reads.inspect().type, "read");
    server.run("DEL", name);
}

TEST_F(read_write_lock_test, loses_with_the_write_hold_what_its_owner_reads_when_it_is_ended_by_force_here) {
    owner const me;
    auto writing = writes.acquire({.owner = me});
    auto reading = reads.acquire({.owner = me});
    EXPECT_TRUE(writes.force_unlock());
    EXPECT_EQ(writing.status(), hold_status::lost);
    EXPECT_EQ(reading.status(), hold_status::lost);
}

TEST_F(read_write_lock_test, is_lost_to_a_reader_whose_key_is_gone) {
    auto mine = reads.acquire();
    server.run("DEL", "{" + name + "}:" + mine.owner_id() + ":rwlock_timeout:1");
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; })) << "any release may drop it";
}

TEST_F(read_write_lock_test, fits_the_guards_of_the_standard_library) {
    auto lock = user.get_read_write_lock(name);
    EXPECT_EQ(lock.name(), name);
    {
        std::shared_lock const one(lock);
        auto theirs = other.get_read_write_lock(name);
        std::shared_lock const two(theirs, 10s);
        EXPECT_TRUE(two.owns_lock());
        EXPECT_FALSE(in_thread([&] { return theirs.try_lock(); }).get());
    }
    std::unique_lock const alone(lock, 10s);
    EXPECT_TRUE(alone.owns_lock());
    EXPECT_TRUE(lock.write_lock().is_held());
    EXPECT_FALSE(lock.read_lock().is_held());
    EXPECT_FALSE(in_thread([&] { return lock.try_lock_shared(); }).get());
    auto const soon = std::chrono::steady_clock::now() + 1s;
    EXPECT_FALSE(in_thread([&] { return lock.try_lock_shared_until(soon); }).get());
}

TEST_F(read_write_lock_test, excludes_locks_of_other_kinds_with_its_name) {
    auto plain = other.get_lock(name);
    auto reading = reads.acquire();
    EXPECT_FALSE(plain.try_acquire());
    reading.release();
    auto mine = plain.acquire();
    EXPECT_FALSE(reads.try_acquire());
    EXPECT_FALSE(writes.try_acquire());
    EXPECT_FALSE(reads.is_locked()) << "nobody reads";
    EXPECT_FALSE(writes.force_unlock());
}

TEST_F(read_write_lock_test, never_lets_a_reader_and_a_writer_in_together) {
    std::atomic<int> readers{0};
    std::atomic<int> writers{0};
    std::atomic<int> most_readers{0};
    std::vector<std::jthread> all;
    for (int i = 0; i < 6; ++i)
        all.emplace_back([&, i] {
            auto& from = i % 2 == 0 ? user : other;
            any_lock reading = from.get_read_write_lock(name).read_lock();
            any_lock writing = from.get_read_write_lock(name).write_lock();
            for (int round = 0; round < 60; ++round) {
                if ((round + i) % 3 == 0) {
                    auto const got = writing.acquire({.owner = owner()});
                    EXPECT_EQ(++writers, 1);
                    EXPECT_EQ(readers, 0);
                    --writers;
                } else {
                    auto const got = reading.acquire({.owner = owner()});
                    auto const now = ++readers;
                    for (auto seen = most_readers.load();
                         now > seen && !most_readers.compare_exchange_weak(seen, now);) {
                    }
                    EXPECT_EQ(writers, 0);
                    --readers;
                }
            }
        });
    all.clear();
    EXPECT_GT(most_readers, 0);
}

} // namespace
} // namespace redlatch::test
