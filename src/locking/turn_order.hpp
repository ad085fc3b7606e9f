// In which order the processes that wait for one lock ask for it after a release, without a queue on the server.
//
// Everybody hears every release. So each process counts the turns of others that it has missed since its own last one, and
// knows how many were before it then: whoever listened to the channel. Its rank is the number of processes that are still
// before it. The first one asks at once; the second one asks if it has heard nothing for half of the usual time between two
// releases, for then the first one is slow or dead; those further back do not listen before their turn comes near.
//
// | event                               | rank                                                                             |
// |-------------------------------------|----------------------------------------------------------------------------------|
// | the server said busy, first time    | as many as listen to the channel beside us                                       |
// | the server said busy, later         | not more than these                                                              |
// | released here                       | as many as heard it beside us                                                    |
// | the end of another process's turn   | one less                                                                         |
// | a release within its turn           | the same: it will probably come again at once                                    |
// | a turn of one that did not ask      | one less; the end of the turn behind it says so                                  |
// | some turns here beside absent ones  | one of them counts again, for it may only answer late (absence_probe.hpp)        |
// | it has come, and was refused twice  | a random number: of those that came at once, all count none before them          |
// | although it was first               |                                                                                  |
//
// The end of a turn publishes `000`, a release within a turn `00` (release_message.hpp has all): they wake Redisson's waiters
// as its own `0` does (it reads a number). A Redisson process counts as one of those before us: it asks at every message, and
// has its turn when the first of ours still has somebody before it.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"
#include "locking/absence_probe.hpp"
#include "locking/channel_sample.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace redlatch::locking {

/// The latest times between events.
class recent_gaps {
public:
    void add(base::nanoseconds gap) noexcept { gaps_[next_++ % gaps_.size()] = std::max(gap, base::nanoseconds(1)); }
    bool empty() const noexcept { return next_ == 0; }
    base::nanoseconds shortest() const noexcept { return *std::min_element(gaps_.begin(), end()); }
    void clear() noexcept { next_ = 0; }

private:
    using array = std::array<base::nanoseconds, 8>;
    array::const_iterator end() const noexcept {
        return gaps_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, gaps_.size()));
    }
    array gaps_{};
    std::size_t next_ = 0;
};

/// Not thread-safe.
class turn_order {
public:
    explicit turn_order(std::uint64_t seed = 0) noexcept : random_(seed) {}

    /// The lock is another's, and so many other connections listen to its channel.
    void on_busy(channel_sample const& sample, std::int64_t others, base::instant now) noexcept {
        if (sample.session == 0) { // not listening yet: nothing could be counted
            before_us_ = others;
            return;
        }
        if (session_ != sample.session) {
            join(sample, std::min(others, before_us_)); // whoever came meanwhile is behind us
            has_come_ = true;
            messages_.clear();
            turns_.clear();
            last_ = sample;
            heard_at_ = turn_at_ = now;
        } else {
            bool const first = rank(sample) == 0;
            joined_behind_ = std::min(joined_behind_, missed(sample) + others);
            if (first) on_refused_as_first(sample, others);
        }
    }
    /// Acquired although there were some before us: they had the time to ask.
    void on_nobody_asked(channel_sample const& sample) noexcept {
        probe_.on_nobody_asked();
        if (rank(sample) > 0) ++absent_;
    }
    /// Its own turn has been counted by others already: the end of it is not to be counted again.
    bool was_counted_absent() const noexcept { return counted_absent_; }
    /// Released here, and so many other connections heard of it. `sample`: with the message of this release.
    void on_released(channel_sample const& sample, std::int64_t others, base::instant now) noexcept {
        if (sample.session == 0) return;
        on_heard(sample, now);
        probe_.on_turn_ended();
        if (absent_ > 0 && probe_.is_due()) --absent_;
        join(sample, others);
    }
    /// What the channel has counted until now.
    void on_heard(channel_sample const& sample, base::instant now) noexcept {
        bool const known = last_.session == sample.session;
        if (known && sample.messages <= last_.messages) return;
        if (known) messages_.add(each(now - heard_at_, sample.messages - last_.messages));
        if (known && sample.turns > last_.turns) turns_.add(each(now - turn_at_, sample.turns - last_.turns));
        if (!known || sample.turns > last_.turns) turn_at_ = now;
        // The first one was slow, and its turn has been counted.
        if (known && sample.absent > last_.absent && session_ == sample.session && listed_before_us(last_) == 0)
            counted_absent_ = true;
        last_ = sample;
        heard_at_ = now;
    }
    /// It is about to be our turn: worth to hear of it at once.
    bool is_near(channel_sample const& sample) const noexcept { return rank(sample) <= 1; }
    /// How many processes are still before this one; zero also where nothing is known.
    std::int64_t rank(channel_sample const& sample) const noexcept {
        if (sample.session == 0 || sample.session != session_) return 0;
        return std::max<std::int64_t>(listed_before_us(sample) - absent_, 0);
    }
    /// Until when the lock is left to those before us: then look at the channel again. In the past: ask now. `sample`: what
    /// on_heard() had last.
    base::instant yield_until(channel_sample const& sample, base::instant now) const noexcept {
        auto const before = rank(sample);
        auto const silent_since = base::later(heard_at_, grace_after(sample));
        if (before == 0) return base::later(silent_since, if_they_are_there(sample));
        if (before == 1 || messages_.empty()) return base::later(silent_since, std::min(before, most_slots) * slot());
        // Further back: several of those before us would have to be slow or dead. Bounded, and doubled from rank to rank: of
        // a crowd only a few ask while somebody holds the lock for long. The shortest gap: a longer one would feed on itself.
        auto const usual = std::clamp<base::nanoseconds>(2 * messages_.shortest(), 2 * shortest_slot, longest_usual);
        auto const quiet =
            std::min<base::nanoseconds>(usual * (1 << std::min<std::int64_t>(before - 2, 8)), longest_yield);
        auto const ask = base::later(silent_since, slot() + quiet);
        if (now >= ask || turns_.empty()) return ask;
        auto const turn = std::min<base::nanoseconds>(turns_.shortest(), longest_expected_turn);
        auto const least = std::max(turn / 4, std::min<base::nanoseconds>(slot(), longest_expected_turn));
        return std::min(ask, base::later(now, std::max((before - 2) * turn * 3 / 4, least)));
    }

