#include "locking/lease_keeper.hpp"

#include "base/assert.hpp"
#include "locking/lock_record.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace redlatch::locking {

namespace {

/// Of the watchdog timeout: so much earlier a lock is renewed together with others.
constexpr int together = 12;

/// The key is to stay: for its holder here, or for the next one, who has not come yet.
bool is_kept(tenure const& tenure) {
    return tenure.in(tenure::phase::held) || tenure.in(tenure::phase::handing_off);
}

/// At max_hold the validity ends, and nothing is renewed that could not last any longer.
bool can_last_longer(tenure const& tenure) {
    return tenure.validity() < tenure.max_hold_until();
}

/// At next_renewal.
bool is_to_be_asked(tenure const& tenure) {
    return !tenure.renewal_in_flight && (tenure.in_question || can_last_longer(tenure));
}

/// Of one that has a timer: it is among those of its record.
tenure_ptr const& ptr_of(tenure const& tenure) {
    REDLATCH_ASSERT(tenure.list_index != tenure::not_listed);
    return tenure.record->tenures.of(tenure);
}

} // namespace

lease_keeper::lease_keeper(settings const& config, std::uint64_t seed) : settings_(config), random_(seed) {}

void lease_keeper::acknowledged(tenure_ptr const& tenure, base::milliseconds lease, base::instant sent_at) {
    if (!is_kept(*tenure)) return;
    auto const promised = base::later(sent_at, lease - validity_margin(lease, settings_.margin));
    auto const until = std::min(std::max(promised, tenure->validity()), tenure->max_hold_until());
    tenure->valid_until.store(until.time_since_epoch().count(), std::memory_order_release);
    if (tenure->renewed() && lease >= settings_.watchdog) {
        tenure->next_renewal = base::later(sent_at, settings_.watchdog / 3);
        tenure->suspect_at = base::later(sent_at, settings_.watchdog / 2);
        tenure->suspect.store(false, std::memory_order_relaxed);
    } else if (tenure->renewed() && tenure->suspect_at == base::never) {
        tenure->next_renewal = sent_at; // a watchdog level joined: the key's present life is unknown, so renew now
        tenure->suspect_at = base::later(sent_at, settings_.watchdog / 2);
    }
    reschedule(tenure);
}

/// So old that its channel is to be listened to from then on.
base::instant lease_keeper::watch_at(tenure const& tenure) const noexcept {
    if (tenure.watched || settings_.watch_from.count() == 0) return base::never;
    return base::later(tenure.held_since, settings_.watch_from);
}

void lease_keeper::reschedule(tenure_ptr const& tenure) {
    if (!tenure->renewed()) tenure->suspect_at = base::never;
    if (!tenure->renewed() && !tenure->in_question) tenure->next_renewal = base::never;
    auto when = std::min({tenure->validity(), watch_at(*tenure), tenure->wake_head_at});
    if (is_to_be_asked(*tenure)) when = std::min(when, tenure->next_renewal);
    if (can_last_longer(*tenure) && !tenure->suspect.load(std::memory_order_relaxed))
        when = std::min(when, tenure->suspect_at);
    timers_.set(*tenure, when);
}

bool lease_keeper::level_ended(tenure_ptr const& tenure, bool capped, base::instant now) {
    // What ended may have been all that kept validity short: the answer to its release may never come.
    if (capped && tenure->renewed() && tenure->suspect_at != base::never)
        tenure->next_renewal = std::min(tenure->next_renewal, now);
    bool const was_suspect = !tenure->renewed() && tenure->suspect.exchange(false, std::memory_order_relaxed);
    reschedule(tenure);
    return was_suspect;
}

