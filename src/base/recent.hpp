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
    /// Of the latest ones, those for which `chosen(What const&)` is true; they are forgotten here. Throws std::bad_alloc before
    /// anything is forgotten.
    template <class Chosen> std::vector<What> take(instant now, Chosen chosen) {
        std::vector<What> taken;
        taken.reserve(ring_.size());
        for (auto& one : ring_) {
            if (one.when == instant::min() || now >= later(one.when, longest_) || !chosen(one.what)) continue;
            taken.push_back(std::move(one.what));
            one.when = instant::min();
        }
        return taken;
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
