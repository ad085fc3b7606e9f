// --replicas and --replicas-timeout, and what is said of them.
#pragma once

#include <redlatch/error.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>

#include <optional>
#include <string>

namespace redlatch::cli {

/// None: neither flag is given. Throws usage_error.
std::optional<replica_policy> parse_replicas(std::optional<std::string> const& text,
                                             std::optional<duration> const& timeout);

/// What is given back for want of replicas counts as busy, as what others hold: this policy has the reason said.
std::optional<replica_policy> saying_why(std::optional<replica_policy> policy);
/// An error under such a policy, where the configuration's says that it is none.
bool counts_as_busy(error const& problem, std::optional<replica_policy> const& configured);
/// What is lost while its replicas are waited for was not acquired: nothing has run under it.
error as_not_acquired(error const& problem);
/// ", which 2 replicas have too"; empty: none was asked.
std::string held_by_replicas(std::optional<int> number);

} // namespace redlatch::cli
