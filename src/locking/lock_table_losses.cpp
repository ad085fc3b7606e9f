// Holds that end before their release: with their lease, by force, and where the server has given the lock to another owner.
#include "locking/lock_table.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

void lock_table::lose(tenure_ptr const& tenure, base::instant now, base::wake_list& woken) {
    // While its holder cleans up, the key stays as it is: what was promised to hold until validity plus margin does.
    auto const reap_at = base::later(now, margin_of(tenure->longest_ever) + tenure->lock_delay());
    if (tenure->in(tenure::phase::handing_off)) { // nobody here held it
        stop_handoff(*tenure->record, reap_at, now);
        return tenure->record->queue.tell_head(woken);
    }
    if (!tenure->in(tenure::phase::held)) return;
    note(notice::kind::lost, tenure); // first what may throw
    auto id = dead_id_of(*tenure);
    if (tenure->lock_delay().count() > 0) id.not_before = reap_at;
    // A release that keeps the lock for longer than the key would stay frees nothing, and has to come while there is a key.
    auto const first = id.kept_until > reap_at ? now : reap_at;
    dead.add(std::move(id), first, now);
    tenure->end_validity(now);
    end(tenure, tenure::phase::lost);
    end_handoffs(*tenure->record, now);
    ++counted.lost;
    tenure->record->queue.tell_head(woken); // it relied on this hold
}

void lock_table::lose_others(tenure_ptr const& taken, base::instant sent_at, base::instant now,
                             base::wake_list& woken) {
    auto const& how = *taken->record->how;
    auto const lose_held = [&](lock_record const& lock, auto const& contradicted) {
        auto const all = lock.tenures.acquired(); // who is lost stays there
        auto const first = [&] {
            return std::find_if(all.begin(), all.end(), [&](tenure_ptr const& one) {
                return one->holds(now) && one->held_since < sent_at && contradicted(*one);
            });
        };
        for (auto at = first(); at != all.end(); at = first()) lose(tenure_ptr(*at), now, woken);
    };
    if (!how.shared) lose_held(*taken->record, [&](tenure const& one) { return &one != taken.get(); });
    auto const other = other_half(*taken->record);
    if (other) lose_held(*other, [&](tenure const& one) { return one.owner_number != taken->owner_number; });
}

void lock_table::lose_all(lock_record const& record, base::instant until, base::instant now, base::wake_list& woken) {
    auto const lose_held = [&](lock_record const& lock) {
        for (auto const& one : holders(lock, now))
            if (one->held_since < until) lose(one, now, woken);
    };
    lose_held(record);
    if (auto const other = other_half(record)) lose_held(*other);
}

void lock_table::apply(lease_keeper::effects& found, base::instant now, base::wake_list& woken) {
    for (auto const& tenure : found.suspect) {
        if (tenure->in(tenure::phase::held)) note(notice::kind::suspect, tenure);
        tenure->record->queue.tell_head(woken); // it is not sure any more that we hold the lock
    }
    for (auto const& tenure : found.recovered)
        if (tenure->in(tenure::phase::held)) note(notice::kind::recovered, tenure);
    for (auto const& tenure : found.waited_for)
        if (auto const& head = tenure->record->queue.head()) woken.add(head->waker);
    for (auto const& tenure : found.lost) lose(tenure, now, woken);
}

} // namespace redlatch::locking
