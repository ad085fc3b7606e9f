#include "api/yaml_level.hpp"

#include "api/environment_text.hpp"
#include "api/yaml_nearest.hpp"
#include "io/log.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>

namespace redlatch {

namespace {

auto is_named(std::string_view name) {
    return [name](auto const& key) { return key.name == name; };
}

/// "in sentinelServersConfig or clusterServersConfig"; empty: nowhere.
std::string places_of(std::string_view name, std::span<yaml_level const> others) {
    constexpr std::string_view in = "in ";
    std::vector<std::string_view> titles;
    for (auto const& one : others) {
        if (!one.has(name)) continue;
        if (std::ranges::find(titles, one.title) != titles.end())
            return std::string(one.title); // the document's own section
        titles.push_back(one.title);
    }
    std::string all;
    for (std::size_t i = 0; i < titles.size(); ++i) {
        bool const goes_on = i > 0 && titles[i].starts_with(in) && titles[i - 1].starts_with(in);
        all += i == 0 ? "" : i + 1 == titles.size() ? " or " : ", ";
        all += goes_on ? titles[i].substr(in.size()) : titles[i];
    }
    return all;
}

[[noreturn]] void refuse_unknown(yaml_setting const& setting, yaml_level const& level,
                                 std::span<yaml_level const> others) {
    if (setting.name().find(':') != std::string::npos)
        refuse_yaml(setting.at() + " is not a key; a space is missing after its colon, as in password: secret");
    auto const places = places_of(setting.name(), others);
    if (!places.empty()) refuse_yaml(setting.at() + " belongs " + places + ", not " + std::string(level.title));
    std::vector<std::string_view> names(level.groups);
    for (auto const keys : level.keys)
        for (auto const& key : keys) names.push_back(key.name);
    for (auto const keys : level.ignored)
        for (auto const& key : keys) names.push_back(key.name);
    auto const near = nearest_key(setting.name(), names);
    refuse_yaml(setting.at() + " is not known " + std::string(level.title)
                + (near.empty() ? std::string() : "; the nearest known name is " + near));
}

/// What stands in the document of a value.
std::string own_text(YAML::Node const& value) {
    if (!value.IsScalar()) return {};
    auto text = without_environment(value.Scalar());
    return text == "null" ? std::string() : text;
}

bool has_address_with_password(YAML::Node const& value) {
    if (value.IsSequence())
        return std::any_of(value.begin(), value.end(),
                           [](YAML::Node const& one) { return io::has_password(own_text(one)); });
    return io::has_password(own_text(value));
}

bool ends_with_one_of(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::ranges::any_of(ends, [name](std::string_view end) { return name.ends_with(end); });
}

} // namespace

bool yaml_level::has(std::string_view name) const {
    auto const in = [&](auto const& some) { return std::ranges::any_of(some, is_named(name)); };
    return std::ranges::any_of(keys, in) || std::ranges::any_of(ignored, in)
           || std::ranges::find(groups, name) != groups.end();
}

void add_setting(yaml_settings& all, yaml_setting const& setting) {
    auto const [former, is_new] = all.try_emplace(setting.name(), setting);
    if (!is_new) refuse_yaml(setting.at() + " stands already in line " + std::to_string(former->second.line()));
}

yaml_settings settings_of(YAML::Node const& node, int first_line) {
    yaml_settings result;
    for (auto const& entry : node) add_setting(result, yaml_setting(entry.first, entry.second, first_line));
    return result;
}

void check_names(yaml_settings const& settings, yaml_level const& level, std::span<yaml_level const> others) {
    for (auto const& entry : settings) {
        auto const& setting = entry.second;
        if (!level.has(setting.name())) refuse_unknown(setting, level, others);
        for (auto const keys : level.ignored)
            if (auto const found = std::ranges::find_if(keys, is_named(setting.name())); found != keys.end())
                io::log(log_level::debug,
                        "configuration, " + setting.at() + " is ignored: " + std::string(found->reason));
    }
}

bool has_value(yaml_settings const& settings, std::string_view name) {
    auto const found = settings.find(name);
    if (found == settings.end()) return false;
    try {
        return !found->second.is_null();
    } catch (error const& problem) {
        refuse_yaml(found->second.at() + ": " + problem.what());
    }
}

void apply(config& result, yaml_settings const& settings, yaml_level const& level) {
    for (auto const keys : level.keys)
        for (auto const& key : keys) {
            auto const found = settings.find(key.name);
            if (found == settings.end()) continue;
            try {
                if (!found->second.is_null()) key.apply(result, found->second);
            } catch (error const& problem) {
                refuse_yaml(found->second.at() + ": " + problem.what());
            }
        }
}

bool shows_password(yaml_settings const& settings) {
    return std::ranges::any_of(settings, [](auto const& entry) {
        auto const& [name, setting] = entry;
        if (ends_with_one_of(name, {"assword"})) return !own_text(setting.node()).empty();
        return ends_with_one_of(name, {"ddress", "ddresses", "nodes", "url"})
               && has_address_with_password(setting.node());
    });
}

} // namespace redlatch
