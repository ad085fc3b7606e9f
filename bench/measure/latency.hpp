// A histogram of durations with a bounded relative error, small enough for each worker and for memory shared by processes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace redlatch::bench {

/// Plain memory: all zero is empty. Durations up to 4 seconds are told apart by 3 %; longer ones count as that.
class latency_histogram {
public:
    void add(std::int64_t nanoseconds) noexcept { ++counts_[slot_of(static_cast<std::uint64_t>(nanoseconds))]; }

    void add(latency_histogram const& other) noexcept {
        for (std::size_t slot = 0; slot < slots; ++slot) counts_[slot] += other.counts_[slot];
    }

    std::uint64_t count() const noexcept {
        std::uint64_t sum = 0;
        for (auto const each : counts_) sum += each;
        return sum;
    }

    /// In microseconds, for a share in [0, 1]; 0 when it is empty.
    double percentile(double share) const noexcept {
        auto const wanted = static_cast<std::uint64_t>(share * static_cast<double>(count()));
        std::uint64_t sum = 0;
        for (std::size_t slot = 0; slot < slots; ++slot)
            if ((sum += counts_[slot]) > wanted) return middle_of(slot) / 1e3;
        return 0;
    }

private:
    static constexpr unsigned step_bits = 5; // 32 steps for each power of two
    static constexpr unsigned longest_bits = 32;
    static constexpr std::size_t slots = (longest_bits - step_bits + 1) << step_bits;

    static std::size_t slot_of(std::uint64_t nanoseconds) noexcept {
        if (nanoseconds >= std::uint64_t{1} << longest_bits) return slots - 1;
        auto const width = static_cast<unsigned>(std::bit_width(nanoseconds));
        if (width <= step_bits) return nanoseconds;
        unsigned const shift = width - step_bits - 1;
        return ((shift + 1) << step_bits) + ((nanoseconds >> shift) & ((1U << step_bits) - 1));
    }

    static double middle_of(std::size_t slot) noexcept {
        auto const group = slot >> step_bits;
        if (group == 0) return static_cast<double>(slot);
        auto const first = ((std::uint64_t{1} << step_bits) + (slot & ((1U << step_bits) - 1))) << (group - 1);
        return static_cast<double>(first) + static_cast<double>(std::uint64_t{1} << (group - 1)) / 2;
    }

    std::array<std::uint32_t, slots> counts_;
};

} // namespace redlatch::bench
