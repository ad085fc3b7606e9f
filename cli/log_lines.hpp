// The library's own log on stderr, as --verbose shows it.
#pragma once

#include "report.hpp"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace redlatch::cli {

/// Lines come from the I/O thread too, which renews: a reader of stderr that has stopped reading must not hold it up. So a line
/// that cannot be written at once is left out, and a later one is preceded by how many were.
/// Thread safety: distinct and shared objects: safe; each line is one write.
class log_lines {
public:
    explicit log_lines(report const& reporter) noexcept : reporter_(reporter) {}

    /// Never blocks.
    void show(std::string_view line);

private:
    report reporter_;
    std::atomic<std::int64_t> left_out_{0};
};

} // namespace redlatch::cli
