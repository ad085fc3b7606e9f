#include "locking/lock_table.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

namespace redlatch::locking {

lock_table::lock_table(settings const& how)
    : keeper({how.watchdog, how.margin, how.renewal_batch, how.watch_from}, how.seed), settings_(how),
      random_(~how.seed) {}

lock_table::~lock_table() {
    // A tenure that was never given back, or whose waiter never left, and its record keep each other.
    for (auto const& [key, weak] : records_) {
        auto const one = weak.lock();
        if (!one) continue;
        one->tenures.clear();
        one->passing.reset();
        one->queue = {};
    }
}

record_ptr lock_table::record(std::string const& name, recipe const& kind) {
    if (records_.size() >= prune_at_) {
        std::erase_if(records_, [](auto const& one) { return one.second.expired(); });
        prune_at_ = std::max<std::size_t>(64, records_.size() * 2);
    }
    auto& known = records_[{&kind, name}];
    auto found = known.lock();
    if (!found) {
        found = std::make_shared<lock_record>(name, kind, random_.next());
        known = found;
    }
    return found;
}

void lock_table::remember(record_ptr const& which, base::instant now) {
    bool const known = which->remembered_until != base::never;
    which->remembered_until = base::later(now, remembered_for);
    if (!known) remembered_.push_back(which);
    while (remembered_.front()->remembered_until <= now || remembered_.size() > most_remembered) {
        remembered_.front()->remembered_until = base::never;
        remembered_.pop_front();
    }
    // One that is used all the time must not hide those behind it.
    if (remembered_.front() != which) {
        remembered_.push_back(std::move(remembered_.front()));
        remembered_.pop_front();
    }
}

void lock_table::keep_refused(record_ptr const& which) {
    if (std::find(refused_.begin(), refused_.end(), which) != refused_.end()) return;
    refused_.push_back(which);
    if (refused_.size() > most_remembered) refused_.pop_front();
}

tenure_ptr lock_table::current(lock_record const& of, std::uint64_t owner_number) const noexcept {
    return of.tenures.current(owner_number);
}

tenure_ptr lock_table::holder(lock_record const& of, base::instant now) const noexcept {
    for (auto const& one : of.tenures.acquired())
        if (one->holds(now)) return one;
    return nullptr;
}

bool lock_table::is_watched(lock_record const& of) noexcept {
    auto const all = of.tenures.acquired();
    return std::any_of(all.begin(), all.end(), [](tenure_ptr const& one) {
        return one->watched && (one->in(tenure::phase::held) || one->in(tenure::phase::passing));
    });
}

void lock_table::assign_id(tenure& which) {
    which.serial = ++last_serial_;
    char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
    auto const end = std::to_chars(std::begin(digits), std::end(digits), which.serial).ptr;
    auto const length = static_cast<std::size_t>(end - digits);
    which.owner_id.clear();
    which.owner_id.append(settings_.client_id).append(1, ':').append(digits, length);
}

tenure_ptr lock_table::open(record_ptr const& of, std::uint64_t owner_number) {
    auto fresh = std::allocate_shared<tenure>(base::recycling<tenure>());
    fresh->owner_id = base::spare_text(base::text_for::name);
    fresh->record = of;
    fresh->owner_number = owner_number;
    assign_id(*fresh);
    of->tenures.add(fresh);
    join_thread(*fresh);
    return fresh;
}

void lock_table::change_id(tenure_ptr const& which, base::milliseconds lease, base::instant now) {
    if (!which->in(tenure::phase::acquiring)) return; // the client has closed: end_everything has seen to the old id
    dead.add({which->record, which->owner_id, lease, which->unfenced}, now, now);
    which->unfenced = false;
    assign_id(*which);
}

std::optional<level> lock_table::take(tenure_ptr const& which, level what, base::instant sent_at,
                                      base::instant max_hold_until, std::uint64_t token) {
    if (!which->in(tenure::phase::acquiring) && !which->in(tenure::phase::held)) return std::nullopt;
    what.number = next_level_number();
    what.max_hold_until = max_hold_until;
    keeper.make_room(); // from the level on nothing may fail
    if (which->levels.empty()) which->token = token;
    which->levels.push_back(what);
    which->longest_ever = std::max(which->longest_ever, what.lease);
    which->record->tenures.has_acquired(*which);
    which->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    which->record->busy_until = base::instant::min();
    // The server gave it to another one of ours: what passes was ended there, by force or with its lease.
    if (which->record->passing) stop_passing(*which->record, sent_at, sent_at);
    which->record->turn.on_acquired(sent_at);
    keeper.acknowledged(which, what.lease, sent_at);
    ++counted.acquired;
    return what;
}

void lock_table::forget_record_of(tenure& which) noexcept {
    leave_thread(which);
    which.record->tenures.remove(which);
}

// --- whose thread it is

std::pair<std::uint64_t const, tenure*>* lock_table::find_thread(std::uint64_t owner_number) noexcept {
    if (last_thread_ != nullptr && last_thread_->first == owner_number) return last_thread_;
    auto const found = threads_.find(owner_number);
    if (found == threads_.end()) return nullptr;
    return last_thread_ = &*found;
}

void lock_table::join_thread(tenure& which) noexcept {
    auto* const found = find_thread(which.owner_number);
    if (found == nullptr) return;
    which.next_of_thread = found->second;
    which.thread_link = &found->second;
    if (which.next_of_thread != nullptr) which.next_of_thread->thread_link = &which.next_of_thread;
    found->second = &which;
}

void lock_table::leave_thread(tenure& which) noexcept {
    if (which.thread_link == nullptr) return;
    *which.thread_link = which.next_of_thread;
    if (which.next_of_thread != nullptr) which.next_of_thread->thread_link = which.thread_link;
    which.thread_link = nullptr;
    which.next_of_thread = nullptr;
}

void lock_table::thread_ended(std::uint64_t owner_number) {
    auto* const found = find_thread(owner_number);
    if (found == nullptr) return;
    std::vector<notice> holding; // first what may throw
    for (auto* one = found->second; one != nullptr; one = one->next_of_thread)
        if (one->in(tenure::phase::held))
            holding.push_back({notice::kind::thread_exited, one->record->tenures.of(*one)});
    notices_.reserve(notices_.size() + holding.size());
    notices_.insert(notices_.end(), holding.begin(), holding.end());
    while (auto* const one = found->second) {
        if (one->in(tenure::phase::lost))
            forget_record_of(*one);
        else
            leave_thread(*one);
    }
    last_thread_ = nullptr;
    threads_.erase(owner_number);
}

void lock_table::end(tenure_ptr const& which, tenure::phase how) {
    keeper.forget(which);
    watch_ended_ = watch_ended_ || which->watched;
    which->now_in.store(how, std::memory_order_release); // pairs with tenure::in
}

void lock_table::give_up(tenure_ptr const& which, bool may_hold, base::milliseconds lease, base::instant now) {
    if (may_hold || which->unfenced) dead.add({which->record, which->owner_id, lease, which->unfenced}, now, now);
    end(which, tenure::phase::ended);
    forget_record_of(*which);
}

lock_table::release_plan lock_table::plan_release(tenure_ptr const& which, std::uint64_t level_number,
                                                  base::instant now, base::wake_list& woken) {
    auto const at = std::find_if(which->levels.begin(), which->levels.end(),
                                 [&](level const& one) { return one.number == level_number; });
    if (at == which->levels.end()) return {};
    if (which->in(tenure::phase::held) && now >= which->validity()) lose(which, now, woken);
    bool const capped = at->max_hold_until != base::never;
    bool const passable = which->levels.size() == 1 && at->renewed && !capped;
    which->levels.erase(at);
    if (which->in(tenure::phase::lost)) {
        if (which->levels.empty()) forget_record_of(*which);
        return {release_plan::kind::lost};
    }
    REDLATCH_ASSERT(which->in(tenure::phase::held));
    if (!which->levels.empty()) {
        if (keeper.level_ended(which, capped, now)) note(notice::kind::recovered, which);
        return {release_plan::kind::partial, static_cast<int>(which->levels.size()), which->longest_lease()};
    }
    if (passable && pass_on(which, now, woken)) return {release_plan::kind::passed};
    end(which, tenure::phase::releasing);
    forget_record_of(*which);
    releases_under_way.fetch_add(1, std::memory_order_relaxed);
    release_plan plan{release_plan::kind::last};
    plan.then = next_hand_on(*which->record, now);
    end_passes(*which->record, now);
    return plan;
}

// --- passing on within the process

/// One of this process has it no more. Where the server has given it to another one here since then, the time is that one's.
void lock_table::end_passes(lock_record& of, base::instant now) const {
    if (!of.passing && !holder(of, now)) of.passes.reset();
}

void lock_table::give_turn_back(tenure& which, base::wake_list& woken) {
    which.in_turn = false;
    for (auto const& who : std::exchange(which.turn_waiters, {})) woken.add(who);
}

/// True: the level that has just ended was for the next one here, and the server need not know.
bool lock_table::pass_on(tenure_ptr const& which, base::instant now, base::wake_list& woken) {
    auto& of = *which->record;
    auto const& head = of.queue.head();
    if (!settings_.passing.enabled || !of.how->local_handoff || !head || !head->waits || !head->passable) return false;
    // What another one here has got from the server since then was ended there by force: it must not pass beside that.
    if (of.passing) return false;
    // Where a renewal is due or overdue, the server is asked anyway.
    if (which->suspect.load(std::memory_order_relaxed) || which->renewal_in_flight || which->next_renewal <= now)
        return false;
    if (of.turn.over(settings_.passing.time, now)) return false;
    switch (of.passes.on_release(settings_.passing, now)) {
    case local_passing::release::to_the_server: return false;
    case local_passing::release::to_the_head: grant(which, head, now, woken); break;
    case local_passing::release::to_the_first:
        which->now_in.store(tenure::phase::passing, std::memory_order_release); // pairs with tenure::in
        of.passing = which;
        if (of.passes.wakes_head()) of.queue.tell_head(woken);
        break;
    }
    ++counted.released;
    give_turn_back(*which, woken);
    return true;
}

/// The tenure of the waiter gets the id and the lease. It sent nothing under its own id, or that has been denied.
/// By value: what it is called with is the record's passing and the queue's head, and both change.
void lock_table::grant(tenure_ptr const from, place_ptr const place, base::instant now, base::wake_list& woken) {
    auto const& to = place->whose;
    REDLATCH_ASSERT(to->in(tenure::phase::acquiring) && !to->unfenced);
    to->owner_id = from->owner_id;
    to->serial = from->serial;
    to->unfenced = from->unfenced;
    auto what = place->asked;
    what.number = next_level_number();
    if (place->max_hold) what.max_hold_until = base::later(now, *place->max_hold);
    to->levels.push_back(what);
    to->longest_ever = std::max(from->longest_ever, what.lease);
    to->record->tenures.has_acquired(*to);
    to->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    keeper.succeed(from, to);
    auto& of = *from->record;
    of.passing.reset();
    of.passes.end_barging();
    from->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
    forget_record_of(*from);
    ++counted.acquired;
    give_turn_back(*to, woken);
    of.queue.leave_silently(place);
    place->level_number = what.number;
    place->granted.store(true, std::memory_order_release); // pairs with the waiter's acquire
    woken.add(place->waker);
}

std::optional<level> lock_table::retake(lock_record& of, std::uint64_t owner_number, level what, base::instant now) {
    auto const which = of.passing;
    if (!which || which->owner_number != owner_number || which->in_turn || now >= which->validity())
        return std::nullopt;
    if (!what.renewed || what.max_hold_until != base::never || !of.passes.may_retake(now)) return std::nullopt;
    of.passing.reset();
    of.passes.retaken();
    what.number = next_level_number();
    which->levels.push_back(what);
    which->lost_source = std::stop_source(std::nostopstate);      // that of the one who has released it
    which->times_retaken.fetch_add(1, std::memory_order_relaxed); // before the phase: whoever reads that one sees this
    which->now_in.store(tenure::phase::held, std::memory_order_release); // pairs with tenure::in
    ++counted.acquired;
    return what;
}

void lock_table::stop_passing(lock_record& of, base::instant reap_at, base::instant now) {
    auto const which = of.passing;
    dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, reap_at, now); // may throw
    of.passing.reset();
    end(which, tenure::phase::ended);
    forget_record_of(*which);
    of.passes.reset();
}

