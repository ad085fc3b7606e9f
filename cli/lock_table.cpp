#include "lock_table.hpp"

#include "durations.hpp"
#include "text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace redlatch::cli {
namespace {

constexpr std::array heading{"NAME", "TYPE", "CLIENT", "HOLDER", "COUNT", "TTL", "WAITING", "TOKEN", "LABEL"};
// A UUID has 36 characters, a number 20 at the most.
constexpr std::array<std::size_t, 8> least{16, 9, 36, 6, 5, 8, 7, 5};
constexpr std::array<std::size_t, 8> most{48, 12, 36, 20, 7, 14, 7, 20};
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
    if (!with_tokens_ && std::any_of(locks.begin(), locks.end(), [](auto const& lock) { return lock.token; })) {
        with_tokens_ = true;
        begun_ = false;
    }
    std::vector<row> rows;
    for (auto const& lock : locks) {
        auto const token = lock.token ? std::to_string(*lock.token) : "-";
        for (auto const& owner : lock.owners)
            rows.push_back({lock.name, lock.type, owner.client, owner.holder, std::to_string(owner.count),
                            time_left(lock), waiting(lock), token, owner.label.value_or("-")});
        if (lock.owners.empty())
            rows.push_back(
                {lock.name, lock.type, "(free for the first of its queue)", "-", "-", "-", waiting(lock), token, "-"});
        if (lock.truncated)
            rows.push_back({lock.name, lock.type, "(and more, which were not read)", "-", "-", time_left(lock),
                            waiting(lock), token, "-"});
    }
    return lines_of(rows);
}

std::string lock_table::rows_of(std::span<permit_info const> semaphores) {
    std::vector<row> rows;
    for (auto const& one : semaphores) {
        auto const first = one.leases.empty() ? std::nullopt : one.leases.front().remaining_lease;
        rows.push_back({one.name, "permits", "-", "-", std::to_string(one.taken) + "/" + std::to_string(one.permits),
                        first ? to_rounded_text(*first) : "for ever", "-", "-", "-"});
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
        row names;
        std::copy(heading.begin(), heading.end(), names.begin());
        text = line_of(names);
    }
    for (auto const& cells : rows) text += line_of(cells);
    return text;
}

std::string lock_table::line_of(row const& cells) const {
    std::string text;
    for (std::size_t at = 0; at < widths_.size(); ++at) {
        if (at == column_of_token && !with_tokens_) continue;
        auto const cell = shortened(cells[at], widths_[at]);
        text += cell + std::string(widths_[at] - columns(cell) + 2, ' ');
    }
    return text + shortened(cells.back(), longest_label) + '\n';
}

} // namespace redlatch::cli
