// --replicas and --replicas-timeout.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>

#include <optional>
#include <string>

namespace redlatch::cli {

/// None: neither flag is given. Throws usage_error.
std::optional<replica_policy> parse_replicas(std::optional<std::string> const& text,
                                             std::optional<duration> const& timeout);

} // namespace redlatch::cli
