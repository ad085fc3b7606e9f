#include "text_table.hpp"

#include "text.hpp"

#include <algorithm>

namespace redlatch::cli {

std::string text_table::lines_of(std::vector<row> const& rows) {
    std::string text;
    if (widths_.empty()) {
        row names;
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            auto width = columns_[at].least;
            for (auto const& cells : rows) width = std::max(width, columns(shortened(cells[at], columns_[at].most)));
            widths_.push_back(width);
            names.emplace_back(columns_[at].heading);
        }
        widths_.back() = columns_.back().most;
        text = line_of(names);
    }
    for (auto const& cells : rows) text += line_of(cells);
    return text;
}

std::string text_table::line_of(row const& cells) const {
    std::string text;
    for (std::size_t at = 0; at + 1 < widths_.size(); ++at) {
        auto const cell = shortened(cells[at], widths_[at]);
        text += cell + std::string(widths_[at] - columns(cell) + 2, ' ');
    }
    return text + shortened(cells.back(), widths_.back()) + '\n';
}

} // namespace redlatch::cli
