// What a client knows of one lock, whoever of its owners uses it.
#pragma once

#include "base/time.hpp"
#include "locking/head_wakes.hpp"
#include "locking/local_handoff.hpp"
#include "locking/process_turn.hpp"
#include "locking/recipe.hpp"
#include "locking/tenure.hpp"
#include "locking/tenure_list.hpp"
#include "locking/wait_queue.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// The keys, the recipe and the method of publishing never change; the rest is guarded by the mutex of the lock table.
struct lock_record {
    lock_record(std::string_view its_name, recipe const& chosen, std::uint64_t seed = 0,
                base::milliseconds its_waiter_timeout = {}, std::vector<std::string> its_parts = {})
        : lock_record(chosen.keys(its_name), chosen, seed, its_waiter_timeout, std::move(its_parts)) {}

    std::string const name;
    std::string const channel;
    recipe const* const how;
    base::milliseconds const waiter_timeout; ///< of a kind that queues on the server
    publish_method const* publish = &publish_to_all;

    tenure_list tenures{}; ///< that hold, are being acquired, or are lost with levels not given back
    wait_queue queue{};    ///< waiters of this process; the head contends in Redis

    tenure_ptr in_handoff{}; ///< held on the server, by nobody here: between two local holders
    local_handoff handoff{};
    process_turn turn;

    /// The table keeps it until then; never: it does not.
    base::instant remembered_until = base::never;

    locking::head_wakes head_wakes{};
    /// The server said busy, and until when at the most.
    base::instant busy_until = base::instant::min();
    /// The server said last who has the lock, or that it is free: to an attempt or a release of this process.
    base::instant answered_at = base::instant::min();

    /// The data connection, by its number, on which plain commands are refused for this key. Not under the mutex.
    std::atomic<std::uint64_t> plain_refused_on{0};

    /// Of a lock that is parts of its key: which, in order, none twice. Locks of one key that have a part in common exclude
    /// each other. Empty: the key is the lock.
    std::span<std::string const> parts() const noexcept {
        return parts_ ? std::span<std::string const>(*parts_) : std::span<std::string const>();
    }

    /// Whoever waits hears of releases; otherwise it asks again and again.
    bool has_channel() const noexcept { return !channel.empty(); }

    call_context context(std::string_view owner_id, base::milliseconds lease) const noexcept {
        return {.name = name,
                .channel = channel,
                .owner_id = owner_id,
                .lease = lease,
                .parts = parts(),
                .waiter_timeout = waiter_timeout,
                .publish = publish->command()};
    }

private:
    lock_record(lock_keys keys, recipe const& chosen, std::uint64_t seed, base::milliseconds its_waiter_timeout,
                std::vector<std::string> its_parts)
        : name(std::move(keys.name)), channel(std::move(keys.channel)), how(&chosen),
          waiter_timeout(its_waiter_timeout), turn(seed, chosen.takes_turns) {
        if (!its_parts.empty()) parts_ = std::make_unique<std::vector<std::string> const>(std::move(its_parts));
    }

    std::unique_ptr<std::vector<std::string> const> parts_{}; ///< null: the key is the lock
};

using record_ptr = std::shared_ptr<lock_record>;

} // namespace redlatch::locking
