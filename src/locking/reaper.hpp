// Sees to it that nothing stays behind on the server: releases the ids of tenures whose end nobody waits for.
//
// | state    | event                                                | action, next                                          |
// |----------|------------------------------------------------------|-------------------------------------------------------|
// | due      | its time                                             | a release, or only its message, is sent -> asked      |
// | asked    | released or not held; no late copy can run           | forgotten                                             |
// | asked    | released or not held; a late acquire may still run   | again at 1, 5, 15, 30 s, then each minute, until one  |
// |          |                                                      | lease after the last possibly late call -> due        |
// | asked    | error                                                | again after 50 ms, then after pauses that double up   |
// |          |                                                      | to a second, until its key must have expired -> due   |
// Who has left a moment before another server became the master is released once more (departure.hpp).
// Releases travel on the lane of the calls they follow, so that order does what else a predecessor kill would have to do.
#pragma once

#include "base/function_ref.hpp"
#include "base/recent.hpp"
#include "base/time.hpp"
#include "locking/departure.hpp"
#include "locking/lock_record.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::locking {

class reaper {
public:
    /// An id that is not to hold anything any more.
    struct dead_id {
        record_ptr record;
        std::string owner_id;
        base::milliseconds lease{};      ///< the longest it can have left behind
        bool late_copy_possible = false; ///< a copy of its acquire may arrive late
        bool announce = false;           ///< it holds nothing any more; only the message may not have been sent
        base::instant kept_until = base::instant::min(); ///< of a minimum hold: the lock is not to be free before
        base::instant not_before = base::instant::min(); ///< of a lock delay: not released before
        bool has_departed = false; ///< it was released already: a new master may not have heard of it
    };
    struct job {
        std::uint64_t number;
        record_ptr record;
        std::string owner_id;
        bool announce = false; ///< send the message, not a release
        base::instant kept_until = base::instant::min();
        bool has_departed = false;
    };

    /// `first`: when to send the first release. Returns a number for on_answer.
    std::uint64_t add(dead_id dead, base::instant first, base::instant now);

    /// An id that was released, of which a late copy may still acquire: sweeps only.
    void sweep(dead_id dead, base::instant now);

    /// From now on those that have left are kept in mind for a while.
    void remember_departures() noexcept { remembers_ = true; }
    bool remembers_departures() const noexcept { return remembers_; }
    /// Released there, by somebody else than the reaper.
    void on_departed(record_ptr const& record, std::string_view owner_id, base::milliseconds lease,
                     base::instant kept_until, base::instant now) noexcept;
    /// Of some locks another server is asked from now on: who has left these a moment ago is released once more.
    void repeat_departures(base::instant now, base::function_ref<bool(lock_record const&)> is_elsewhere) noexcept;

    base::instant next() const noexcept { return by_time_.empty() ? base::never : by_time_.begin()->first; }
    std::vector<job> on_timer(base::instant now) { return take_due(now); }

    void on_answer(std::uint64_t number, bool late_copy_possible, base::instant now);
    void on_failure(std::uint64_t number, bool late_copy_possible, base::instant now);

    std::size_t size() const noexcept { return entries_.size(); }
    /// Of these, those whose release no server has answered yet: the others are swept, in case that a late copy acquires.
    std::size_t unresolved() const noexcept;
    /// Everything that is not under way, for close(). What is not to be released yet is kept until then.
    std::vector<job> all_now(base::instant now);

private:
    struct entry {
        dead_id what;
        base::instant due; ///< never while asked
        base::instant added;
        int sweeps = 0;
        int failures = 0;
    };
    void schedule(std::uint64_t number, entry& dead, base::instant due_time);
    std::vector<job> take_due(base::instant now);
    std::map<std::uint64_t, entry> entries_;
    std::set<std::pair<base::instant, std::uint64_t>> by_time_; ///< those that are not asked
    std::uint64_t last_number_ = 0;
    bool remembers_ = false;
    base::recent<dead_id> departed_{most_departures, longest_departure};
};

} // namespace redlatch::locking
