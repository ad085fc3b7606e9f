// The settings that Redisson has no key for. They stand under `redlatch`.
#pragma once

#include "api/yaml_level.hpp"

#include <span>
#include <string_view>

namespace redlatch::yaml_own {

inline constexpr std::string_view section = "redlatch";

/// Without those for TLS.
std::span<yaml_key const> keys();
/// Of these, what may stand at the top level too.
std::span<yaml_key const> keys_at_top();

yaml_level const& level();

} // namespace redlatch::yaml_own
