// One `key: value` of a YAML document, read as what the key calls for.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace redlatch {

/// Throws error(bad_config).
[[noreturn]] void refuse_yaml(std::string const& problem);

/// All readers throw error(bad_config) with a message that does not name line and key; see at(). Values in `${…}` come from
/// the environment.
class yaml_setting {
public:
    yaml_setting(YAML::Node const& key, YAML::Node const& value, int first_line);
    /// The same value, under another name.
    yaml_setting(yaml_setting const& other, std::string name);

    std::string const& name() const noexcept { return name_; }
    int line() const noexcept { return line_; }
    /// `line 7: timeout`. Of what is no name only the beginning: a value that was taken for a name may be a password.
    std::string at() const;

    YAML::Node const& node() const noexcept { return value_; }
    /// `~`, `null`, nothing at all, or a variable that says so.
    bool is_null() const;
    /// A scalar; empty for null.
    std::string text() const;
    /// A list of scalars, or one scalar with commas between.
    std::vector<std::string> texts() const;
    bool truth() const;
    int whole_number(int least, int most) const;
    duration milliseconds(duration least) const;
    /// Milliseconds, `PT1S`, or one of Redisson's delay classes, of which the first delay is taken.
    duration delay(duration least) const;

private:
    std::string shown_name() const;

    std::string name_;
    YAML::Node value_;
    int line_;
};

} // namespace redlatch
