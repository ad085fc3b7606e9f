// The five sections of Redisson's configuration of which each document has one: how the servers are arranged.
#pragma once

#include "api/yaml_level.hpp"

#include <span>
#include <string_view>

namespace redlatch::yaml_servers {

struct section {
    std::string_view name;
    server_mode mode = server_mode::single;
    duration scan_interval{}; ///< Redisson's default
    std::string_view address; ///< the key that names the servers
    std::string_view example; ///< of it
    yaml_level level;
};

std::span<section const> sections();

/// Sets what the section says. Throws error(bad_config).
void apply(config& settings, yaml_settings const& entries, section const& chosen);

} // namespace redlatch::yaml_servers
