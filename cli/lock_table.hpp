// Locks in columns, printed as they come.
#pragma once

#include <redlatch/lock_info.hpp>
#include <redlatch/permit_info.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace redlatch::cli {

/// The first rows decide how wide the columns are, within bounds; what is longer is shortened, so that columns stay columns.
class lock_table {
public:
    /// A row for each holder, or one for the queue of a lock that nobody holds; the heading before the first. The column TOKEN
    /// is there from the first lock that ever gave out a fencing token; where others are shown before it, the heading is
    /// written anew.
    std::string rows_of(std::span<lock_info const> locks);
    /// A row for each semaphore: in COUNT how many of its permits are taken, in TTL when the first one comes back.
    std::string rows_of(std::span<permit_info const> semaphores);

private:
    static constexpr std::size_t columns_before_the_last = 8;
    static constexpr std::size_t column_of_token = 7;
    using row = std::array<std::string, columns_before_the_last + 1>; ///< as they are, not yet printable
    std::string lines_of(std::vector<row> const& rows);
    std::string line_of(row const& cells) const;

    bool begun_ = false;
    bool with_tokens_ = false;
    std::array<std::size_t, columns_before_the_last> widths_{};
};

/// How long the key lives still.
std::string time_left(lock_info const& lock);

} // namespace redlatch::cli
