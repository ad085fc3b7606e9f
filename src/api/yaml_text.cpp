#include "api/yaml_text.hpp"

#include "api/yaml_setting.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

namespace redlatch {

namespace {

// yaml-cpp needs less than a second for the worst document of this size, and refuses to nest deeper than 500 levels.
constexpr std::size_t largest_document = std::size_t{1} << 20;

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
    void OnScalar(YAML::Mark const& mark, std::string const&, YAML::anchor_t, std::string const&) override {
        last_scalar_ = mark;
    }
    void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

    /// Where the last value begins.
    YAML::Mark last_scalar() const noexcept { return last_scalar_; }

private:
    int last_start_ = -1;
    YAML::Mark last_scalar_ = YAML::Mark::null_mark();
};

void check_progress(std::string const& text, progress_check& progress) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(progress)) {
    }
}

void check_progress(std::string const& text) {
    progress_check progress;
    check_progress(text, progress);
}

bool is_unclosed_quote(YAML::Exception const& problem) {
    return problem.msg == YAML::ErrorMsg::EOF_IN_SCALAR;
}

/// Of a text that ends within quotes: where they open. With the mark that is missing the value is complete, and the last one,
/// even if more is missing.
YAML::Mark opening_quote(std::string const& text) {
    YAML::Mark last;
    for (auto const* const end : {"\n\"", "\n'", "\n\":", "\n':"}) { // the latter two of a key
        progress_check progress;
        try {
            check_progress(text + end, progress);
        } catch (YAML::ParserException const& problem) {
            if (is_unclosed_quote(problem)) continue; // it is the other mark
        }
        if (progress.last_scalar().pos > last.pos) last = progress.last_scalar();
    }
    return last;
}

/// yaml-cpp takes a line feed at the end of the text for the end of the value. A comment behind it is one only outside of
/// quotes.
void check_quotes(std::string const& text) {
    try {
        check_progress(text + "\n# the end");
    } catch (YAML::ParserException const& problem) {
        if (!is_unclosed_quote(problem)) throw;
        throw YAML::ParserException(opening_quote(text), "a quotation mark opens here and is not closed");
    }
}

/// yaml-cpp quotes behind a colon, and that may be a part of a password.
std::string without_quotes(std::string const& message) {
    return message.substr(0, message.find(':'));
}

std::string_view line_at(std::string_view text, int number) {
    for (; number > 0; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find('\n'));
}

} // namespace

std::vector<YAML::Node> parse_yaml(std::string_view text, int first_line) {
    if (text.size() > largest_document) refuse_yaml("it is larger than 1 MiB");
    if (text.find('\0') != std::string_view::npos) refuse_yaml("it contains a NUL byte");
    try {
        std::string const copy(text);
        check_quotes(copy);
        check_progress(copy);
        return YAML::LoadAll(copy);
    } catch (YAML::DeepRecursion const&) {
        refuse_yaml("it is nested too deeply");
    } catch (YAML::Exception const& problem) {
        auto const line = problem.mark.is_null() ? first_line : problem.mark.line + first_line;
        refuse_yaml("line " + std::to_string(line) + ": it is not well-formed YAML: " + without_quotes(problem.msg));
    }
}

/// The lines of a text within a document count on from those of the document. A block begins below its | or >.
int first_line_of(YAML::Node const& value, std::string_view text) {
    auto const mark = value.Mark();
    auto const line = line_at(text, mark.line);
    auto const column = static_cast<std::size_t>(std::max(mark.column, 0));
    auto const is_block = column < line.size() && (line[column] == '|' || line[column] == '>');
    return mark.line + (is_block ? 2 : 1);
}

} // namespace redlatch
