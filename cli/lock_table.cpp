#include "lock_table.hpp"

#include "durations.hpp"
#include "permit_view.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace redlatch::cli {
namespace {

/// A UUID has 36 characters, a number 20 at the most.
std::vector<text_table::column> columns_of_locks(bool with_tokens) {
    std::vector<text_table::column> made{{"NAME", 16, 48}, {"TYPE", 9, 12}, {"CLIENT", 36, 36}, {"HOLDER", 6, 20},
                                         {"COUNT", 5, 7},  {"TTL", 8, 14},  {"WAITING", 7, 7}};
    if (with_tokens) made.push_back({"TOKEN", 5, 20});
    made.push_back({"LABEL", 5, 128});
    return made;
}

/// Only fair locks have a queue on the server.
std::string waiting(lock_info const& lock) {
    return lock.waiters.empty() ? "-" : std::to_string(lock.waiters.size());
}

} // namespace

std::string time_left(lock_info const& lock) {
    return lock.remaining_lease ? to_rounded_text(*lock.remaining_lease) : "for ever";
}

lock_table::lock_table() : table_(columns_of_locks(false)) {}

std::string lock_table::rows_of(std::span<lock_info const> locks) {
    if (!with_tokens_ && std::any_of(locks.begin(), locks.end(), [](auto const& lock) { return lock.token; })) {
        with_tokens_ = true;
        table_ = text_table(columns_of_locks(true));
    }
    std::vector<text_table::row> rows;
    for (auto const& lock : locks) {
        auto const add = [&](text_table::row cells, std::string label) {
            if (with_tokens_) cells.push_back(lock.token ? std::to_string(*lock.token) : "-");
            cells.push_back(std::move(label));
            rows.push_back(std::move(cells));
        };
        for (auto const& owner : lock.owners)
            add({lock.name, lock.type, owner.client, owner.holder, std::to_string(owner.count), time_left(lock),
                 waiting(lock)},
                owner.label.value_or("-"));
        if (lock.owners.empty())
            add({lock.name, lock.type, "(free for the first of its queue)", "-", "-", "-", waiting(lock)}, "-");
        if (lock.truncated)
            add({lock.name, lock.type, "(and more, which were not read)", "-", "-", time_left(lock), waiting(lock)},
                "-");
    }
    return table_.lines_of(rows);
}

std::string lock_table::rows_of(std::span<permit_info const> semaphores) {
    std::vector<text_table::row> rows;
    for (auto const& one : semaphores) {
        rows.push_back({one.name, "permits", "-", "-", std::to_string(one.taken) + "/" + std::to_string(one.permits),
                        time_left(one), "-", "-"});
        if (with_tokens_) rows.back().emplace_back("-");
    }
    return table_.lines_of(rows);
}

} // namespace redlatch::cli
