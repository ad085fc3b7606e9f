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
    double settled;                 ///< cycles before these, which the server has seen all the same
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
    /// The same in two steps, for several that get warm together. `more`: KEY=VALUE.
    void prepare(std::string const& scenario, int workers, std::vector<std::string> const& more = {});
    /// In any case.
    void prepare_anew(std::string const& scenario, int workers, std::vector<std::string> const& more);
    void await_ready();
    /// Whether it has played anything.
    bool has_played() const noexcept { return has_played_; }
    /// Its workers begin; what they do in the first part does not count.
    void begin(std::chrono::milliseconds settle, std::chrono::milliseconds period);
    /// Returns when the part that counts begins.
    void await_begun();
    /// What became of the round that was begun last.
    peer_round result();

    void must_run() const;
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
    std::string asked_for_{}; ///< it has not said yet that it is ready
    bool has_played_ = false;
    std::unique_ptr<background_program> program_{};
};

} // namespace redlatch::bench
