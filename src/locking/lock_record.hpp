// What a client knows of one lock, whoever of its owners uses it.
#pragma once

#include "base/time.hpp"
#include "locking/local_passing.hpp"
#include "locking/process_turn.hpp"
#include "locking/recipe.hpp"
#include "locking/tenure.hpp"
#include "locking/wait_queue.hpp"

#include <memory>
#include <string>
#include <vector>

namespace redlatch::locking {

/// Name, channel and recipe never change; the rest is guarded by the mutex of the lock table.
struct lock_record {
    lock_record(std::string its_name, recipe const& its_recipe)
        : name(std::move(its_name)), channel(its_recipe.wake_channel(name)), how(&its_recipe) {}

    std::string const name;
    std::string const channel;
    recipe const* const how;

    std::vector<tenure_ptr>
        tenures{};      ///< that hold, are being acquired or released, or are lost with levels not given back
    wait_queue queue{}; ///< waiters of this process; the head contends in Redis

    tenure_ptr passing{}; ///< held on the server, by nobody here: between two local holders
    local_passing passes{};
    process_turn turn{};

    // How often in a row this process released the lock on the server for itself.
    int handovers = 0;
    base::instant handovers_began{};
    /// The server said busy, and until when at the most.
    base::instant busy_until = base::instant::min();

    call_context context(std::string_view owner_id, base::milliseconds lease) const noexcept {
        return {name, channel, owner_id, lease};
    }
};

using record_ptr = std::shared_ptr<lock_record>;

} // namespace redlatch::locking
