// What can be seen of a permit semaphore from outside.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch {

/// One permit that is taken. The server knows its id and its lease, and not who has taken it.
struct taken_permit {
    std::string id; ///< 32 hexadecimal characters, by which any process may release it
    /// How long until it comes back by itself; none: it is taken for ever.
    std::optional<duration> remaining_lease{};
};

/// A snapshot of one permit semaphore. Permits whose lease is over count as come back: of very many at once the first 1,000.
struct permit_info {
    std::string name{};
    bool is_set = false;
    std::int64_t permits = 0;   ///< in all, taken or not
    std::int64_t available = 0; ///< to be taken; below zero after set_permits() has made them fewer than are taken
    std::int64_t taken = 0;
    /// Those that are taken and come back first, at most 1,000.
    std::vector<taken_permit> leases{};
    /// Of client::list_permit_semaphores() and visit_permit_semaphores() only: why the server does not let us look at it, as a
    /// message. Nothing else is known of it then; empty: it does.
    std::string problem{};
};

/// Which permit semaphores are listed.
struct permit_visit_options {
    /// Also those of which no permit is taken. The server has nothing but a number of these, as of semaphores and latches, so
    /// that each number whose name matches is taken for one.
    bool with_untaken = false;
};

} // namespace redlatch
