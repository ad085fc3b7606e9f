#include "support/every_use.hpp"

#include "support/wait_until.hpp"

#include <future>
#include <gtest/gtest.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

constexpr char const* lock_name = "jobs:nightly";

/// Everything that can be done with a lock, once. `other`: somebody else of the same rights.
void use_lock(client& user, client& other, std::function<basic_lock(client&)> const& get) {
    auto lock = get(user);
    auto theirs = get(other);
    auto mine = lock.acquire({.wait = 5s});
    std::error_code not_reentrant;
    (void)lock.try_acquire({}, not_reentrant);
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    EXPECT_TRUE(lock.is_locked());
    EXPECT_TRUE(lock.remaining_lease());
    EXPECT_TRUE(lock.inspect().held);
    EXPECT_EQ(user.list_locks("jobs:*", {.labels = true}).size(), 1U);
    auto waiter = std::async(std::launch::async, [&] { return theirs.acquire({.wait = 20s, .owner = owner()}); });
    bool const listens = theirs.kind() != "spin";
    EXPECT_TRUE(
        wait_until([&] { return other.stats().waiters == 1 && (other.stats().subscriptions == 1 || !listens); }));
    mine.release();
    waiter.get().release();
    lock.acquire({.wait = 5s, .hold_at_least = 50ms}).release();
    auto const forced = lock.acquire({.wait = 5s});
    EXPECT_FALSE(theirs.try_acquire({.wait = 100ms, .owner = owner()}));
    EXPECT_TRUE(wait_until([&] { return other.stats().unresolved == 0; })) << "a place in a queue is given up";
    EXPECT_TRUE(theirs.force_unlock());
}

using usage = std::function<void(client& user, client& other)>;

usage locks(std::function<basic_lock(client&)> get) {
    return [get](client& user, client& other) { use_lock(user, other, get); };
}

void use_read_write_lock(client& user, client& other) {
    use_lock(user, other, [](client& from) -> basic_lock { return from.get_read_write_lock(lock_name).write_lock(); });
    auto const both = user.get_read_write_lock(lock_name);
    auto writes = both.write_lock();
    auto reads = both.read_lock();
    owner const me;
    auto writing = writes.acquire({.wait = 5s, .owner = me});
    auto reading = reads.acquire({.wait = 5s, .owner = me});
    reads.acquire({.wait = 5s, .owner = me}).release();
    writing.release();
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > renewals; }));
    reading.release();
}

void use_election(client& user, client& other) {
    use_lock(user, other, [](client& from) -> basic_lock { return from.get_leader_election(lock_name).lock(); });
    auto election = user.get_leader_election(lock_name, {.candidate = "ann"});
    auto term = election.campaign({.wait = 5s});
    EXPECT_EQ(election.leader().value().candidate, "ann");
    term.resign();
}

/// How many there are; throws what is wrong with one of them.
template <class Info> int readable(std::vector<Info> const& found) {
    for (auto const& one : found)
        if (!one.problem.empty()) throw error(errc::server_refused, one.problem);
    return static_cast<int>(found.size());
}

int counters_listed(client& user, std::string_view pattern) {
    int found = 0;
    user.visit_counters(pattern, [&](std::vector<counter_info> const& page) { found += readable(page); });
    return found;
}

int permit_semaphores_listed(client& user, permit_visit_options const& options) {
    int found = 0;
    user.visit_permit_semaphores(
        "jobs:*", [&](std::vector<permit_info> const& page) { found += readable(page); }, options);
    return found;
}

void use_semaphore(client& user, client&) {
    auto permits = user.get_semaphore("jobs:permits", {.exactly_once = true});
    EXPECT_TRUE(permits.try_set_permits(2, 100s));
    EXPECT_EQ(counters_listed(user, "jobs:*"), 1);
    permits.acquire({.wait = 5s});
    EXPECT_FALSE(permits.try_acquire({.permits = 2, .wait = 50ms}));
    EXPECT_EQ(permits.available_permits(), 1);
    permits.release();
    EXPECT_EQ(permits.drain_permits(), 2);
    EXPECT_TRUE(permits.remove());
}

void use_permit_semaphore(client& user, client&) {
    auto pool = user.get_permit_semaphore("jobs:pool", {.exactly_once = true});
    EXPECT_TRUE(pool.try_set_permits(2, 100s));
    auto first = pool.acquire({.lease = 60s, .wait = 5s});
    EXPECT_TRUE(pool.update_lease(first.ids().front(), 90s));
    EXPECT_EQ(pool.get_permits(), 2);
    EXPECT_EQ(pool.inspect().leases.size(), 1U);
    EXPECT_EQ(permit_semaphores_listed(user, {}), 1);
    EXPECT_EQ(permit_semaphores_listed(user, {.with_untaken = true}), 1);
    EXPECT_FALSE(pool.try_acquire({.permits = 2, .wait = 50ms}));
    auto const ids = first.ids();
    first.release();
    EXPECT_FALSE(pool.try_release(ids)) << "they are there no more";
    (void)pool.acquire({.lease = 1ms, .wait = 5s}).detach();
    EXPECT_TRUE(wait_until([&] { return pool.available_permits() == 2; }));
    pool.add_permits(1);
    EXPECT_TRUE(pool.remove());
}

void use_latch(client& user, client&) {
    auto gate = user.get_count_down_latch("jobs:gate", {.exactly_once = true});
    EXPECT_TRUE(gate.try_set_count(2));
    EXPECT_EQ(counters_listed(user, "jobs:*"), 1);
    std::error_code closed;
    gate.wait({.wait = 50ms}, closed);
    EXPECT_EQ(closed, errc::timed_out);
    EXPECT_TRUE(gate.count_down());
    EXPECT_EQ(gate.count(), 1);
    EXPECT_TRUE(gate.count_down());
    gate.wait({.wait = 5s});
    EXPECT_TRUE(gate.try_set_count(2));
    EXPECT_TRUE(gate.remove());
}

} // namespace

std::vector<use_of_type> const& uses_of_all_types() {
    static std::vector<use_of_type> const all{
        {"reentrant", locks([](client& from) -> basic_lock { return from.get_lock(lock_name); })},
        {"non_reentrant", locks([](client& from) -> basic_lock { return from.get_non_reentrant_lock(lock_name); })},
        {"spin", locks([](client& from) -> basic_lock { return from.get_spin_lock(lock_name); })},
        {"fair", locks([](client& from) -> basic_lock { return from.get_fair_lock(lock_name); })},
        {"non_reentrant_fair",
         locks([](client& from) -> basic_lock { return from.get_non_reentrant_fair_lock(lock_name); })},
        {"fenced", locks([](client& from) -> basic_lock { return from.get_fenced_lock(lock_name); })},
        {"election", use_election},
        {"read_write", use_read_write_lock},
        {"faster_multi", locks([](client& from) -> basic_lock {
             return from.get_faster_multi_lock(lock_name, {"a", "b"});
         })},
        {"semaphore", use_semaphore},
        {"permit_semaphore", use_permit_semaphore},
        {"latch", use_latch},
    };
    return all;
}

void PrintTo(use_of_type const& one, std::ostream* out) {
    *out << one.type;
}

} // namespace redlatch::test
