// What the library's log says of messages that this user may not send or hear, shown also without --verbose: whoever waits is
// woken late then, and nobody else says why.
#pragma once

#include "report.hpp"

#include <atomic>
#include <string_view>

namespace redlatch::cli {

/// Thread safety: distinct and shared objects: safe; each line is one write.
class message_warnings {
public:
    explicit message_warnings(report const& reporter) noexcept : reporter_(reporter) {}

    /// A line of the log: of each of the two the first one is shown. Never blocks, as log_lines.
    void show(std::string_view line);

private:
    report const reporter_;
    std::atomic<bool> said_of_sending_{false};
    std::atomic<bool> said_of_hearing_{false};
};

} // namespace redlatch::cli
