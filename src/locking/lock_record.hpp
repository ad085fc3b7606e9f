// What a client knows of one lock, whoever of its owners uses it.
#pragma once

#include "base/time.hpp"
#include "locking/contention.hpp"
#include "locking/names.hpp"
#include "locking/recipe.hpp"
#include "locking/record_settings.hpp"
#include "locking/tenure.hpp"
#include "locking/tenure_list.hpp"
#include "locking/wait_queue.hpp"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// The name, the recipe and the settings never change; the rest is guarded by the mutex of the lock table.
struct lock_record {
    /// `its_settings` are to outlive it.
    lock_record(std::string_view its_name, recipe const& chosen, record_settings const& its_settings,
                std::vector<std::string> its_parts = {})
        : name(its_name), how(&chosen), settings(&its_settings) {
        if (!its_parts.empty()) parts_ = std::make_unique<std::vector<std::string> const>(std::move(its_parts));
    }

    std::string const name;
    recipe const* const how;
    record_settings const* const settings;

    tenure_list tenures{}; ///< that hold, are being acquired, or are lost with levels not given back
    wait_queue queue{};    ///< waiters of this process; the head contends in Redis

    /// Null: nobody else is known to want it, which is so of most locks.
    std::unique_ptr<contention> contended{};
    /// Made when somebody else wants it. Null: there is no memory, and things go on as if nobody did.
    contention* contend() noexcept;

    /// An attempt or a release of this process has been answered: who has the lock is known.
    void on_answered(base::instant now) noexcept { answered_at_ = now; }
    bool was_answered_after(base::instant then) const noexcept { return answered_at_ > then; }
    /// By the answer to an attempt somebody has it until then at the most, and so many listen to its channel, if that was
    /// asked. `heard`: the channel before the attempt was sent.
    void on_busy(std::optional<std::int64_t> listeners, channel_sample const& heard, base::instant until,
                 base::instant now) noexcept;
    /// It was busy, and this process did not have it.
    void on_held_elsewhere(base::instant now) noexcept {
        if (contended) contended->polling_yield.on_busy(now);
    }
    /// It was free, although others were thought to be before this process.
    void on_nobody_asked(channel_sample const& heard) noexcept {
        if (contended) contended->turn.on_nobody_asked(heard);
    }
    /// As those of process_turn.
    base::nanoseconds left_after_release(base::instant now) const noexcept {
        return contended ? contended->turn.left_after_release(now) : base::nanoseconds(0);
    }
    /// Behind a release of which nobody hears: for how much longer the lock is left to those that poll. Nothing: nobody has had
    /// it lately but this process.
    precedence left_to_pollers(base::instant now) const noexcept {
        if (has_channel() || !contended || !contended->polling_yield.is_wanted(now)) return {};
        constexpr base::nanoseconds it_is_over{1};
        return {std::max(contended->polling_yield.left(now), it_is_over)};
    }
    void on_left_in_vain() noexcept {
        if (contended) contended->turn.on_left_in_vain();
    }
    void on_release_sent(channel_sample const& own) noexcept {
        if (contended) contended->turn.on_release_sent(own);
    }
    /// By its answer so many others have heard of it. `own`: the channel with its message, if this process listens.
    void on_released(std::int64_t others, std::optional<channel_sample> const& own, base::instant held_since,
                     base::instant now) noexcept;

    /// The data connection, by its number, on which plain commands are refused for this key. Not under the mutex.
    std::atomic<std::uint64_t> plain_refused_on{0};

    /// Of a lock that is parts of its key: which, in order, none twice. Locks of one key that have a part in common exclude
    /// each other. Empty: the key is the lock.
    std::span<std::string const> parts() const noexcept {
        return parts_ ? std::span<std::string const>(*parts_) : std::span<std::string const>();
    }

    /// Whoever waits hears of releases; otherwise it asks again and again.
    bool has_channel() const noexcept { return !how->channel_prefix.empty(); }
    std::string channel() const { return prefixed(how->channel_prefix, name); }

    call_context context(std::string_view owner_id, base::milliseconds lease) const noexcept {
        return {.name = name,
                .channel_prefix = how->channel_prefix,
                .owner_id = owner_id,
                .lease = lease,
                .parts = parts(),
                .waiter_timeout = settings->waiter_timeout,
                .publish = settings->publish->command()};
    }
    /// The context refers to the id, which has to be kept.
    template <std::same_as<owner_id_text> Temporary>
    call_context context(Temporary&& owner_id, base::milliseconds lease) const = delete;

    /// Other processes heard of the last release of this one.
    bool others_listen() const noexcept { return contended && contended->turn.others_listen(); }
    /// The latest acquisition of this process found it held by another one.
    bool had_to_wait() const noexcept { return contended && contended->had_to_wait; }

private:
    base::instant answered_at_ = base::instant::min();
    std::unique_ptr<std::vector<std::string> const> parts_{}; ///< null: the key is the lock
};

using record_ptr = std::shared_ptr<lock_record>;

} // namespace redlatch::locking
