// Memory that all processes of a mix share, whatever language they are written in: what they are told and what they tell.
//
// Layout, which peers know too (bench/peers/README.md): a cache line of the board, one for each lock, one for each worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace redlatch::bench {

enum class mix_phase : std::int32_t { preparing = 0, settling = 1, measuring = 2, stopping = 3 };

struct alignas(64) mix_heading {
    std::atomic<mix_phase> phase;
    std::atomic<std::int32_t> overlaps; ///< how often somebody came in where somebody was inside
    std::atomic<std::int32_t> ready;    ///< workers that wait for the beginning
};

struct alignas(64) mix_lock {
    std::atomic<std::int32_t> inside; ///< holders, as they see it; more than one is an overlap
};

/// Nanoseconds are those of CLOCK_MONOTONIC.
struct alignas(64) mix_worker {
    std::atomic<std::int64_t> cycles;
    std::atomic<std::int64_t> waiting_since; ///< 0: it does not wait
    std::atomic<std::int64_t> longest_wait;  ///< of those that ended while measuring
};

static_assert(std::is_standard_layout_v<mix_heading> && sizeof(mix_heading) == 64);
static_assert(std::is_standard_layout_v<mix_lock> && sizeof(mix_lock) == 64);
static_assert(std::is_standard_layout_v<mix_worker> && sizeof(mix_worker) == 64);

class mix_board {
public:
    /// Throws std::system_error.
    mix_board(std::size_t locks, std::size_t workers);
    mix_board(mix_board const&) = delete;
    mix_board& operator=(mix_board const&) = delete;
    ~mix_board();

    mix_heading& heading() const noexcept { return *reinterpret_cast<mix_heading*>(memory_); }
    mix_lock& lock(std::size_t which) const noexcept;
    mix_worker& worker(std::size_t which) const noexcept;
    std::size_t locks() const noexcept { return locks_; }
    std::size_t workers() const noexcept { return workers_; }

    /// Where a program that this one has started can open it, while this one lives.
    std::string path() const;

private:
    std::size_t locks_;
    std::size_t workers_;
    std::size_t size_;
    int file_;
    std::byte* memory_;
};

} // namespace redlatch::bench
