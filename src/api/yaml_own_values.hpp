// References of a document of Spring's to other values of it, as in `host: ${app.redis-host}`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <yaml-cpp/yaml.h>

namespace redlatch {

/// Of hostile documents, in which a group may be a part of itself, only so much is looked at.
class yaml_own_values {
public:
    /// `document` is read when the first reference is met.
    explicit yaml_own_values(YAML::Node const& document) : document_(document) {}

    /// Replaces the references in all single values at and below `value`, where they stand; see with_own_values(). Variables of
    /// the environment, which come first, are left as they are. Throws error(bad_config).
    void resolve(YAML::Node value);

private:
    void resolve(YAML::Node value, int depth);
    void see_one(int depth);
    std::optional<std::string> value_of(std::string_view name);
    void read(YAML::Node const& map, std::string const& path, int depth);

    YAML::Node const document_;
    /// By their whole names, in which groups and dots mean the same. None: they were not read yet.
    std::optional<std::map<std::string, std::string>> values_{};
    int seen_ = 0;
    int looked_up_ = 0;
};

} // namespace redlatch