void lease_keeper::succeed(tenure_ptr const& from, tenure_ptr const& to) {
    timers_.pass_on(*from, *to);
    to->valid_until.store(std::min(from->validity(), to->max_hold_until()).time_since_epoch().count(),
                          std::memory_order_release);
    // The answer to a renewal under way is for `from`, who has left: ask again.
    to->next_renewal = from->renewal_in_flight ? base::instant() : from->next_renewal;
    to->suspect_at = from->suspect_at;
    to->refused_alone = from->refused_alone;
    to->watched = from->watched;
    reschedule(to);
}

void lease_keeper::collect(tenure_ptr const& tenure, renewal_batches& into) {
    tenure->renewal_in_flight = true;
    tenure->in_question = tenure->in_question || !tenure->renewed() || !can_last_longer(*tenure);
    // Where one that cannot last longer is asked about, another server may have the lock now, without the last renewal.
    tenure->is_only_asked = !tenure->renewed();
    into.add(tenure);
    reschedule(tenure);
}

void lease_keeper::collect_all(std::span<tenure_ptr const> tenures, effects& out) {
    auto batches = batches_to(out);
    for (auto const& one : tenures) collect(one, batches);
    batches.finish();
}

void lease_keeper::on_timer(base::instant now, effects& out) {
    auto batches = batches_to(out);
    while (!timers_.empty() && timers_.next() <= now) {
        auto const tenure = ptr_of(timers_.first());
        if (tenure->validity() <= now) {
            forget(tenure);
            out.lost.push_back(tenure);
            continue;
        }
        if (watch_at(*tenure) <= now) {
            tenure->watched = true;
            out.watch.push_back(tenure);
        }
        if (tenure->wake_head_at <= now) {
            tenure->wake_head_at = base::never;
            if (tenure->in(tenure::phase::held)) out.waited_for.push_back(tenure); // else the head has been told
        }
        if (can_last_longer(*tenure) && tenure->suspect_at <= now && !tenure->suspect.exchange(true))
            out.suspect.push_back(tenure);
        if (is_to_be_asked(*tenure) && tenure->next_renewal <= now)
            collect(tenure, batches);
        else
            reschedule(tenure);
    }
    if (batches.renews()) collect_soon(base::later(now, settings_.watchdog / together), batches);
    batches.finish();
}

/// What is due soon goes with what is due now: locks taken one after another would each have a script of their own.
void lease_keeper::collect_soon(base::instant soon, renewal_batches& into) {
    struct others { // whose next event is another one; they have timers again in any case, for which there is room
        lease_keeper& keeper;
        std::vector<tenure_ptr> all{};
        ~others() {
            for (auto const& one : all) keeper.reschedule(one);
        }
    } aside{*this};
    while (!timers_.empty() && timers_.next() <= soon) {
        auto const tenure = ptr_of(timers_.first());
        if (is_to_be_asked(*tenure) && tenure->next_renewal <= soon) {
            collect(tenure, into);
        } else {
            aside.all.push_back(tenure);
            forget(tenure);
        }
    }
}

std::vector<tenure_ptr> lease_keeper::all() const {
    std::vector<tenure_ptr> result;
    result.reserve(timers_.size());
    for (auto const& one : timers_.all()) result.push_back(ptr_of(*one.whose));
    return result;
}

void lease_keeper::verify_all(base::instant now, effects& out) {
    auto batches = batches_to(out);
    for (auto const& tenure : all())
        if (!tenure->renewal_in_flight && now < tenure->validity()) collect(tenure, batches);
    batches.finish();
}

void lease_keeper::verify(std::span<tenure_ptr const> tenures, base::instant now, effects& out) {
    auto batches = batches_to(out);
    for (auto const& tenure : tenures) {
        if (!tenure_timers::has(*tenure)) continue;
        if (tenure->renewal_in_flight) {
            tenure->doubted = true; // what is under way may have been answered before
        } else if (now < tenure->next_doubt) {
            ask_at(tenure, tenure->next_doubt);
        } else {
            tenure->next_doubt = base::later(now, between_doubts);
            collect(tenure, batches);
        }
    }
    batches.finish();
}

