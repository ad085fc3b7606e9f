// Permits that have ids and leases. wire: protocol section 7.3.
#pragma once

#include "locking/counter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking::permits {

/// The key of the times when the leases of the permits that are taken end.
std::string timeouts_of(std::string_view name);

/// All ids or none.
wire_call release(counter_request const& request);
/// The server's word on a release.
struct permit_release_answer {
    std::int64_t missing = 0; ///< the position, from 1, of the first id that is not there: nothing was done; 0: done
    bool none_there = false;  ///< of missing: nor is any other one
    bool announced = true;    ///< false: this user may not publish
};
/// None: it is not understood.
std::optional<permit_release_answer> read_release(resp::value const& reply);

/// The lease of all ids from now on.
wire_call set_lease(counter_request const& request);
/// The positions, from 1, of the ids that are not there.
std::optional<std::vector<std::int64_t>> read_set_lease(resp::value const& reply, std::size_t ids);

/// How many are there in all, those included that are taken: what is missing is added, or taken away.
wire_call set_total(counter_request const& request);

/// What there is; with an id, the lease of that permit too.
wire_call look(counter_request const& request);
struct sight {
    std::int64_t available = 0;
    std::int64_t taken = 0;
    bool is_set = false;
    bool found = false;                        ///< the id
    std::optional<base::milliseconds> lease{}; ///< of the id; none: for ever
};
std::optional<sight> read_sight(resp::value const& reply);

} // namespace redlatch::locking::permits
