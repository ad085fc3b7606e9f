// For how long the waiters of this process pass permits on among themselves while other processes wait for some.
//
// A release makes the first waiters of this process ask right behind it, on the same connection: others, whom a message has to
// wake first, would never get one.
//
// | event                                             | next                                                              |
// |---------------------------------------------------|-------------------------------------------------------------------|
// | an answer to a release: others heard of it        | others wait                                                       |
// | an answer to a release: nobody else heard of it   | nobody else waits; there is no turn                               |
// | a release, while others wait                      | the turn begins                                                   |
// | a release, 1 ms after that or later               | it may be left to others; then the next one begins a turn         |
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace redlatch::locking {

class counter_turn {
public:
    /// As with locks that are handed off while others are known to wait.
    static constexpr base::milliseconds longest{1};

    void on_heard_by(std::int64_t others) noexcept {
        others_ = others;
        if (others == 0) began_ = base::never;
    }
    /// At a release that waiters of this process would be told of.
    bool is_over(base::instant now) noexcept {
        if (others_ == 0) return false;
        if (began_ == base::never) began_ = now;
        return now - began_ >= longest;
    }
    void end() noexcept { began_ = base::never; }
    /// By the last answer.
    std::int64_t others() const noexcept { return others_; }

private:
    std::int64_t others_ = 0;
    base::instant began_ = base::never;
};

} // namespace redlatch::locking
