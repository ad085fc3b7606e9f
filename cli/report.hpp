// What the tool says of its own, all of it on stderr.
#pragma once

#include "json_line.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {

/// Thread safety: distinct and shared objects: safe; each line is one write.
class report {
public:
    report() = default;
    report(bool verbose, bool json) noexcept : verbose_(verbose), json_(json) {}

    bool json() const noexcept { return json_; }
    /// Is anybody interested in what goes well?
    bool wants_notes() const noexcept { return verbose_ || json_; }

    /// Something ordinary: shown with --verbose or --json only.
    void note(std::string_view event, std::string_view message, std::vector<field> const& fields = {}) const;

    /// Something went wrong: always shown.
    void problem(std::string_view event, std::string_view message, std::vector<field> const& fields = {}) const;

    /// As it would be written, with its line feed.
    std::string line(std::string_view event, std::string_view message, std::vector<field> const& fields = {}) const;

private:
    void say(std::string_view event, std::string_view message, std::vector<field> const& fields) const;

    bool verbose_ = false;
    bool json_ = false;
};

} // namespace redlatch::cli
