// A text of YAML as the documents that it holds.
#pragma once

#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace redlatch {

/// `first_line`: the number of the text's first line, for messages. Throws error(bad_config), also for hostile texts (too
/// large, too deep); nothing of yaml-cpp escapes.
std::vector<YAML::Node> parse_yaml(std::string_view text, int first_line);

/// The number of the line in which the text begins that a value of a text is.
int first_line_of(YAML::Node const& value, std::string_view text);

} // namespace redlatch
