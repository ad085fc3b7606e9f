// A group of keys in a YAML document: which may stand in it, what each means, and which mean nothing here.
#pragma once

#include "api/yaml_setting.hpp"

#include <redlatch/config.hpp>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch {

struct yaml_key {
    std::string_view name;
    void (*apply)(config&, yaml_setting const&);
};

struct ignored_yaml_key {
    std::string_view name;
    std::string_view reason; ///< a sentence for those who expect it to have an effect
};

struct yaml_level {
    std::string_view title;                      ///< "in singleServerConfig"
    std::vector<std::span<yaml_key const>> keys; ///< applied in this order
    std::vector<std::span<ignored_yaml_key const>> ignored{};
    std::vector<std::string_view> groups{}; ///< levels of their own, or what their reader reads

    bool has(std::string_view name) const;
};

using yaml_settings = std::map<std::string, yaml_setting, std::less<>>;

/// Of a map. Throws error(bad_config) where a name stands twice.
yaml_settings settings_of(YAML::Node const& node, int first_line);
/// Throws error(bad_config) where `setting` is there already.
void add_setting(yaml_settings& all, yaml_setting const& setting);

/// Logs one debug line for each key that is ignored. Throws error(bad_config) for the unknown, with the nearest known name, or
/// with that of `others` in which it may stand.
void check_names(yaml_settings const& settings, yaml_level const& level, std::span<yaml_level const> others);
/// It stands there and is not null. Throws error(bad_config) with line and key.
bool has_value(yaml_settings const& settings, std::string_view name);
/// Values that are null change nothing. Throws error(bad_config).
void apply(config& result, yaml_settings const& settings, yaml_level const& level);

/// A password stands in the document itself, not in the environment.
bool shows_password(yaml_settings const& settings);

} // namespace redlatch
