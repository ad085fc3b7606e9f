#include "counter_table.hpp"

#include "permit_view.hpp"

#include <vector>

namespace redlatch::cli {
namespace {

std::vector<text_table::column> columns_of_counters(std::string_view type) {
    text_table::column const name{"NAME", 16, 48};
    if (type == "semaphore") return {name, {"FREE", 4, 20}};
    if (type == "latch") return {name, {"COUNT", 5, 20}};
    return {name, {"FREE", 6, 20}, {"TAKEN", 6, 20}, {"TTL", 8, 14}};
}

} // namespace

counter_table::counter_table(std::string_view type) : table_(columns_of_counters(type)) {}

std::string counter_table::rows_of(std::span<counter_info const> counters) {
    std::vector<text_table::row> rows;
    rows.reserve(counters.size());
    for (auto const& one : counters) rows.push_back({one.name, std::to_string(one.number)});
    return table_.lines_of(rows);
}

std::string counter_table::rows_of(std::span<permit_info const> semaphores) {
    std::vector<text_table::row> rows;
    rows.reserve(semaphores.size());
    for (auto const& one : semaphores)
        rows.push_back({one.name, std::to_string(one.available), std::to_string(one.taken), time_left(one)});
    return table_.lines_of(rows);
}

} // namespace redlatch::cli
