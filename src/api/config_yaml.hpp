// A YAML document as a config, and what else a reader of files wants to know of it.
#pragma once

#include "api/yaml_setting.hpp"

#include <redlatch/config.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace redlatch {

struct yaml_config {
    config settings{};
    bool shows_password = false; ///< it stands in the text (of the other file, if one is named), not in the environment
    bool shows_password_beside = false; ///< the same of what stands under `redlatch` beside `spring`
};

/// The text of a file that a document of Spring Boot's names. Throws error(bad_config).
using other_yaml_file = std::function<std::string(yaml_setting const& name)>;

/// As config::from_yaml. Without `read_other` a document that names another file is refused.
yaml_config read_yaml(std::string_view text, other_yaml_file const& read_other = {});

} // namespace redlatch
