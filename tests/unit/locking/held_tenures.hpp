// A lease keeper and tenures that are held, by hand.
#pragma once

#include "locking/lease_keeper.hpp"
#include "locking/lock_record.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/virtual_time.hpp"

#include <memory>
#include <string>
#include <vector>

namespace redlatch::locking {

/// Their tenures refer to them.
struct made_records {
    std::vector<record_ptr> all{};

    made_records() = default;
    made_records(made_records const&) = delete;
    made_records& operator=(made_records const&) = delete;
    ~made_records() {
        for (auto const& one : all) one->tenures.clear();
    }
};

struct held_tenures {
    /// 30 s of watchdog, 300 ms of margin.
    lease_keeper keeper{{base::milliseconds(30'000), base::milliseconds(0), 100}, 1};
    record_settings const settings{.owner_prefix = "uuid:"};
    made_records records{};
    record_ptr record = make_record("orders", reentrant_recipe);
    lease_keeper::effects found{};
    std::uint64_t last = 0;

    record_ptr make_record(std::string const& name, recipe const& kind) {
        return records.all.emplace_back(std::make_shared<lock_record>(name, kind, settings));
    }
    tenure_ptr hold(level const& what, base::instant sent_at) {
        auto one = std::make_shared<tenure>();
        one->record = record;
        one->serial = ++last;
        record->tenures.add(one);
        enter(one, what, sent_at);
        return one;
    }
    void enter(tenure_ptr const& one, level const& what, base::instant sent_at) {
        one->levels.push_back(what);
        one->held_since = sent_at;
        one->now_in = tenure::phase::held;
        keeper.acknowledged(one, what.lease, sent_at);
    }
    tenure_ptr watched(base::instant sent_at, base::instant max_hold_until = base::never) {
        return hold(
            {.number = 1, .lease = base::milliseconds(30'000), .renewed = true, .max_hold_until = max_hold_until},
            sent_at);
    }
    tenure_ptr fixed(base::milliseconds lease, base::instant sent_at) {
        return hold({1, lease, false, false}, sent_at);
    }

    /// What the timer brings at a time.
    lease_keeper::effects& timer(base::instant now) {
        found = {};
        keeper.on_timer(now, found);
        return found;
    }
    lease_keeper::effects& answer(lease_keeper::batch const& which, base::instant sent_at,
                                  std::vector<std::int64_t> const& lost = {}) {
        found = {};
        keeper.on_answer(which, lost, keeper.lease_of(which), sent_at, found);
        return found;
    }
    static bool nothing(lease_keeper::effects const& of) {
        return of.renew.empty() && of.lost.empty() && of.suspect.empty() && of.recovered.empty();
    }
};

} // namespace redlatch::locking
