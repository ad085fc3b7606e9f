// --permits N/OF: how many permits a command runs with, and how many there are in all.
#pragma once

#include <redlatch/permit_info.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace redlatch::cli {

struct permit_request {
    int permits = 1;
    std::optional<int> of{}; ///< in all; none: it is not said

    /// "2/5", or "2"
    std::string text() const;
    friend bool operator==(permit_request const&, permit_request const&) = default;
};

/// "N" or "N/OF". Throws usage_error.
permit_request parse_permit_request(std::string const& text);

/// Throws error(invalid_argument) unless the semaphore has as many permits in all as the request says, and enough for it.
void require_total(permit_info const& semaphore, permit_request const& request);

/// The ids of the permits that the `redlatch run` around this process hold, outermost first, separated by blanks. Each adds
/// its own.
inline constexpr char const* permits_variable = "REDLATCH_PERMITS";
std::string permits_with(std::string const& more);

/// Throws error(invalid_argument): those around us, whose permits are `around` (a value of that variable), leave too few, and
/// wait for us. A wait without an end would have none.
void refuse_to_wait_for_permits_around(std::string_view around, permit_info const& semaphore,
                                       permit_request const& request);

} // namespace redlatch::cli