lock_table::finding lock_table::look(place_ptr const& place, base::instant now, base::wake_list& woken) {
    using kind = finding::kind;
    // This look answers it. Others have been told that our turn goes on: it does, for this once.
    bool const told = place->released.exchange(false, std::memory_order_relaxed);
    place->yields = false;
    if (place->granted.load(std::memory_order_relaxed)) return {kind::granted};
    auto& of = *place->whose->record;
    if (of.passing && now < of.passing->validity()) {
        if (of.queue.head() == place && place->passable) {
            grant(of.passing, place, now, woken);
            return {kind::granted};
        }
        return {kind::held_here, of.passing->validity()}; // the head is on its way
    }
    if (auto const one = holder(of, now); one && !one->suspect.load(std::memory_order_relaxed)) {
        of.passes.head_came_too_late();
        place->waits = true;
        return {kind::held_here, one->validity()};
    }
    wait_no_more(*place, now);
    if (!told && settings_.passing.enabled && of.turn.over(settings_.passing.time, now)) {
        of.turn.begin_anew();
        return {kind::free, base::never, true, of.turn.own_release};
    }
    return {};
}

bool lock_table::accept(place_ptr const& place) {
    place->accepted = place->whose->in(tenure::phase::held);
    if (!place->accepted) forget_unseen(place->whose);
    return place->accepted;
}

