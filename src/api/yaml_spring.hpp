// Spring Boot's own keys for Redis, under `spring.redis` (Spring Boot 2) or `spring.data.redis` (3 and later).
#pragma once

#include "api/yaml_level.hpp"

#include <redlatch/config.hpp>

namespace redlatch::yaml_spring {

/// All that a document says there, by the names below that, as in `sentinel.master`: groups and dots mean the same, and so do
/// `clientName` and `client-name`. Throws error(bad_config) where a name stands twice.
yaml_settings found_in(YAML::Node const& root);

/// Sets what they say, as Redisson's starter for Spring Boot does. Throws error(bad_config).
void apply(config& settings, yaml_settings const& found);

} // namespace redlatch::yaml_spring
