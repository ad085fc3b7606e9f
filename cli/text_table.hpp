// Rows in columns, printed as they come.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::cli {

/// The first rows decide how wide the columns are, within bounds; what is longer is shortened, so that columns stay columns.
class text_table {
public:
    struct column {
        char const* heading;
        std::size_t least; ///< so wide at the least; the last one, which ends the line, is as wide as its text
        std::size_t most;
    };
    using row = std::vector<std::string>; ///< a cell for each column, as it is, not yet printable

    explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// A line for each; the heading before the first.
    std::string lines_of(std::vector<row> const& rows);

private:
    std::string line_of(row const& cells) const;

    std::vector<column> columns_;
    std::vector<std::size_t> widths_{}; ///< empty: nothing was printed
};

} // namespace redlatch::cli