/// It was lost before its waiter saw that it had it: no caller will have its level, so none can give it back.
void lock_table::forget_unseen(tenure_ptr const& which) {
    which->levels.clear();
    forget_record_of(*which);
}

bool lock_table::leave(place_ptr const& place, base::instant now, base::wake_list& woken) {
    if (place->granted.load(std::memory_order_relaxed)) {
        if (!place->accepted && place->whose->in(tenure::phase::lost)) forget_unseen(place->whose);
        return true;
    }
    auto& of = *place->whose->record;
    of.queue.leave(place, woken);
    if (of.passing && (!of.queue.head() || !of.queue.head()->waits || !of.queue.head()->passable))
        stop_passing(of, now, now);
    return false;
}

// --- the end on the server

void lock_table::end_release(base::wake_list& woken) {
    auto const before = releases_under_way.fetch_sub(1, std::memory_order_release); // pairs with the closer's look
    REDLATCH_ASSERT(before > 0);
    if (before == 1) woken.add(closer);
}

void lock_table::confirmed(tenure_ptr const& which, base::milliseconds lease, base::instant sent_at) {
    keeper.acknowledged(which, lease, sent_at);
}

void lock_table::released(tenure_ptr const& which, bool announced, base::instant now) {
    if (!announced) dead.add({which->record, which->owner_id, which->longest_ever, false, true}, now, now);
    ++counted.released;
    which->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
    if (!which->unfenced) return;
    dead.sweep({which->record, which->owner_id, which->longest_ever, true}, now);
}

