#include "locking/lock_table.hpp"

#include "base/assert.hpp"
#include "locking/acquire_op.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

lock_table::lock_table(settings const& config)
    : keeper({config.watchdog, config.margin, config.renewal_batch, config.watch_from, config.by_slot}, config.seed),
      records({.owner_prefix = config.client_id + ":", .seed = ~config.seed, .waiter_timeout = config.waiter_timeout}),
      settings_(config) {
    if (config.may_fail_over) dead.remember_departures();
}

lock_table::~lock_table() {
    // A tenure that was never given back, or whose waiter never left, and its record keep each other.
    records.for_each([](record_ptr const& record) {
        record->tenures.clear();
        record->contended.reset();
        record->queue.clear();
    });
}

tenure_ptr lock_table::current(lock_record const& record, std::uint64_t owner_number) const noexcept {
    return record.tenures.current(owner_number);
}

tenure_ptr lock_table::holder(lock_record const& record, base::instant now) const noexcept {
    for (auto const& one : record.tenures.acquired())
        if (one->holds(now)) return one;
    return nullptr;
}

std::vector<tenure_ptr> lock_table::holders(lock_record const& record, base::instant now) const {
    std::vector<tenure_ptr> found;
    for (auto const& one : record.tenures.acquired())
        if (one->holds(now) || (one->in(tenure::phase::handing_off) && now < one->validity())) found.push_back(one);
    return found;
}

bool lock_table::is_watched(lock_record const& record) noexcept {
    auto const all = record.tenures.acquired();
    return std::any_of(all.begin(), all.end(), [](tenure_ptr const& one) {
        return one->watched && (one->in(tenure::phase::held) || one->in(tenure::phase::handing_off));
    });
}

tenure_ptr lock_table::open(record_ptr const& record, std::uint64_t owner_number, std::string_view owner_suffix) {
    auto fresh = std::allocate_shared<tenure>(base::recycling<tenure>());
    fresh->record = record;
    fresh->owner_number = owner_number;
    fresh->serial = next_serial();
    if (!owner_suffix.empty()) fresh->have_extras(owner_suffix);
    record->tenures.add(fresh);
    try {
        parts.add(*fresh);
    } catch (...) { // no memory
        record->tenures.remove(*fresh);
        throw;
    }
    threads.join(*fresh);
    return fresh;
}

lock_table::beginning lock_table::begin(record_ptr const& record, std::uint64_t owner_number, level const& asked,
                                        base::instant now, base::wake_list& woken, std::string_view owner_suffix) {
    using kind = beginning::kind;
    if (auto const handed_off = in_handoff(*record))
        if (auto const again = retake(*record, owner_number, asked, now))
            return {kind::retaken, handed_off, again->number};
    auto mine = current(*record, owner_number);
    if (mine && mine->in_operation) return {kind::owner_busy, std::move(mine)};
    if (mine && !mine->holds(now)) {
        lose(mine, now, woken);
        mine.reset();
    }
    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};
    if (!mine && !record->how->shared)
        if (auto other_half = counterpart(*record, owner_number, now)) return {kind::upgrade, std::move(other_half)};
    if (!mine && !record->parts().empty())
        if (auto other_parts = parts.overlapping(*record, owner_number, now))
            return {kind::overlap, std::move(other_parts)};
    // Where other processes want it too, the attempt that tells for how long it is held is the better guess.
    auto const* const others = record->contended.get();
    bool const known_busy = others != nullptr && (others->busy_until > now || others->turn.others_listen());
    auto const what = mine ? kind::reentry : kind::fresh;
    if (!mine) mine = open(record, owner_number, owner_suffix);
    mine->in_operation = true;
    return {what, std::move(mine), 0, known_busy};
}

record_ptr lock_table::other_half(lock_record const& record) const {
    return record.how->counterpart == nullptr ? nullptr : records.find(record.name, *record.how->counterpart);
}

tenure_ptr lock_table::counterpart(lock_record const& record, std::uint64_t owner_number, base::instant now) const {
    auto const other = other_half(record);
    auto held = other ? current(*other, owner_number) : nullptr;
    return held && held->holds(now) ? held : nullptr;
}