    /// The same for who has just come: perhaps nobody waits.
    base::instant first_yield_until(channel_sample const& sample) const noexcept {
        auto const silent_since = base::later(heard_at_, grace_after(sample));
        return base::later(silent_since, rank(sample) == 0 ? if_they_are_there(sample) : slot());
    }

    static constexpr base::microseconds shortest_grace{150};
    static constexpr base::milliseconds longest_grace{2};
    static constexpr base::microseconds shortest_slot{120};
    static constexpr base::microseconds head_start{40};
    static constexpr base::milliseconds longest_slot{25};
    static constexpr base::milliseconds longest_usual{32};
    /// A short turn may follow a long one at any moment. To look at the channel costs no command, only a wake-up.
    static constexpr base::milliseconds longest_expected_turn{5};
    /// Nobody stays away from a lock that may be free for longer than this.
    static constexpr base::milliseconds longest_yield{1'000};
    static constexpr std::int64_t most_slots = 8; ///< of a process that has heard nothing yet
    /// One refusal may be by a newcomer's first attempt.
    static constexpr int refusals_of_a_crowd = 2;
    static constexpr std::int64_t least_crowd = 8;

private:
    static constexpr std::int64_t nobody_counted = std::numeric_limits<std::int64_t>::max();
    /// Somebody else was first, too: one of those that were taken for absent; or several count none before them, as those do
    /// that came at once. They would ask together at each turn until each of them has had its own: they part, once.
    void on_refused_as_first(channel_sample const& sample, std::int64_t others) noexcept {
        if (absent_ > 0) {
            --absent_;
            probe_.on_refused_by_one();
            return;
        }
        ++refused_as_first_;
        if (!has_come_ || refused_as_first_ < refusals_of_a_crowd || others < least_crowd) return;
        has_come_ = false;
        // Redisson asks at each message: it refuses whoever is first. One `0` may be of the first of ours.
        if (sample.foreign <= foreign_when_joined_ + 1) joined_behind_ = missed(sample) + random_.up_to(others);
    }
    void join(channel_sample const& sample, std::int64_t others) noexcept {
        session_ = sample.session;
        turns_when_joined_ = sample.turns;
        absent_ = std::min(absent_, others);
        joined_behind_ = others;
        before_us_ = nobody_counted;
        foreign_when_joined_ = sample.foreign;
        counted_absent_ = false;
        refused_as_first_ = 0;
        has_come_ = false;
    }
    std::int64_t missed(channel_sample const& sample) const noexcept {
        return sample.turns > turns_when_joined_ ? static_cast<std::int64_t>(sample.turns - turns_when_joined_) : 0;
    }
    /// A process that goes on with its turn is heard again when it has released again.
    base::nanoseconds grace_after(channel_sample const& sample) const noexcept {
        if (!sample.turn_goes_on) return {};
        auto const twice = messages_.empty() ? base::nanoseconds(0) : 2 * messages_.shortest();
        return std::clamp<base::nanoseconds>(twice, shortest_grace, longest_grace);
    }
    /// With those that were absent until now.
    std::int64_t listed_before_us(channel_sample const& sample) const noexcept {
        return std::max<std::int64_t>(joined_behind_ - missed(sample), 0);
    }
    /// Should one of those that are thought to be absent be there, it asks before us.
    base::nanoseconds if_they_are_there(channel_sample const& sample) const noexcept {
        if (sample.session == 0 || sample.session != session_) return {};
        return std::min(listed_before_us(sample), most_slots) * base::nanoseconds(head_start);
    }
    static base::nanoseconds each(base::nanoseconds all, std::uint64_t many) noexcept {
        return all / static_cast<std::int64_t>(many);
    }
    base::nanoseconds slot() const noexcept {
        auto const half = messages_.empty() ? base::nanoseconds(shortest_slot) : messages_.shortest() / 2;
        return std::clamp<base::nanoseconds>(half, shortest_slot, longest_slot);
    }

    base::random_source random_;
    std::uint64_t session_ = 0; ///< of the channel in which the turns are counted
    std::uint64_t turns_when_joined_ = 0;
    std::int64_t before_us_ = nobody_counted; ///< when we came
    std::int64_t joined_behind_ = 0;
    /// Of those that listen, so many do not wait: one more after each turn that none of them took.
    std::int64_t absent_ = 0;
    absence_probe probe_{};
    std::uint64_t foreign_when_joined_ = 0;
    int refused_as_first_ = 0;    ///< since it joined
    bool has_come_ = false;       ///< and has neither had a turn nor taken another place
    bool counted_absent_ = false; ///< by others, although it was there

    channel_sample last_{};
    base::instant heard_at_{};
    base::instant turn_at_{};
    recent_gaps messages_{};
    recent_gaps turns_{}; ///< between the ends of turns
};

} // namespace redlatch::locking
