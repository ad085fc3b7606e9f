#include "lock_table.hpp"

#include "durations.hpp"
#include "text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace redlatch::cli {
namespace {

constexpr std::array heading{"NAME", "TYPE", "CLIENT", "HOLDER", "COUNT", "TTL", "WAITING", "LABEL"};
// A UUID has 36 characters, a number 20 at the most.
constexpr std::array<std::size_t, 7> least{16, 9, 36, 6, 5, 8, 7};
constexpr std::array<std::size_t, 7> most{48, 12, 36, 20, 7, 14, 7};
constexpr std::size_t longest_label = 128;

/// Only fair locks have a queue on the server.
std::string waiting(lock_info const& lock) {
    return lock.waiters.empty() ? "-" : std::to_string(lock.waiters.size());
}

} // namespace

std::string time_left(lock_info const& lock) {
    return lock.remaining_lease ? to_rounded_text(*lock.remaining_lease) : "for ever";
}

std::string lock_table::rows_of(std::span<lock_info const> locks) {
    std::vector<row> rows;
    for (auto const& lock : locks)
        for (auto const& owner : lock.owners)
            rows.push_back({lock.name, lock.type, owner.client, owner.holder, std::to_string(owner.count),
                            time_left(lock), waiting(lock), owner.label.value_or("-")});
    return lines_of(rows);
}

std::string lock_table::rows_of(std::span<permit_info const> semaphores) {
    std::vector<row> rows;
    for (auto const& one : semaphores) {
        auto const first = one.leases.empty() ? std::nullopt : one.leases.front().remaining_lease;
        rows.push_back({one.name, "permits", "-", "-", std::to_string(one.taken) + "/" + std::to_string(one.permits),
                        first ? to_rounded_text(*first) : "for ever", "-", "-"});
    }
    return lines_of(rows);
}

std::string lock_table::lines_of(std::vector<row> const& rows) {
    std::string text;
    if (!begun_) {
        begun_ = true;
        widths_ = least;
        for (auto const& cells : rows)
            for (std::size_t at = 0; at < widths_.size(); ++at)
                widths_[at] = std::max(widths_[at], columns(shortened(cells[at], most[at])));
        text =
            line_of({heading[0], heading[1], heading[2], heading[3], heading[4], heading[5], heading[6], heading[7]});
    }
    for (auto const& cells : rows) text += line_of(cells);
    return text;
}

std::string lock_table::line_of(row const& cells) const {
    std::string text;
    for (std::size_t at = 0; at < widths_.size(); ++at) {
        auto const cell = shortened(cells[at], widths_[at]);
        text += cell + std::string(widths_[at] - columns(cell) + 2, ' ');
    }
    return text + shortened(cells.back(), longest_label) + '\n';
}

} // namespace redlatch::cli
