// The turn of this process among others: one that takes a lock again and again may do so for a while, then it leaves it to
// them.
//
// Whoever releases on the server asks next on the same connection, before any message of the release has reached another
// process: it would win every time. The answer to the release says whether anybody else listens.
//
// | event                                                | next                                                            |
// |------------------------------------------------------|-----------------------------------------------------------------|
// | acquired on the server                               | the turn begins, unless it goes on                              |
// | released, a waiter of this process asks right behind | it goes on: the message says so, and others do not ask yet      |
// | released otherwise; or the server said busy          | it has ended: turn_order.hpp says when to ask again             |
// | its time is over                                     | it ends with the next release, and this process yields          |
// | released, and nobody else heard of it                | there are no turns                                              |
#pragma once

#include "base/time.hpp"
#include "locking/channel_sample.hpp"
#include "locking/precedence.hpp"
#include "locking/release_message.hpp"
#include "locking/release_yield.hpp"
#include "locking/turn_order.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace redlatch::locking {

class process_turn {
public:
    /// `ordered`: messages say whose turn it is; false: nothing is known of others but that they listen.
    /// `longest`: however long a turn may last otherwise, where others want the lock.
    explicit process_turn(std::uint64_t seed = 0, bool ordered = true,
                          base::milliseconds longest = longest_beside_others) noexcept
        : seed_(seed), longest_(longest), ordered_(ordered) {}

    /// Taken on the server.
    void on_acquired(base::instant now) noexcept {
        if (began_ == base::never) began_ = now;
    }
    /// A release is about to be sent. `at_once`: a waiter of this process asks right behind it. True: the turn goes on.
    bool goes_on_after_release(bool at_once, base::milliseconds time, base::instant now) noexcept {
        if (at_once && others_listen() && !over(time, now)) return true;
        begin_anew();
        return false;
    }
    /// Released there, and so many others heard of it. `own`: the channel with the message of this release.
    void on_released(std::int64_t others, channel_sample const& own, base::instant now) noexcept {
        others_ = others;
        if (auto* const order = own.session != 0 ? rivals() : nullptr) order->turns.on_released(own, others, now);
        contended_ = others > 0;
        if (others == 0) began_ = base::never;
    }
    /// Released there after so long, and so many others heard of it: the lock is left to them for a while.
    void leave_to_others(std::int64_t others, base::nanoseconds held_for, base::instant now) noexcept {
        after_release_.on_released(others, held_for, now);
    }
    /// Before it asks: whether the lock is left to other processes. `has_waited`: it was refused, or heard a message. Who does
    /// not listen, having never been refused, knows no more than that others heard of its release.
    precedence others_first(channel_sample const& sample, bool has_waited, base::instant now) noexcept {
        if (!ordered_ || !sample.subscribed) return has_waited ? precedence() : precedence{left_after_release(now)};
        auto* const order = rivals();
        if (order == nullptr) return {};
        auto& turns = order->turns;
        turns.on_heard(sample, now);
        auto const until = has_waited ? turns.yield_until(sample, now) : turns.first_yield_until(sample);
        return {until - now, turns.is_near(sample)};
    }
    /// For how much longer the lock is left to those that heard of our last release, where no more is known of them.
    base::nanoseconds left_after_release(base::instant now) const noexcept { return after_release_.left(now); }
    /// Acquired after that: nobody had taken it.
    void on_left_in_vain() noexcept { after_release_.on_nobody_asked(); }
    /// Acquired, although some were thought to be before this process: they had the time to ask.
    void on_nobody_asked(channel_sample const& sample) noexcept {
        on_left_in_vain();
        if (!rivals_) return;
        rivals_->absent = rivals_->turns.rank(sample);
        rivals_->turns.on_nobody_asked(sample);
    }
    /// Refused: others want it too, and so many of them listen, as far as is known.
    void on_busy(channel_sample const& sample, std::optional<std::int64_t> others, base::instant now) noexcept {
        contended_ = true;
        after_release_.on_busy();
        begin_anew();
        if (!others) return;
        if (auto* const order = rivals()) order->turns.on_busy(sample, *others, now);
    }
    /// What the release that ends this turn publishes: also how many did not ask, one less where others have counted this turn
    /// already.
    std::string_view take_message() noexcept {
        auto const absent = rivals_ ? rivals_->take_absent() : 0;
        return contended_ ? end_of_turn(absent) : unlock_message;
    }
    bool others_listen() const noexcept { return others_ > 0; }
    /// So many that most attempts fail.
    bool crowded() const noexcept { return others_ > 1; }
    bool over(base::milliseconds time, base::instant now) const noexcept {
        return others_listen() && began_ != base::never && now - began_ >= std::min(time, longest_);
    }
    /// Where they hear its end. A turn costs the others some 100 to 200 microseconds: this is enough for what is short to be
    /// worth it, and does not give those with many threads much more than those with one, Redisson's above all.
    static constexpr base::milliseconds longest_beside_others{1};
    /// It yields, or others have it.
    void begin_anew() noexcept { began_ = base::never; }

    /// The channel with the message of our last release, from the moment in which it was sent: only what comes after it is
    /// news of others. Nothing: there was nobody to hear of.
    channel_sample own_release() const noexcept { return rivals_ ? rivals_->own_release : channel_sample(); }
    void on_release_sent(channel_sample const& own) noexcept {
        if (auto* const order = rivals()) order->own_release = own;
    }
    /// What the channel has counted until now.
    void on_heard(channel_sample const& sample, base::instant now) noexcept {
        if (rivals_) rivals_->turns.on_heard(sample, now);
    }

private:
    /// What is known of others that want the lock. Most locks never need it, and it is the greater part of all that is known of
    /// a lock.
    struct rivalry {
        explicit rivalry(std::uint64_t seed) noexcept : turns(seed) {}
        turn_order turns;
        channel_sample own_release{};
        std::int64_t absent = 0; ///< that did not ask before this turn

        std::int64_t take_absent() noexcept { return std::exchange(absent, 0) - (turns.was_counted_absent() ? 1 : 0); }
    };
    /// Null: there is no order, or no memory. Then everybody asks at once, as if nothing were known.
    rivalry* rivals() noexcept {
        if (!rivals_ && ordered_) rivals_.reset(new (std::nothrow) rivalry(seed_));
        return rivals_.get();
    }

    std::uint64_t const seed_;
    base::milliseconds const longest_;
    std::unique_ptr<rivalry> rivals_{};
    base::instant began_ = base::never; ///< when the present run of acquisitions did
    std::int64_t others_ = 0;           ///< that heard of our last release
    release_yield after_release_{};
    bool const ordered_;
    bool contended_ = false; ///< others are known to want it
};

} // namespace redlatch::locking
