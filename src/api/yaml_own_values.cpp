#include "api/yaml_own_values.hpp"

#include "api/environment_text.hpp"
#include "api/yaml_nearest.hpp"
#include "api/yaml_setting.hpp"

#include <cstddef>

namespace redlatch {

namespace {

constexpr int deepest_group = 30;
constexpr int most_entries = 100'000;
constexpr int most_references = 1'000;
constexpr std::size_t longest_name = 1'000; ///< nobody refers to a longer one

} // namespace

void yaml_own_values::resolve(YAML::Node value) {
    resolve(value, 0);
}

void yaml_own_values::resolve(YAML::Node value, int depth) {
    see_one(depth);
    if (value.IsScalar()) {
        auto const& before = value.Scalar();
        if (before.find("${") == std::string::npos) return;
        auto const text = with_own_values(before, [this](std::string_view name) { return value_of(name); });
        if (text != before) value = text; // in its place: line and quotes stay what they are
    } else if (value.IsSequence()) {
        for (auto const& each : value) resolve(each, depth + 1);
    } else if (value.IsMap()) {
        for (auto const& entry : value) resolve(entry.second, depth + 1);
    }
}

void yaml_own_values::see_one(int depth) {
    if (++seen_ > most_entries || depth > deepest_group) refuse_yaml("it has too many keys, or a group within itself");
}

std::optional<std::string> yaml_own_values::value_of(std::string_view name) {
    if (++looked_up_ > most_references) refuse_yaml("the document has too many references to names");
    if (!values_) {
        values_.emplace();
        read(document_, {}, 0);
    }
    auto const found = values_->find(folded_key(name));
    return found == values_->end() ? std::nullopt : std::optional(found->second);
}

void yaml_own_values::read(YAML::Node const& map, std::string const& path, int depth) {
    for (auto const& entry : map) {
        see_one(depth);
        if (!entry.first.IsScalar()) continue;
        auto const key = folded_key(entry.first.Scalar());
        auto const whole = path.empty() ? key : path + "." + key;
        if (whole.size() > longest_name) continue;
        if (entry.second.IsMap())
            read(entry.second, whole, depth + 1);
        else if (entry.second.IsScalar())
            values_->emplace(whole, entry.second.Scalar());
    }
}

} // namespace redlatch
