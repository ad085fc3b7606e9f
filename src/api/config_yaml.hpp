// A YAML document as a config, and what else a reader of files wants to know of it.
#pragma once

#include <redlatch/config.hpp>

#include <string_view>

namespace redlatch {

struct yaml_config {
    config settings{};
    bool shows_password = false; ///< it stands in the text, not in the environment
};

/// As config::from_yaml.
yaml_config read_yaml(std::string_view text);

} // namespace redlatch
