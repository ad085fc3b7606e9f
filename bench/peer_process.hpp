// One process of a peer; peers/README.md has the protocol.
#pragma once

#include "measure/spawn.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// What a peer says about one round.
struct peer_round {
    std::vector<double> per_worker; ///< cycles
    double seconds;
    double p50; ///< microseconds
    double p99;
};

/// It sleeps (SIGSTOP) between the rounds in which it takes part: its threads disturb nobody else.
///
/// Thread safety: as background_program. All members throw std::runtime_error when it ends or falls silent; its stderr, in the
/// log, says why.
class peer_process {
public:
    peer_process(std::vector<std::string> const& command, std::string const& log);
    peer_process(peer_process const&) = delete;
    peer_process& operator=(peer_process const&) = delete;
    ~peer_process();

    pid_t pid() const noexcept { return program_->pid(); }

    /// Makes ready for a scenario, unless that is what it has played last: connected and warm.
    void play(std::string const& scenario, int workers);
    void begin(std::chrono::milliseconds period);
    /// What became of the round that was begun last.
    peer_round result();

    void sleep() const;
    void wake() const;

private:
    void tell(std::string const& order);
    std::string line(std::chrono::seconds patience);

    std::string name_;
    int input_ = -1;
    int output_ = -1;
    std::string read_{};
    std::string ready_for_{};
    std::unique_ptr<background_program> program_{};
};

} // namespace redlatch::bench
