// The input of an event-order fuzzer, read as decisions. When it is used up the history ends, so that a piece cut out of an
// input cuts events out of a history.
#pragma once

#include "base/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace redlatch::fuzz {

class decisions {
public:
    decisions(std::uint8_t const* data, std::size_t size) : left_(reinterpret_cast<char const*>(data), size) {}

    bool more() const noexcept { return !left_.empty(); }

    std::uint8_t byte() noexcept {
        if (left_.empty()) return 0;
        auto const first = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        return first;
    }
    /// From 0 to n - 1.
    std::size_t below(std::size_t n) noexcept { return byte() % n; }
    bool one_in(std::size_t n) noexcept { return below(n) == n - 1; }

    /// As many raw bytes as there are, at most `most`.
    std::string_view bytes(std::size_t most) noexcept {
        auto const taken = left_.substr(0, most);
        left_.remove_prefix(taken.size());
        return taken;
    }

    /// From nothing to two hours, short times as often as long ones.
    base::nanoseconds span() noexcept {
        using namespace std::chrono_literals;
        constexpr std::array<base::nanoseconds, 8> units{1ns, 1ms, 10ms, 100ms, 1s, 10s, 60s, 7'200s / 31};
        auto const chosen = byte();
        return units[chosen / 32] * (chosen % 32);
    }
    base::milliseconds span_ms() noexcept { return std::chrono::duration_cast<base::milliseconds>(span()); }

private:
    std::string_view left_;
};

/// A moment that means nothing: where all histories begin.
inline constexpr base::instant beginning = base::instant{} + std::chrono::hours(1);

} // namespace redlatch::fuzz