void lock_table::change_id(tenure_ptr const& tenure, base::milliseconds lease, base::instant now) {
    if (!tenure->in(tenure::phase::acquiring)) return; // the client has closed: end_everything has seen to the old id
    dead.add({tenure->record, tenure->owner_id().str(), lease, tenure->late_copy_possible}, now, now);
    tenure->late_copy_possible = false;
    tenure->serial = next_serial();
}

std::optional<level> lock_table::take(tenure_ptr const& tenure, level level, base::instant sent_at,
                                      base::instant max_hold_until, std::uint64_t token) {
    if (!tenure->in(tenure::phase::acquiring) && !tenure->in(tenure::phase::held)) return std::nullopt;
    level.number = next_level_number();
    level.max_hold_until = max_hold_until;
    if (level.lock_delay.count() > 0) tenure->have_extras();
    keeper.make_room(); // from the level on nothing may fail
    if (tenure->levels.empty()) tenure->held_since = sent_at;
    if (tenure->token == 0) tenure->token = token;
    tenure->levels.push_back(level);
    tenure->longest_ever = std::max(tenure->longest_ever, level.lease);
    if (level.is_kept_or_delayed()) {
        if (level.lock_delay > tenure->lock_delay()) tenure->have_extras().lock_delay = level.lock_delay;
        tenure->longest_ever =
            std::max({tenure->longest_ever, level.lease + level.lock_delay, time_until(level.kept_until, sent_at)});
    }
    tenure->record->tenures.has_acquired(*tenure);
    tenure->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    if (auto* const others = tenure->record->contended.get()) {
        others->busy_until = base::instant::min();
        // The server gave it to another one of ours: what is handed off was ended there, by force or with its lease.
        if (others->in_handoff) stop_handoff(*tenure->record, sent_at, sent_at);
        others->turn.on_acquired(sent_at);
    }
    keeper.acknowledged(tenure, level.lease, sent_at);
    ++counted.acquired;
    return level;
}

void lock_table::set_minimum_hold(tenure& tenure, std::uint64_t level_number, base::instant until,
                                  base::instant now) noexcept {
    for (auto& one : tenure.levels) {
        if (one.number != level_number) continue;
        one.kept_until = until;
        one.provisional = false;
        tenure.longest_ever = std::max(tenure.longest_ever, time_until(until, now));
    }
}

void lock_table::confirm(tenure& tenure, std::uint64_t level_number) noexcept {
    for (auto& one : tenure.levels)
        if (one.number == level_number) one.provisional = false;
}

void lock_table::forget_record_of(tenure& tenure) noexcept {
    thread_tenures::leave(tenure);
    if (!tenure.record->parts().empty()) parts.remove(tenure);
    tenure.record->tenures.remove(tenure);
}

void lock_table::thread_ended(std::uint64_t owner_number) {
    std::vector<notice> holding; // first what may throw
    for (auto* one = threads.first(owner_number); one != nullptr; one = one->next_of_thread)
        if (one->in(tenure::phase::held))
            holding.push_back({notice::kind::thread_exited, one->record->tenures.of(*one)});
    notices_.reserve(notices_.size() + holding.size());
    notices_.insert(notices_.end(), holding.begin(), holding.end());
    while (auto* const one = threads.first(owner_number)) {
        if (one->in(tenure::phase::lost))
            forget_record_of(*one);
        else
            thread_tenures::leave(*one);
    }
    threads.forget(owner_number);
}

void lock_table::end(tenure_ptr const& tenure, tenure::phase phase) {
    keeper.forget(tenure);
    watch_ended_ = watch_ended_ || tenure->watched;
    tenure->now_in.store(phase, std::memory_order_release); // pairs with tenure::in
}

void lock_table::give_up(tenure_ptr const& tenure, bool may_hold, base::milliseconds lease, base::instant now) {
    if (may_hold || tenure->late_copy_possible)
        dead.add({tenure->record, tenure->owner_id().str(), lease, tenure->late_copy_possible}, now, now);
    end(tenure, tenure::phase::ended);
    forget_record_of(*tenure);
}

