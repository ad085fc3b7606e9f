// Cycles without a thread for each: the handler of one step starts the next. Handlers without an executor run on the
// client's notifier thread.
#pragma once

#include "measure/workers.hpp"

#include <redlatch/client.hpp>

#include <memory>
#include <vector>

namespace redlatch::bench {

class cycle_chains {
public:
    /// Each chain has a lock and an owner of its own.
    cycle_chains(client& locks, int count, tally& into, phases const& now);
    ~cycle_chains();

    /// Returns when all chains have ended, after the sign to stop. Throws what went wrong.
    void run();

private:
    class chain;
    struct shared;

    std::unique_ptr<shared> shared_;
    std::vector<std::unique_ptr<chain>> chains_{};
};

} // namespace redlatch::bench
