// What stands behind the public objects.
#pragma once

#include "io/acquisition.hpp"
#include "io/client_core.hpp"
#include "locking/lock_record.hpp"

#include <redlatch/basic_lock.hpp>
#include <redlatch/client.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/replica_policy.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>

namespace redlatch::detail {

struct hold_state {
    std::shared_ptr<io::client_core> core;
    locking::tenure_ptr tenure;
    std::uint64_t level = 0;
    std::uint64_t token = 0;         ///< fencing; 0: none
    std::uint32_t times_retaken = 0; ///< of the tenure, when this was held
    std::int16_t confirmed_by = -1;  ///< so many replicas; -1: none was asked
    std::atomic<bool> given_back{false};

    bool of_an_earlier_stay() const noexcept {
        return tenure->times_retaken.load(std::memory_order_relaxed) != times_retaken;
    }
};

struct lock_impl {
    std::shared_ptr<io::client_core> core;
    locking::record_ptr record;
    replica_policy replicas{};                         ///< of its acquisitions
    locking::retry_backoff backoff{};                  ///< of a kind without a channel
    std::shared_ptr<std::string const> owner_suffix{}; ///< of an election: the candidate; null: none
};

struct lock_access {
    /// Null: the lock was moved from.
    static lock_impl const* impl(basic_lock const& lock) noexcept { return lock.impl_.get(); }
    /// As basic_lock::start_try_acquire, of one of several locks: what is acquired is provisional (locking::level) until
    /// hold_access::set_minimum_hold.
    static std::optional<outcome> start_member(basic_lock const& lock, acquire_options const& options,
                                               completion_ptr<hold>& done);
};

/// Closes the client with its last copy.
class client_handle {
public:
    explicit client_handle(std::shared_ptr<io::client_core> its_core) noexcept : core(std::move(its_core)) {}
    ~client_handle() { core->close(); }
    client_handle(client_handle const&) = delete;
    client_handle& operator=(client_handle const&) = delete;

    std::shared_ptr<io::client_core> const core;
};

struct hold_access {
    /// Of an acquisition, or a confirmed one.
    template <class Acquisition> static hold make(std::shared_ptr<io::client_core> core, Acquisition& done) {
        auto state = state_of(std::move(core), done.tenure(), done.level_number(), done.token());
        state->confirmed_by = locking::replica_count(done.confirmed_by());
        hold made(std::move(state));
        done.handed_over();
        return made;
    }
    /// Of all levels: a view gives none back.
    static hold_view view(std::shared_ptr<io::client_core> core, locking::tenure_ptr tenure, std::uint64_t token,
                          int confirmed_by) {
        auto state = state_of(std::move(core), std::move(tenure), 0, token);
        state->confirmed_by = locking::replica_count(confirmed_by);
        return hold_view(std::move(state));
    }
    /// What is held is kept until then from now on, whenever it is released; instant::min(): it has no minimum hold.
    static void set_minimum_hold(hold const& held, base::instant until);
    /// Releases what was acquired in vain: detached, and without its minimum hold.
    static void give_up(hold& held) noexcept;
    static std::shared_ptr<hold_state> state_of(std::shared_ptr<io::client_core> core, locking::tenure_ptr tenure,
                                                std::uint64_t level, std::uint64_t token) {
        auto state = std::allocate_shared<hold_state>(base::recycling<hold_state>());
        state->core = std::move(core);
        state->tenure = std::move(tenure);
        state->level = level;
        state->token = token;
        state->times_retaken = state->tenure->times_retaken.load(std::memory_order_relaxed);
        return state;
    }
};

/// Gives a level back on the calling thread; failures are returned, and told to the listener if `report`.
std::error_code give_back(io::client_core& core, locking::tenure_ptr const& tenure, std::uint64_t level, bool report,
                          std::string* message);
/// There was no memory for giving it back: the level ends, in the background.
void abandon(io::client_core& core, locking::tenure_ptr const& tenure, std::uint64_t level) noexcept;
/// The same as give_back() without waiting; failures go to the listener.
void give_back_detached(std::shared_ptr<io::client_core> const& core, locking::tenure_ptr const& tenure,
                        std::uint64_t level);

} // namespace redlatch::detail