void lock_table::hand_to_reaper(tenure_ptr const& which, base::instant now) {
    dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, now, now); // may throw
    which->now_in.store(tenure::phase::ended, std::memory_order_release);                       // pairs with tenure::in
}

void lock_table::abandon(tenure_ptr const& which, std::uint64_t level_number, base::instant now,
                         base::wake_list& woken) {
    auto const mine = [&](level const& one) { return one.number == level_number; };
    if (std::none_of(which->levels.begin(), which->levels.end(), mine)) return;
    bool const last = which->levels.size() == 1;
    if (last && which->in(tenure::phase::held)) {
        dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, now, now); // may throw
        end(which, tenure::phase::ended);
        end_passes(*which->record, now);
        which->record->queue.tell_head(woken);
    }
    std::erase_if(which->levels, mine);
    if (last)
        forget_record_of(*which);
    else if (which->in(tenure::phase::held))
        keeper.level_ended(which, true, now); // the next write corrects the server's count
}

void lock_table::lose(tenure_ptr const& which, base::instant now, base::wake_list& woken) {
    // While its holder cleans up, the key stays as it is: what was promised to hold until validity plus margin does.
    auto const reap_at = base::later(now, margin_of(which->longest_ever));
    if (which->in(tenure::phase::passing)) { // nobody here held it
        stop_passing(*which->record, reap_at, now);
        return which->record->queue.tell_head(woken);
    }
    if (!which->in(tenure::phase::held)) return;
    note(notice::kind::lost, which); // first what may throw
    dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, reap_at, now);
    end(which, tenure::phase::lost);
    end_passes(*which->record, now);
    ++counted.lost;
    which->record->queue.tell_head(woken); // it relied on this hold
}

lock_table::hand_on lock_table::next_hand_on(lock_record& of, base::instant now) {
    if (of.queue.empty()) {
        of.handovers = 0;
        return hand_on::nobody;
    }
    if (of.passes.time_is_over() || of.turn.over(settings_.passing.time, now)) {
        of.turn.begin_anew();
        return hand_on::held_back;
    }
    if (of.handovers == 0) of.handovers_began = now;
    ++of.handovers;
    if (of.handovers <= most_handovers && now - of.handovers_began <= longest_handover) return hand_on::at_once;
    of.handovers = 0;
    return hand_on::held_back;
}

void lock_table::end_everything(base::instant now, base::wake_list& woken) {
    for (auto const& which : std::vector(keeper.all().begin(), keeper.all().end())) lose(which, now, woken);
    for (auto const& [key, weak] : records_) {
        auto const one = weak.lock();
        if (!one) continue;
        one->queue.wake_all(woken);
        for (auto const& which : one->tenures) {
            for (auto const& who : which->turn_waiters) woken.add(who);
            if (!which->in(tenure::phase::acquiring)) continue;
            dead.add({one, which->owner_id, settings_.watchdog, which->unfenced}, now, now);
            which->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs with tenure::in
        }
    }
}

void lock_table::apply(lease_keeper::effects& found, base::instant now, base::wake_list& woken) {
    for (auto const& which : found.suspect) {
        if (which->in(tenure::phase::held)) note(notice::kind::suspect, which);
        which->record->queue.tell_head(woken); // it is not sure any more that we hold the lock
    }
    for (auto const& which : found.recovered)
        if (which->in(tenure::phase::held)) note(notice::kind::recovered, which);
    for (auto const& which : found.lost) lose(which, now, woken);
}

} // namespace redlatch::locking
