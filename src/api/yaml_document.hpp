// From a YAML text to the map of Redisson's settings in it.
#pragma once

#include <string_view>
#include <yaml-cpp/yaml.h>

namespace redlatch {

struct yaml_document {
    YAML::Node settings; ///< a map
    int first_line = 1;  ///< the line of the text that holds line 0 of the node's marks
};

/// Finds the settings: the document itself, or what Spring Boot keeps under `spring.redis.redisson.config` or
/// `spring.data.redis.redisson.config`, as a group of keys or as a block of text. Throws error(bad_config), also for hostile
/// documents (too large, too deep); nothing of yaml-cpp escapes.
yaml_document open_yaml(std::string_view text);

} // namespace redlatch
