// Semaphores and latches in columns, printed as they come: of one type, which somebody has said.
#pragma once

#include "text_table.hpp"

#include <redlatch/counter_info.hpp>
#include <redlatch/permit_info.hpp>

#include <span>
#include <string>
#include <string_view>

namespace redlatch::cli {

class counter_table {
public:
    /// `type`: "semaphore", "latch" or "permits".
    explicit counter_table(std::string_view type);

    /// A row for each; the heading before the first.
    std::string rows_of(std::span<counter_info const> counters);
    /// Of permit semaphores; in TTL when the first permit comes back.
    std::string rows_of(std::span<permit_info const> semaphores);

private:
    text_table table_;
};

} // namespace redlatch::cli
