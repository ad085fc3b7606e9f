// One client's table of locks for tests, without a server: what the io layer would send is taken out and looked at.
#pragma once

#include "locking/lock_table.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/virtual_time.hpp"
#include "scripted/wake_counter.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::locking {

using namespace std::chrono_literals;
using scripted::at;
using scripted::at_no_time;
using scripted::make_sleeper;
using scripted::ms;
using plan = lock_table::release_plan::kind;
using notice = lock_table::notice::kind;
using phase = tenure::phase;

constexpr std::uint64_t ann = 1;
constexpr std::uint64_t bob = 2;
constexpr std::uint64_t cid = 3;

/// One client's locks; 30 s of watchdog, 300 ms of margin.
struct client_locks {
    local_handoff::settings handoff{};
    lock_table table{{"uuid", 30s, 0ms, 100, 1, handoff}};
    record_ptr record = table.records.get("orders", reentrant_recipe);
    base::wake_list woken;

    level take(tenure_ptr const& which, base::instant sent_at, std::optional<base::milliseconds> lease = {},
               base::instant max_hold_until = base::never) {
        auto const taken = table.take(which, {0, lease.value_or(30s), !lease, false}, sent_at, max_hold_until);
        EXPECT_TRUE(taken.has_value());
        return taken.value_or(level{});
    }
    tenure_ptr hold(std::uint64_t owner, base::instant sent_at, std::optional<base::milliseconds> lease = {}) {
        auto const one = table.open(record, owner);
        take(one, sent_at, lease);
        return one;
    }
    lock_table::release_plan release(tenure_ptr const& which, std::uint64_t level_number, base::instant now) {
        auto const out = table.plan_release(which, level_number, now, woken);
        woken.wake_all();
        return out;
    }
    void lose(tenure_ptr const& which, base::instant now) {
        table.lose(which, now, woken);
        woken.wake_all();
    }
    std::vector<notice> news() {
        std::vector<notice> all;
        for (auto const& one : table.take_notices()) all.push_back(one.what);
        return all;
    }
    /// Ids that the reaper releases at a time.
    std::vector<std::string> reaped(base::instant now) {
        std::vector<std::string> ids;
        for (auto const& job : table.dead.on_timer(now)) ids.push_back(job.owner_id);
        return ids;
    }
};

struct waiting_here : client_locks {
    std::vector<waiter_ptr> waiters{};
    void wait() {
        waiters.push_back(std::make_shared<locking::waiter>(make_sleeper()));
        record->queue.enter(waiters.back());
    }
    lock_table::head_wake next(base::instant now) { return table.next_head_wake(*record, now); }
};

/// A waiter as the io layer makes one: its turn is taken, and as long as it is not the head it sends nothing.
struct local_waiter {
    struct wish {
        bool fixed_lease = false;
        std::optional<base::milliseconds> max_hold{};
    };
    tenure_ptr tenure;
    std::shared_ptr<scripted::wake_counter> sleeper = make_sleeper();
    waiter_ptr waiter = std::make_shared<locking::waiter>(sleeper);
    lock_table::finding found{}; ///< of its last look

    bool granted() const { return waiter->granted; }
};

/// Who hands a lock off within this client, and to whom; strictly first come first served.
struct hand_off : client_locks {
    explicit hand_off(local_handoff::settings const& how = {true, base::milliseconds(5), true}) : client_locks{how} {}

    local_waiter wait(std::uint64_t owner, base::instant now, local_waiter::wish const& what = {}) {
        local_waiter one{table.open(record, owner)};
        one.tenure->in_operation = true;
        one.waiter->whose = one.tenure;
        one.waiter->asked = {0, 30s, !what.fixed_lease, false};
        one.waiter->max_hold = what.max_hold;
        one.waiter->accepts_handoff = !what.fixed_lease;
        if (record->queue.enter(one.waiter))
            look(one, now);
        else
            lock_table::wait_again(*one.waiter);
        return one;
    }
    lock_table::finding::kind look(local_waiter& one, base::instant now) {
        one.found = table.look(one.waiter, now, woken);
        woken.wake_all();
        return one.found.what;
    }
    bool leave(local_waiter const& one, base::instant now) {
        bool const has_it = table.leave(one.waiter, now, woken);
        woken.wake_all();
        return has_it;
    }
    /// The one level there is, with the turn, as the io layer does it.
    plan give_back(tenure_ptr const& which, base::instant now) {
        which->in_operation = true;
        return release(which, which->levels.back().number, now).what;
    }
    std::optional<level> retake(std::uint64_t owner, base::instant now, level what = {0, 30s, true, false}) {
        return table.retake(*record, owner, what, now);
    }
    /// What the timer brings at a time.
    lease_keeper::effects timer(base::instant now) {
        lease_keeper::effects found;
        table.keeper.on_timer(now, found);
        table.apply(found, now, woken);
        woken.wake_all();
        return found;
    }
};

/// Whoever comes first has it, and the window is long: ann got it from another, and bob and cid have not looked since.
struct first_of_two : hand_off {
    first_of_two() : hand_off({true, 1h, false}) {
        EXPECT_EQ(give_back(before, at(0s)), plan::handed_off);
        EXPECT_TRUE(one->holds(at(0s)));
        table.counted = {};
    }
    tenure_ptr before = hold(9, at(0s)); ///< its id is uuid:1
    tenure_ptr one = wait(ann, at(0s)).tenure;
    local_waiter head = wait(bob, at(0s));
    local_waiter second = wait(cid, at(0s));
};

/// The same of a read-write lock.
struct client_halves : client_locks {
    record_ptr const reads = table.records.get("rows", read_recipe);
    record_ptr const writes = table.records.get("rows", write_recipe);

    tenure_ptr hold(record_ptr const& half, std::uint64_t owner, base::instant sent_at) {
        record = half;
        return client_locks::hold(owner, sent_at);
    }
};

} // namespace redlatch::locking
