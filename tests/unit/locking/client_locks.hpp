// One client's table of locks for tests, without a server: what the io layer would send is taken out and looked at.
#pragma once

#include "locking/lock_table.hpp"
#include "scripted/virtual_time.hpp"
#include "scripted/wake_counter.hpp"

#include <gtest/gtest.h>
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

/// One client's locks; 30 s of watchdog, 300 ms of margin.
struct client_locks {
    lock_table table{{"uuid", 30s, 0ms, 100, 1}};
    record_ptr record = table.record("orders", reentrant_recipe);
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
    std::vector<place_ptr> places{};
    void wait() {
        places.push_back(std::make_shared<queue_place>(make_sleeper()));
        record->queue.enter(places.back());
    }
    lock_table::hand_on next(base::instant now) { return table.next_hand_on(*record, now); }
};

} // namespace redlatch::locking
