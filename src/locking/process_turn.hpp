// Whose turn it is among processes: one that takes a lock again and again stands back now and then, so that others get it.
//
// Whoever releases on the server asks next on the same connection, before any message of the release has reached another
// process: it would win every time. The answer to the release says whether anybody else listens.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace redlatch::locking {

class process_turn {
public:
    /// Taken on the server.
    void on_acquired(base::instant now) noexcept {
        if (began_ == base::never) began_ = now;
    }
    /// Released there, and so many others heard of it.
    void on_released(std::int64_t others) noexcept {
        others_ = others;
        if (others == 0) began_ = base::never;
    }
    bool others_listen() const noexcept { return others_ > 0; }
    /// So many that most attempts fail.
    bool crowded() const noexcept { return others_ > 1; }
    bool over(base::milliseconds time, base::instant now) const noexcept {
        return others_listen() && began_ != base::never && now - began_ >= time;
    }
    /// It stands back, or others have it.
    void begin_anew() noexcept { began_ = base::never; }

    /// The channel's count with the message of our last release: only more than that is news of others.
    std::uint64_t own_message = 0;

private:
    base::instant began_ = base::never; ///< when the present run of acquisitions did
    std::int64_t others_ = 0;           ///< that heard of our last release
};

} // namespace redlatch::locking
