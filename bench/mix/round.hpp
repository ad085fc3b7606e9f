// One round of a mix: processes of any kind around one board, measured together.
#pragma once

#include "measure/figures.hpp"
#include "measure/server.hpp"
#include "mix/board.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// A process whose threads are workers of a board.
class mix_process {
public:
    virtual ~mix_process() = default;
    virtual pid_t pid() const = 0;
    /// Throws std::runtime_error if it has ended already.
    virtual void must_run() = 0;
    /// Returns when its workers have ended, after the phase `stopping`; throws std::runtime_error if something has failed.
    virtual void finish() = 0;
};

struct mix_cast {
    std::vector<std::unique_ptr<mix_process>> processes{};
    /// How many workers each client has, in the order of the workers. Clients in one process count as processes.
    std::vector<int> clients{};
    /// Of the workers the last ones, who are of another kind than the others; 0: all are alike.
    int guests = 0;
};

/// value: acquisitions per second of all together, once their rate has settled.
measurement play_mix(server const& at, mix_board const& board, mix_cast& cast, std::chrono::milliseconds period);

} // namespace redlatch::bench
