#include "report/report.hpp"

#include "report/report_cells.hpp"

#include <algorithm>

namespace redlatch::bench {

namespace {

/// Columns are counted in characters, not in bytes: µ and ≥ have two and three.
std::size_t width_of(std::string const& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string padded(std::string const& text, std::size_t width, bool right) {
    std::string const blanks(width - std::min(width, width_of(text)), ' ');
    return right ? blanks + text : text + blanks;
}

std::string text_of(table const& all) {
    std::vector<std::size_t> widths(all.headings.size());
    auto rows = all.rows;
    rows.insert(rows.begin(), all.headings);
    for (auto const& row : rows)
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], width_of(row[column]));
    std::string text;
    for (auto const& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column)
            text += (column == 0 ? "" : "  ") + padded(row[column], widths[column], column > 0);
        text += "\n";
    }
    return text;
}

} // namespace

std::string as_text(report const& all) {
    std::string text;
    for (auto const& [key, value] : all.surroundings) text += padded(key + ":", 22, false) + value + "\n";
    std::string placement;
    for (auto const& one : all.results) {
        if (one.placement != placement) {
            placement = one.placement;
            text += "\n==== " + placement_title(placement) + "\n";
        }
        text += "\n" + text_of(table_of(one));
        for (auto const& remark : remarks_of(one)) text += "  " + remark + "\n";
    }
    return text;
}

} // namespace redlatch::bench
