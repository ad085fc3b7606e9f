// Memory that all processes of a soak share: who is inside, and what was counted.
//
// Exclusion is judged without a clock. Whoever enters a section takes the next number of its lock. Whoever is inside reads the
// last number and then asks its hold: if that is still valid, everybody who came in between must have found its own hold
// invalid and have said so (turned away).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace redlatch::soak {

using number = std::atomic<std::uint64_t>;
static_assert(number::is_always_lock_free, "processes share it");

struct lock_cell {
    number last;
    std::array<number, 1024> turned_away; ///< the number itself, at its remainder
};

/// Of one process; only it writes.
struct process_row {
    number acquired;
    number sections; ///< judged
    number refused;  ///< busy, timed out
    number cancelled;
    number disconnected;                 ///< also: outcome unknown, loading its data
    number lost;                         ///< found lost, by the hold or by the release
    number told;                         ///< callbacks of lost()
    number clients;                      ///< opened and closed besides the one of the process
    number forced;                       ///< force_unlock()
    std::array<number, 32> other_errors; ///< by redlatch::errc
    number overrun_us;                   ///< the longest time that a call took beyond its deadline
    number handler_overrun_us;           ///< and that a handler ran beyond it
};

constexpr std::size_t judged_locks = 16;
/// Keys that others delete and force; exclusion is not judged there.
constexpr std::size_t abused_locks = 8;
std::string judged_name(std::size_t lock);
std::string abused_name(std::size_t lock);

constexpr std::size_t most_processes = 16;

struct board {
    number violations;
    std::array<lock_cell, judged_locks> locks;
    std::array<process_row, most_processes> rows;
};

/// One stay inside, on one thread.
class presence {
public:
    explicit presence(board& shared, std::size_t lock) noexcept
        : board_(&shared), cell_(&shared.locks[lock]), mine_(cell_->last.fetch_add(1) + 1) {}

    /// The hold turned out to be invalid before any look: as if one had never entered.
    void turn_away() noexcept { cell_->turned_away[mine_ % cell_->turned_away.size()] = mine_; }

    /// Reads the resource; `is_valid()` is asked afterwards. False: not valid any more, the stay is over.
    template <class IsValid> bool look(IsValid&& is_valid) {
        auto const last = cell_->last.load();
        if (!is_valid()) return false;
        if (last != mine_ && !all_were_turned_away(last)) board_->violations.fetch_add(1);
        return true;
    }

private:
    /// Waits for those who have just entered and have not looked yet.
    bool all_were_turned_away(std::uint64_t last) const;

    board* board_;
    lock_cell* cell_;
    std::uint64_t mine_;
};

/// A file of that size, mapped; made and zeroed when it is not there.
class mapped_board {
public:
    explicit mapped_board(std::string const& file);
    mapped_board(mapped_board const&) = delete;
    mapped_board& operator=(mapped_board const&) = delete;
    ~mapped_board();

    board& operator*() const noexcept { return *board_; }
    board* operator->() const noexcept { return board_; }

private:
    board* board_;
};

} // namespace redlatch::soak
