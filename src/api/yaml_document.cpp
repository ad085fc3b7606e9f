#include "api/yaml_document.hpp"

#include "api/yaml_own.hpp"
#include "api/yaml_spring.hpp"
#include "api/yaml_text.hpp"
#include "io/log.hpp"

#include <algorithm>
#include <vector>

namespace redlatch {

namespace {

bool is_spring(YAML::Node const& root) {
    return root.IsMap() && std::any_of(root.begin(), root.end(), [](auto const& entry) {
               if (!entry.first.IsScalar()) return false;
               auto const& name = entry.first.Scalar();
               return name == "spring" || name.starts_with("spring.");
           });
}

yaml_document only_document(std::vector<YAML::Node> const& documents, int first_line) {
    if (documents.empty() || (documents.size() == 1 && documents.front().IsNull())) refuse_yaml("it is empty");
    // Behind what is no group of keys another document begins without a line with ---.
    if (documents.size() > 1 && (documents.front().IsMap() || documents.front().IsNull()))
        refuse_yaml("it holds more than one document (a line with ---)");
    if (!documents.front().IsMap())
        refuse_yaml(
            "it is not a group of keys like 'singleServerConfig:'; a file with lines like 'key=value' is not read, "
            "but its keys are, as YAML: 'key: value'");
    return {.redisson = documents.front(), .first_line = first_line};
}

void say_what_is_not_read(yaml_settings const& settings, std::string const& instead) {
    for (auto const& entry : settings)
        if (!entry.first.starts_with("redisson."))
            io::log(log_level::debug, "configuration, " + entry.second.at() + " is ignored: " + instead
                                          + " has all settings, as it has for Java");
}

/// Older versions of Redisson's starter have the name of a file where later ones have its text.
bool names_a_file(YAML::Node const& value) {
    auto const& text = value.Scalar();
    if (text.find_first_of(" \t\r\n") != std::string::npos) return false;
    return text.starts_with("classpath:") || text.starts_with("file:") || text.ends_with(".yaml")
           || text.ends_with(".yml") || text.ends_with(".json");
}

yaml_document document_of(yaml_settings settings, std::string_view text) {
    if (auto const config = settings.find("redisson.config"); config != settings.end()) {
        say_what_is_not_read(settings, "redisson.config");
        auto const& value = config->second.node();
        if (value.IsMap()) return {.redisson = value};
        if (!value.IsScalar()) refuse_yaml(config->second.at() + " holds no settings");
        if (names_a_file(value)) return {.kind = yaml_document::form::other_file, .file = config->second};
        auto const first_line = first_line_of(value, text);
        return only_document(parse_yaml(value.Scalar(), first_line), first_line);
    }
    if (auto const file = settings.find("redisson.file"); file != settings.end()) {
        say_what_is_not_read(settings, "redisson.file");
        return {.kind = yaml_document::form::other_file, .file = file->second};
    }
    return {.kind = yaml_document::form::spring_boot, .spring = std::move(settings)};
}

std::optional<yaml_setting> settings_beside(YAML::Node const& root) {
    for (auto const& entry : root)
        if (entry.first.IsScalar() && entry.first.Scalar() == yaml_own::section)
            return yaml_setting(entry.first, entry.second, 1);
    return std::nullopt;
}

yaml_document spring_document(std::vector<YAML::Node> const& documents, std::string_view text) {
    std::optional<yaml_document> result;
    for (auto const& root : documents) {
        if (!is_spring(root)) continue;
        auto settings = yaml_spring::found_in(root);
        if (settings.empty()) continue;
        if (result)
            refuse_yaml(
                "more than one of its documents has settings under spring.redis or spring.data.redis, and which "
                "of them is meant depends on Spring's profiles; give a file with one of them");
        result = document_of(std::move(settings), text);
        result->beside = settings_beside(root);
    }
    if (!result) refuse_yaml("it has nothing under spring.redis or spring.data.redis");
    return *std::move(result);
}

} // namespace

yaml_document open_yaml(std::string_view text) {
    auto const documents = parse_yaml(text, 1);
    if (std::any_of(documents.begin(), documents.end(), is_spring)) return spring_document(documents, text);
    return only_document(documents, 1);
}

yaml_document open_redisson_yaml(std::string_view text) {
    return only_document(parse_yaml(text, 1), 1);
}

} // namespace redlatch
