#include "locking/reaper.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace redlatch::locking {

namespace {

using namespace std::chrono_literals;

constexpr std::array<base::milliseconds, 4> sweep_pauses{1s, 4s, 10s, 15s}; // at 1, 5, 15, 30 s
constexpr base::milliseconds later_pause = 60s;
constexpr base::milliseconds shortest_retry = 50ms;
constexpr base::milliseconds longest_retry = 1s;

base::milliseconds retry_pause(int failures) {
    constexpr int most_doublings = 5;
    return std::min(longest_retry, shortest_retry * (1 << std::min(failures, most_doublings)));
}

/// Bytes of a broken connection that are still on their way after this long do not arrive.
constexpr base::milliseconds longest_delay = 60s;

} // namespace

void reaper::schedule(std::uint64_t number, entry& dead, base::instant due_time) {
    dead.due = due_time;
    by_time_.emplace(due_time, number);
}

std::uint64_t reaper::add(dead_id dead, base::instant first, base::instant now) {
    auto const number = ++last_number_;
    auto const place = entries_.emplace(number, entry{std::move(dead), first, now}).first;
    try {
        schedule(number, place->second, first);
    } catch (...) { // no memory: an entry without its time would stay for ever
        entries_.erase(place);
        throw;
    }
    return number;
}

void reaper::sweep(dead_id dead, base::instant now) {
    auto const first = base::later(now, sweep_pauses.front());
    entries_.at(add(std::move(dead), first, now)).sweeps = 1;
}

void reaper::on_departed(record_ptr const& record, std::string_view owner_id, base::milliseconds lease,
                         base::instant kept_until, base::instant now) noexcept {
    if (!remembers_) return;
    try {
        departed_.add(now, [&](dead_id& one) {
            one.owner_id = owner_id;
            one.record = record;
            one.lease = lease;
            one.kept_until = kept_until;
            one.has_departed = true;
        });
    } catch (std::bad_alloc const&) { // should a failover bring it back, it stays until its lease is over
    }
}

void reaper::repeat_departures(base::instant now, base::function_ref<bool(lock_record const&)> is_elsewhere) noexcept {
    try {
        auto left = departed_.take(now, [&](dead_id const& one) { return is_elsewhere(*one.record); });
        for (auto& one : left) add(std::move(one), now, now);
    } catch (std::bad_alloc const&) { // what a failover has brought back of them stays until its lease is over
    }
}

std::vector<reaper::job> reaper::take_due(base::instant now) {
    std::vector<job> jobs;
    while (!by_time_.empty() && by_time_.begin()->first <= now) {
        auto const number = by_time_.begin()->second;
        by_time_.erase(by_time_.begin());
        auto& one = entries_.at(number);
        one.due = base::never;
        jobs.push_back({number, one.what.record, one.what.owner_id, one.what.announce, one.what.kept_until,
                        one.what.has_departed});
    }
    return jobs;
}

std::vector<reaper::job> reaper::all_now(base::instant now) {
    auto jobs = take_due(base::never);
    // Nobody is left to release it later, or to let it expire sooner than with its lease: it stays for its lock delay alone.
    for (auto& one : jobs)
        if (auto const until = entries_.at(one.number).what.not_before; until > now)
            one.kept_until = std::max(one.kept_until, until);
    return jobs;
}

void reaper::on_answer(std::uint64_t number, bool late_copy_possible, base::instant now) {
    auto const at = entries_.find(number);
    if (at == entries_.end()) return;
    auto& one = at->second;
    if (late_copy_possible) one.what.late_copy_possible = true;
    bool const is_swept = one.what.late_copy_possible && !one.what.has_departed; // or was, when it left
    if (!is_swept || now >= base::later(one.added, longest_delay + one.what.lease)) {
        if (!one.what.announce)
            on_departed(one.what.record, one.what.owner_id, one.what.lease, one.what.kept_until, now);
        entries_.erase(at);
        return;
    }
    auto const step = static_cast<std::size_t>(one.sweeps++);
    schedule(number, one, base::later(now, step < sweep_pauses.size() ? sweep_pauses[step] : later_pause));
}

void reaper::on_failure(std::uint64_t number, bool late_copy_possible, base::instant now) {
    auto const at = entries_.find(number);
    if (at == entries_.end()) return;
    auto& one = at->second;
    if (late_copy_possible) one.what.late_copy_possible = true;
    if (now >= base::later(one.added, longest_delay + one.what.lease)) {
        entries_.erase(at); // its key has expired by itself
        return;
    }
    schedule(number, one, base::later(now, retry_pause(one.failures++)));
}

std::size_t reaper::unresolved() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](auto const& one) { return one.second.sweeps == 0; }));
}

} // namespace redlatch::locking