void lease_keeper::verify_soon(tenure_ptr const& tenure, base::instant now) {
    if (!tenure_timers::has(*tenure)) return;
    if (tenure->renewal_in_flight)
        tenure->doubted = true;
    else
        ask_at(tenure, base::later(now, 2 * between_doubts));
}

void lease_keeper::ask_at(tenure_ptr const& tenure, base::instant due_time) {
    tenure->in_question = true;
    tenure->next_renewal = std::min(tenure->next_renewal, due_time);
    reschedule(tenure);
}

wire_call lease_keeper::compose(batch const& tenures, base::milliseconds lease) {
    std::vector<owner_id_text> owners;
    std::vector<renewed_hold> holds;
    owners.reserve(tenures.size()); // so that what the holds refer to stays where it is
    holds.reserve(tenures.size());
    for (auto const& one : tenures)
        holds.push_back({one->record->name, owners.emplace_back(one->owner_id()), one->record->parts()});
    return renewal_of(tenures).compose(holds, lease);
}

void lease_keeper::on_answer(batch const& tenures, std::span<std::int64_t const> lost, base::milliseconds lease,
                             base::instant sent_at, effects& out) {
    for (std::size_t i = 0; i < tenures.size(); ++i) {
        auto const& one = tenures[i];
        one->renewal_in_flight = one->in_question = one->refused_alone = false;
        if (!is_kept(*one) || !tenure_timers::has(*one)) continue; // released or lost meanwhile
        if (std::find(lost.begin(), lost.end(), static_cast<std::int64_t>(i + 1)) != lost.end()) {
            forget(one);
            out.lost.push_back(one);
            continue;
        }
        if (lease > ownership_probe) {
            bool const was_suspect = one->suspect.load(std::memory_order_relaxed);
            acknowledged(one, lease, sent_at);
            if (was_suspect && !one->suspect.load(std::memory_order_relaxed)) out.recovered.push_back(one);
        }
        if (std::exchange(one->doubted, false))
            ask_at(one, std::max(sent_at, one->next_doubt));
        else
            reschedule(one);
    }
}

void lease_keeper::on_failure(batch const& tenures, base::instant now) {
    constexpr base::milliseconds pause{1'000};
    for (auto const& one : tenures) ask_later(one, now, std::min(pause, settings_.watchdog / 10));
}

void lease_keeper::ask_later(tenure_ptr const& tenure, base::instant now, base::milliseconds wait) {
    tenure->renewal_in_flight = false;
    if (!is_kept(*tenure) || !tenure_timers::has(*tenure)) return;
    if (tenure->renewed() || tenure->in_question)
        tenure->next_renewal = base::later(now, wait + base::milliseconds(random_.up_to(wait.count() / 4)));
    reschedule(tenure);
}

void lease_keeper::on_refusal(batch const& unanswered, base::instant now, effects& out) {
    if (unanswered.size() == 1) {
        auto const& one = unanswered.front();
        if (!std::exchange(one->refused_alone, true) && is_kept(*one)) out.refused.push_back(one);
        return ask_later(one, now, settings_.watchdog / 10);
    }
    batch still;
    for (auto const& one : unanswered) {
        one->renewal_in_flight = false;
        if (!is_kept(*one) || !tenure_timers::has(*one)) continue;
        if (now < one->validity())
            still.push_back(one);
        else
            reschedule(one); // the timer finds it lost
    }
    auto const half = std::span(still).first(still.size() / 2);
    collect_all(half, out);
    collect_all(std::span(still).subspan(half.size()), out);
}

void lease_keeper::on_interruption(batch const& unanswered, base::instant now, effects& out) {
    auto batches = batches_to(out);
    for (auto const& one : unanswered) {
        one->renewal_in_flight = false;
        if (!is_kept(*one) || !tenure_timers::has(*one)) continue;
        if (now < one->validity())
            collect(one, batches);
        else
            reschedule(one); // the timer finds it lost
    }
    batches.finish();
}

} // namespace redlatch::locking
