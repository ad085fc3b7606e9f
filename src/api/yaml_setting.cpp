#include "api/yaml_setting.hpp"

#include "api/config_limits.hpp"
#include "api/environment_text.hpp"
#include "api/java_duration.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>

namespace redlatch {

namespace {

constexpr std::size_t longest_quote = 40;

std::string quoted(std::string const& text) {
    return "'" + io::printable(text, longest_quote) + "'";
}

std::int64_t parsed_number(std::string const& text, std::int64_t least, std::int64_t most, std::string const& unit) {
    std::int64_t number = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    auto const whole = end == text.data() + text.size();
    if (!whole || problem == std::errc::invalid_argument) refuse_yaml(quoted(text) + " is not a whole number" + unit);
    if (text.size() > 1 && text.front() == '0')
        refuse_yaml(quoted(text) + " has a leading zero, with which Java reads another number: write it without");
    if (problem == std::errc::result_out_of_range || number < least || number > most)
        refuse_yaml(quoted(text) + " is out of range; it must be from " + std::to_string(least) + " to "
                    + std::to_string(most) + unit);
    return number;
}

bool is_null_word(std::string const& text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

} // namespace

void refuse_yaml(std::string const& problem) {
    throw error(errc::bad_config, problem);
}

yaml_setting::yaml_setting(YAML::Node const& key, YAML::Node const& value, int first_line)
    : value_(value), line_(key.Mark().line + first_line) {
    if (!key.IsScalar()) refuse_yaml("line " + std::to_string(line_) + ": a key must be a plain name");
    name_ = key.Scalar();
}

yaml_setting::yaml_setting(yaml_setting const& other, std::string name)
    : name_(std::move(name)), value_(other.value_), line_(other.line_) {}

std::string yaml_setting::at() const {
    return "line " + std::to_string(line_) + ": " + shown_name();
}

std::string yaml_setting::shown_name() const {
    constexpr std::string_view name_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-<";
    auto const end = std::min(name_.find_first_not_of(name_bytes), name_.size());
    return end == name_.size() ? io::printable(name_, longest_quote)
                               : io::printable(name_.substr(0, end), longest_quote) + "…";
}

bool yaml_setting::is_null() const {
    if (value_.IsNull()) return true;
    // Java substitutes before it parses, so that a variable may say null; what stands in quotes (tag "!") is always text.
    return value_.IsScalar() && value_.Tag() != "!" && is_null_word(with_environment(value_.Scalar()));
}

std::string yaml_setting::text() const {
    if (is_null()) return {};
    if (!value_.IsScalar()) refuse_yaml("needs one value, not a list or a group of keys");
    return with_environment(value_.Scalar());
}

std::vector<std::string> yaml_setting::texts() const {
    std::vector<std::string> result;
    if (value_.IsSequence()) {
        for (auto const& one : value_) {
            if (!one.IsScalar()) refuse_yaml("needs a list of single values");
            result.push_back(with_environment(one.Scalar()));
        }
        return result;
    }
    std::istringstream parts(text());
    for (std::string part; std::getline(parts, part, ',');) {
        auto const first = part.find_first_not_of(' ');
        if (first == std::string::npos) refuse_yaml("has an empty place in its list");
        result.push_back(part.substr(first, part.find_last_not_of(' ') + 1 - first));
    }
    return result;
}

bool yaml_setting::truth() const {
    auto const word = io::lower_case(text());
    if (word == "yes" || word == "on") return true; // in YAML 1.1, which Java reads
    if (word == "no" || word == "off") return false;
    if (word != "true" && word != "false") refuse_yaml("must be true or false");
    return word == "true";
}

int yaml_setting::whole_number(int least, int most) const {
    return static_cast<int>(parsed_number(text(), least, most, ""));
}

duration yaml_setting::milliseconds(duration least) const {
    return duration(parsed_number(text(), least.count(), config_limits::longest.count(), " of milliseconds"));
}

duration yaml_setting::delay(duration least) const {
    if (value_.IsMap()) {
        for (auto const& entry : value_) {
            yaml_setting const part(entry.first, entry.second, 1);
            if (part.name() != "baseDelay" && part.name() != "minDelay" && part.name() != "delay") continue;
            // By an alias it might be a part of itself.
            if (part.node().IsMap()) refuse_yaml(part.name() + " in it needs a duration, not a group of keys");
            return part.delay(least);
        }
        refuse_yaml("needs baseDelay, minDelay or delay, as in !<org.redisson.config.ConstantDelay> {delay: PT1S}");
    }
    auto const value = text();
    if (!value.starts_with('P')) return milliseconds(least);
    auto const parsed = parse_java_duration(value);
    if (!parsed) refuse_yaml(quoted(value) + " is not a duration like PT1S or PT0.5S of at most ten years");
    if (*parsed < least)
        refuse_yaml(quoted(value) + " is too short; at least " + std::to_string(least.count()) + " ms");
    return *parsed;
}

} // namespace redlatch