lock_table::release_plan lock_table::plan_release(tenure_ptr const& tenure, std::uint64_t level_number,
                                                  base::instant now, base::wake_list& woken, beside_others beside) {
    auto const at = tenure->levels.find(level_number);
    if (at == tenure->levels.end()) return {};
    if (tenure->in(tenure::phase::held) && now >= tenure->validity()) lose(tenure, now, woken);
    bool const capped = at->max_hold_until != base::never;
    bool const frees = tenure->minimum_hold_until() <= now && tenure->lock_delay().count() == 0;
    bool const alone = beside == beside_others::no; // what the other brings would be for whoever has the lock by then
    bool const may_hand_off = tenure->levels.size() == 1 && at->renewed && !capped && frees && alone;
    tenure->end_level(at);
    if (tenure->in(tenure::phase::lost)) {
        if (tenure->levels.empty()) forget_record_of(*tenure);
        return {release_plan::kind::lost};
    }
    REDLATCH_ASSERT(tenure->in(tenure::phase::held));
    if (!tenure->levels.empty()) {
        if (keeper.level_ended(tenure, capped, now)) note(notice::kind::recovered, tenure);
        return {release_plan::kind::partial, static_cast<int>(tenure->levels.size()), tenure->longest_lease()};
    }
    if (may_hand_off && hand_off(tenure, now, woken)) return {release_plan::kind::handed_off};
    end(tenure, tenure::phase::releasing);
    forget_record_of(*tenure);
    releases_under_way.fetch_add(1, std::memory_order_relaxed);
    release_plan plan{release_plan::kind::last};
    plan.then = next_head_wake(*tenure->record, now);
    end_handoffs(*tenure->record, now);
    return plan;
}

// --- hand-off within the process

/// One of this process has it no more. Where the server has given it to another one here since then, the time is that one's.
void lock_table::end_handoffs(lock_record& record, base::instant now) const {
    auto* const others = record.contended.get();
    if (others != nullptr && !others->in_handoff && !holder(record, now)) others->handoff.reset();
}

/// True: the level that has just ended was for the next one here, and the server need not know.
bool lock_table::hand_off(tenure_ptr const& tenure, base::instant now, base::wake_list& woken) {
    auto& of = *tenure->record;
    auto const& head = of.queue.head();
    if (!settings_.handoff.enabled || !of.how->local_handoff || !head || !head->waits || !head->accepts_handoff)
        return false;
    auto* const others = of.contend();
    if (others == nullptr) return false;
    // What another one here has got from the server since then was ended there by force: this is not handed off beside it.
    if (others->in_handoff) return false;
    // Where a renewal is due or overdue, the server is asked anyway.
    if (tenure->suspect.load(std::memory_order_relaxed) || tenure->renewal_in_flight || tenure->next_renewal <= now)
        return false;
    if (others->turn.over(settings_.handoff.time, now)) return false;
    switch (others->handoff.on_release(settings_.handoff, now)) {
    case local_handoff::release::to_the_server: return false;
    case local_handoff::release::to_the_head: grant(tenure, head, now, woken); break;
    case local_handoff::release::to_the_first:
        tenure->now_in.store(tenure::phase::handing_off, std::memory_order_release); // pairs with tenure::in
        others->in_handoff = tenure;
        if (others->handoff.wakes_head()) of.queue.tell_head(woken);
        break;
    }
    ++counted.released;
    tenure->end_operation(woken);
    return true;
}

/// The tenure of the waiter gets the id and the lease. It sent nothing under its own id, or that has been denied.
/// By value: what it is called with is the record's in_handoff and the queue's head, and both change.
void lock_table::grant(tenure_ptr const from, waiter_ptr const waiter, base::instant now, base::wake_list& woken) {
    auto const& to = waiter->whose;
    REDLATCH_ASSERT(to->in(tenure::phase::acquiring) && !to->late_copy_possible);
    REDLATCH_ASSERT(from->own_suffix().empty() && to->own_suffix().empty()); // of kinds that are not handed off
    to->serial = from->serial;
    to->late_copy_possible = from->late_copy_possible;
    auto what = waiter->asked;
    what.number = next_level_number();
    if (waiter->max_hold) what.max_hold_until = base::later(now, *waiter->max_hold);
    to->levels.push_back(what);
    to->longest_ever = std::max(from->longest_ever, what.lease);
    to->held_since = from->held_since; // it is the id that others contradict
    to->record->tenures.has_acquired(*to);
    to->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    auto& of = *from->record;
    // The next one of the queue sleeps on. Where this hold lasts, it has to look whether somebody else has ended it.
    if (of.queue.has_second()) to->wake_head_at = base::later(now, acquire_op::trusts_own_hold);
    keeper.succeed(from, to);
    of.contended->in_handoff.reset();
    of.contended->handoff.end_barging();
    from->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
    forget_record_of(*from);
    ++counted.acquired;
    to->end_operation(woken);
    of.queue.leave_silently(waiter);
    waiter->level_number = what.number;
    waiter->granted.store(true, std::memory_order_release); // pairs with the waiter's acquire
    woken.add(waiter->waker);
}

