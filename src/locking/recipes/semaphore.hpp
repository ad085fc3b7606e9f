// The permits of a semaphore. wire: protocol section 7.1.
#pragma once

#include "locking/counter.hpp"
#include "locking/names.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace redlatch::locking::semaphore {

/// Also of permits with leases.
inline std::string channel_of(std::string_view name) {
    return prefixed("redisson_sc", name);
}
wire_call release(counter_request const& request);
/// Nothing where there is no key.
wire_call release_if_exists(counter_request const& request);
wire_call drain(counter_request const& request);
/// `expiry`: none: for ever.
wire_call set(counter_request const& request, std::optional<base::milliseconds> expiry);

} // namespace redlatch::locking::semaphore
