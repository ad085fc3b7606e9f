// Which holds the server may contradict: of those nothing is promised.
#pragma once

#include "sim/check/checkers.hpp"

#include <set>
#include <string>
#include <utility>

namespace redlatch::sim {

using place = std::pair<int, std::string>; ///< a lock and an owner of it

/// Holds that the server has forgotten or that were taken away: exclusion is not promised for those. By the owner's id on the
/// server, which is never used again, but passes from one holder of a process to the next, and with it what it is worth.
class promises {
public:
    void see(fact const& one) {
        using kind = fact::kind;
        if (one.what == kind::acquired) known_.insert({one.lock, one.owner});
        if (one.what == kind::missed) void_.insert({one.lock, one.owner});
        if (one.what != kind::unpromised) return;
        if (!one.owner.empty()) void_.insert({one.lock, one.owner}); // it may not know yet that it has the lock
        for (auto const& [lock, owner] : known_)
            if (one.lock < 0 || one.lock == lock) void_.insert({lock, owner});
    }
    bool kept(fact const& one) const {
        // Who is late to learn that it acquired may have lost the lock meanwhile: then it takes it from nobody.
        return !void_.contains({one.lock, one.owner}) && !void_.contains({one.lock, one.other});
    }

private:
    std::set<place> known_;
    std::set<place> void_;
};

inline violation make(char const* checker, std::size_t at, std::string text) {
    return {checker, at, std::move(text)};
}

} // namespace redlatch::sim
