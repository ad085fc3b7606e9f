// What stands behind the public objects.
#pragma once

#include "io/acquisition.hpp"
#include "io/client_core.hpp"
#include "locking/lock_record.hpp"

#include <redlatch/client.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/reentrant_lock.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <system_error>

namespace redlatch::detail {

struct hold_state {
    std::shared_ptr<io::client_core> core;
    locking::tenure_ptr tenure;
    std::uint64_t level = 0;
    std::atomic<bool> given_back{false};
};

struct lock_impl {
    std::shared_ptr<io::client_core> core;
    locking::record_ptr record;
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
    static hold make(std::shared_ptr<io::client_core> core, io::acquisition const& done) {
        return hold(state_of(std::move(core), done.tenure(), done.level_number()));
    }
    static hold_view view(std::shared_ptr<io::client_core> core, locking::tenure_ptr tenure, std::uint64_t level) {
        return hold_view(state_of(std::move(core), std::move(tenure), level));
    }
    static std::shared_ptr<hold_state> state_of(std::shared_ptr<io::client_core> core, locking::tenure_ptr tenure,
                                                std::uint64_t level) {
        auto state = std::allocate_shared<hold_state>(base::recycling<hold_state>());
        state->core = std::move(core);
        state->tenure = std::move(tenure);
        state->level = level;
        return state;
    }
};

/// Gives a level back on the calling thread; failures are returned, and told to the listener if `report`.
std::error_code give_back(io::client_core& core, locking::tenure_ptr const& tenure, std::uint64_t level, bool report,
                          std::string* sentence);
/// The same without waiting; failures go to the listener.
void give_back_detached(std::shared_ptr<io::client_core> const& core, locking::tenure_ptr const& tenure,
                        std::uint64_t level);

} // namespace redlatch::detail
