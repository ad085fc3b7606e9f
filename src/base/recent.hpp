// What has happened lately: the latest of it, for a while.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace redlatch::base {

/// Keeps as many as `most`, each for `longest`. Not thread-safe.
template <class What> class recent {
public:
    recent(std::size_t most, milliseconds longest) : most_(most), longest_(longest) {}

    /// `write(What&)`: over one that is old, whose memory is used again. Where it throws, nothing was added.
    template <class Write> void add(instant now, Write write) {
        if (ring_.size() < most_) {
            ring_.emplace_back();
            next_ = ring_.size() - 1;
        }
        auto& oldest = ring_[next_];
        oldest.when = instant::min();
        write(oldest.what);
        oldest.when = now;
        next_ = (next_ + 1) % most_;
    }
    /// Those that `chosen(What const&)` says, of the latest ones. Throws std::bad_alloc.
    template <class Chosen> std::vector<What> those(instant now, Chosen chosen) const {
        std::vector<What> found;
        for (auto const& one : ring_)
            if (one.when != instant::min() && now < later(one.when, longest_) && chosen(one.what))
                found.push_back(one.what);
        return found;
    }

private:
    struct entry {
        What what{};
        instant when = instant::min(); ///< that one: empty
    };
    std::size_t const most_;
    milliseconds const longest_;
    std::vector<entry> ring_;
    std::size_t next_ = 0;
};

} // namespace redlatch::base