std::optional<level> lock_table::retake(lock_record& record, std::uint64_t owner_number, level level,
                                        base::instant now) {
    auto const tenure = in_handoff(record);
    if (!tenure || tenure->owner_number != owner_number || tenure->in_operation || now >= tenure->validity())
        return std::nullopt;
    auto& others = *record.contended;
    if (!level.can_pass() || level.max_hold_until != base::never || !others.handoff.may_retake(now))
        return std::nullopt;
    others.in_handoff.reset();
    others.handoff.retaken();
    level.number = next_level_number();
    tenure->levels.push_back(level);
    tenure->token = 0;                                             // that of the one who has released it
    tenure->confirmed_by = -1;                                     // the same
    tenure->lost_source = std::stop_source(std::nostopstate);      // that of the one who has released it
    tenure->times_retaken.fetch_add(1, std::memory_order_relaxed); // before the phase: whoever reads that one sees this
    tenure->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    ++counted.acquired;
    return level;
}

void lock_table::stop_handoff(lock_record& record, base::instant reap_at, base::instant now) {
    auto const tenure = in_handoff(record);
    dead.add({tenure->record, tenure->owner_id().str(), tenure->longest_ever, tenure->late_copy_possible}, reap_at,
             now); // may throw
    record.contended->in_handoff.reset();
    end(tenure, tenure::phase::ended);
    forget_record_of(*tenure);
    record.contended->handoff.reset();
}

lock_table::finding lock_table::look(waiter_ptr const& waiter, base::instant now, base::wake_list& woken) {
    using kind = finding::kind;
    if (waiter->released.load(std::memory_order_relaxed) && std::exchange(waiter->told_to_yield, false)) {
        waiter->released.store(false, std::memory_order_relaxed);
        wait_no_more(*waiter, now);
        return {kind::free, base::never, true, true, waiter->sample};
    }
    // This look answers it. Others have been told that our turn goes on: it does, for this once.
    bool const told = waiter->released.exchange(false, std::memory_order_relaxed);
    waiter->yields = false;
    if (waiter->granted.load(std::memory_order_relaxed)) return {kind::granted};
    auto& of = *waiter->whose->record;
    if (auto const handed_off = in_handoff(of); handed_off && now < handed_off->validity()) {
        if (of.queue.head() == waiter && waiter->accepts_handoff) {
            grant(handed_off, waiter, now, woken);
            return {kind::granted};
        }
        return {kind::held_here, handed_off->validity()}; // the head is on its way
    }
    if (auto const one = holder(of, now); one && !one->suspect.load(std::memory_order_relaxed)) {
        if (auto* const others = of.contend()) others->handoff.head_came_too_late();
        waiter->waits = true;
        return {kind::held_here, one->validity()};
    }
    wait_no_more(*waiter, now);
    auto* const others = of.contended.get();
    if (!told && settings_.handoff.enabled && others != nullptr && others->turn.over(settings_.handoff.time, now)) {
        others->turn.begin_anew();
        return {kind::free, base::never, true, false, others->turn.own_release()};
    }
    return {};
}

bool lock_table::accept(waiter_ptr const& waiter) {
    waiter->accepted = waiter->whose->in(tenure::phase::held);
    if (!waiter->accepted) forget_unseen(waiter->whose);
    return waiter->accepted;
}

/// It was lost before its waiter saw that it had it: no caller will have its level, so none can give it back.
void lock_table::forget_unseen(tenure_ptr const& tenure) {
    tenure->levels.clear();
    forget_record_of(*tenure);
}

