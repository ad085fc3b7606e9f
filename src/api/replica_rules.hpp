// Which policies about replicas cannot be used.
#pragma once

#include <redlatch/replica_policy.hpp>

#include <string>

namespace redlatch::detail {

inline constexpr int most_replicas = 1000;
inline constexpr int most_replica_retries = 100;

/// What is wrong with it; empty: nothing.
std::string problem_of(replica_policy const& policy);

} // namespace redlatch::detail
