// From a YAML text to the settings in it.
#pragma once

#include "api/yaml_level.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <yaml-cpp/yaml.h>

namespace redlatch {

struct yaml_document {
    enum class form {
        redisson,    ///< `redisson` has the settings
        spring_boot, ///< `spring` has them: Spring Boot's own keys
        other_file,  ///< Redisson's settings are in another file
    };

    form kind = form::redisson;
    YAML::Node redisson{};                ///< a map
    int first_line = 1;                   ///< the line of the text that holds line 0 of its marks
    yaml_settings spring{};               ///< by their names under spring.redis, as in sentinel.master
    std::optional<yaml_setting> file{};   ///< names the other file
    std::optional<yaml_setting> beside{}; ///< what stands under `redlatch` beside `spring`
};

/// Finds the settings: the document itself, or what Spring Boot keeps under `spring.redis` or `spring.data.redis`: a
/// `redisson.config`, as a group of keys, as a block of text or as the name of a file, or a `redisson.file`, or else its own
/// keys. Throws error(bad_config), also for hostile documents; nothing of yaml-cpp escapes.
yaml_document open_yaml(std::string_view text);

/// Of a text that cannot be one of Spring Boot's.
yaml_document open_redisson_yaml(std::string_view text);

} // namespace redlatch
