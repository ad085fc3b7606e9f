#include "api/yaml_document.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <vector>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

namespace redlatch {

namespace {

// yaml-cpp needs less than a second for the worst document of this size, and refuses to nest deeper than 500 levels.
constexpr std::size_t largest_document = std::size_t{1} << 20;

constexpr std::string_view spring_paths[]{"spring.redis.redisson", "spring.data.redis.redisson"};

[[noreturn]] void refuse_document(std::string const& problem) {
    throw error(errc::bad_config, problem);
}

/// Reads without keeping anything, and refuses a text at which yaml-cpp 0.7 stands still: after ", " it finds empty documents
/// at one and the same place for ever, and LoadAll keeps them all.
class progress_check : public YAML::EventHandler {
public:
    void OnDocumentStart(YAML::Mark const& mark) override {
        if (mark.pos == last_start_) throw YAML::ParserException(mark, "a character that cannot begin a document");
        last_start_ = mark.pos;
    }
    void OnDocumentEnd() override {}
    void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
    void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
    void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t, std::string const&) override {}
    void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

private:
    int last_start_ = -1;
};

void check_progress(std::string const& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    progress_check progress;
    while (parser.HandleNextDocument(progress)) {
    }
}

/// yaml-cpp quotes behind a colon, and that may be a part of a password.
std::string without_quotes(std::string const& message) {
    return message.substr(0, message.find(':'));
}

std::vector<YAML::Node> parse(std::string_view text, int first_line) {
    if (text.size() > largest_document) refuse_document("it is larger than 1 MiB");
    if (text.find('\0') != std::string_view::npos) refuse_document("it contains a NUL byte");
    try {
        std::string const copy(text);
        check_progress(copy);
        return YAML::LoadAll(copy);
    } catch (YAML::DeepRecursion const&) {
        refuse_document("it is nested too deeply");
    } catch (YAML::Exception const& problem) {
        auto const line = problem.mark.is_null() ? first_line : problem.mark.line + first_line;
        refuse_document("line " + std::to_string(line)
                        + ": it is not well-formed YAML: " + without_quotes(problem.msg));
    }
}

/// The value at a path of names. YAML of Spring writes them as nested groups, as one name with dots, or as a mixture.
std::optional<YAML::Node> find(YAML::Node const& node, std::string_view path) {
    if (!node.IsMap()) return std::nullopt;
    for (auto const& entry : node) {
        if (!entry.first.IsScalar()) continue;
        std::string_view const name = entry.first.Scalar();
        if (name == path) return entry.second;
        if (!name.empty() && path.starts_with(name) && path.substr(name.size()).starts_with('.'))
            if (auto found = find(entry.second, path.substr(name.size() + 1))) return found;
    }
    return std::nullopt;
}

std::string_view line_at(std::string_view text, int number) {
    for (; number > 0; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find('\n'));
}

/// The lines of a text within a document count on from those of the document. A block begins below its | or >.
int first_line_of(YAML::Node const& value, std::string_view text) {
    auto const mark = value.Mark();
    auto const line = line_at(text, mark.line);
    auto const column = static_cast<std::size_t>(std::max(mark.column, 0));
    auto const is_block = column < line.size() && (line[column] == '|' || line[column] == '>');
    return mark.line + (is_block ? 2 : 1);
}

bool is_spring(YAML::Node const& root) {
    return root.IsMap() && std::any_of(root.begin(), root.end(), [](auto const& entry) {
               if (!entry.first.IsScalar()) return false;
               auto const& name = entry.first.Scalar();
               return name == "spring" || name.starts_with("spring.");
           });
}

yaml_document only_document(std::vector<YAML::Node> const& documents, int first_line) {
    if (documents.empty() || (documents.size() == 1 && documents.front().IsNull())) refuse_document("it is empty");
    if (documents.size() > 1) refuse_document("it holds more than one document (a line with ---)");
    if (!documents.front().IsMap()) refuse_document("it is not a group of keys like 'singleServerConfig:'");
    return {documents.front(), first_line};
}

std::optional<yaml_document> spring_document(std::vector<YAML::Node> const& documents, std::string_view text) {
    std::optional<yaml_document> result;
    for (auto const& root : documents) {
        for (auto const path : spring_paths) {
            if (find(root, std::string(path) + ".file"))
                refuse_document(std::string(path) + ".file names another file; give that file instead of this one");
            auto const value = find(root, std::string(path) + ".config");
            if (!value) continue;
            if (result) refuse_document("more than one of its documents has a " + std::string(path) + ".config");
            if (value->IsMap()) {
                result.emplace(yaml_document{*value, 1});
            } else if (value->IsScalar()) {
                auto const first_line = first_line_of(*value, text);
                result.emplace(only_document(parse(value->Scalar(), first_line), first_line));
            } else {
                refuse_document(std::string(path) + ".config holds no settings");
            }
        }
    }
    return result;
}

} // namespace

yaml_document open_yaml(std::string_view text) {
    auto const documents = parse(text, 1);
    if (auto result = spring_document(documents, text)) return *std::move(result);
    if (std::any_of(documents.begin(), documents.end(), is_spring))
        refuse_document("it has nothing under spring.redis.redisson.config or spring.data.redis.redisson.config");
    return only_document(documents, 1);
}

} // namespace redlatch