bool lock_table::leave(waiter_ptr const& waiter, base::instant now, base::wake_list& woken) {
    if (waiter->granted.load(std::memory_order_relaxed)) {
        if (!waiter->accepted && waiter->whose->in(tenure::phase::lost)) forget_unseen(waiter->whose);
        return true;
    }
    auto& of = *waiter->whose->record;
    of.queue.leave(waiter, woken);
    if (in_handoff(of) && (!of.queue.head() || !of.queue.head()->waits || !of.queue.head()->accepts_handoff))
        stop_handoff(of, now, now);
    return false;
}

// --- the end on the server

void lock_table::end_release(base::wake_list& woken) {
    auto const before = releases_under_way.fetch_sub(1, std::memory_order_release); // pairs with the closer's look
    REDLATCH_ASSERT(before > 0);
    if (before == 1) woken.add(closer);
}

void lock_table::confirmed(tenure_ptr const& tenure, base::milliseconds lease, base::instant sent_at) {
    keeper.acknowledged(tenure, lease, sent_at);
}

void lock_table::released(tenure_ptr const& tenure, bool announced, base::instant now) {
    if (!announced) dead.add({tenure->record, tenure->owner_id().str(), tenure->longest_ever, false, true}, now, now);
    ++counted.released;
    tenure->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
    if (announced && dead.remembers_departures())
        dead.on_departed(tenure->record, tenure->owner_id().view(), tenure->longest_ever, tenure->minimum_hold_until(),
                         now);
    if (!tenure->late_copy_possible) return;
    dead.sweep({tenure->record, tenure->owner_id().str(), tenure->longest_ever, true}, now);
}

/// Of one that was held.
reaper::dead_id lock_table::dead_id_of(tenure const& tenure) {
    return {.record = tenure.record,
            .owner_id = tenure.owner_id().str(),
            .lease = tenure.longest_ever,
            .late_copy_possible = tenure.late_copy_possible,
            .kept_until = tenure.minimum_hold_until()};
}

void lock_table::hand_to_reaper(tenure_ptr const& tenure, base::instant now) {
    dead.add(dead_id_of(*tenure), now, now);                               // may throw
    tenure->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
}

void lock_table::abandon(tenure_ptr const& tenure, std::uint64_t level_number, base::instant now,
                         base::wake_list& woken) {
    auto const at = tenure->levels.find(level_number);
    if (at == tenure->levels.end()) return;
    bool const last = tenure->levels.size() == 1;
    if (last && tenure->in(tenure::phase::held)) {
        dead.add(dead_id_of(*tenure), now, now); // may throw
        end(tenure, tenure::phase::ended);
        end_handoffs(*tenure->record, now);
        tenure->record->queue.tell_head(woken);
    }
    tenure->end_level(at);
    if (last)
        forget_record_of(*tenure);
    else if (tenure->in(tenure::phase::held))
        keeper.level_ended(tenure, true, now); // the next write corrects the server's count
}

lock_table::head_wake lock_table::next_head_wake(lock_record& record, base::instant now) {
    auto* const others = record.queue.empty() ? record.contended.get() : record.contend();
    if (record.queue.empty()) {
        if (others != nullptr) others->head_wakes.reset();
        return head_wake::nobody;
    }
    if (others == nullptr) return head_wake::yielding;
    if (others->handoff.time_is_over() || others->turn.over(settings_.handoff.time, now)) {
        others->turn.begin_anew();
        return head_wake::yielding;
    }
    return others->head_wakes.at_once(now) ? head_wake::at_once : head_wake::yielding;
}

void lock_table::end_everything(base::instant now, base::wake_list& woken) {
    for (auto const& tenure : keeper.all()) lose(tenure, now, woken);
    records.for_each([&](record_ptr const& record) {
        record->queue.wake_all(woken);
        for (auto const& tenure : record->tenures) {
            tenure->wake_operation_waiters(woken);
            if (!tenure->in(tenure::phase::acquiring)) continue;
            dead.add({record, tenure->owner_id().str(), settings_.watchdog, tenure->late_copy_possible}, now, now);
            tenure->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
        }
    });
}

} // namespace redlatch::locking
