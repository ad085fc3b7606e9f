// Other locks on Redis, built with what this machine has; see peers/README.md.
#pragma once

#include "measure/address.hpp"
#include "options.hpp"
#include "peer_process.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::bench {

/// A peer as it is measured; one program may contain several.
struct peer {
    std::string title;                  ///< "Redisson, tuned"
    std::vector<std::string> command;   ///< without arguments
    std::vector<std::string> variant;   ///< KEY=VALUE
    std::vector<std::string> scenarios; ///< those that it can play

    bool can(std::string const& scenario) const;
    std::vector<std::string> command_for(address const& server, std::vector<std::string> const& more = {}) const;
};

class peers {
public:
    /// Builds what the settings want.
    explicit peers(settings const& wanted);

    std::vector<peer> const& all() const noexcept { return all_; }

    /// A process of a peer; each plays in all scenarios that need as many, so that it is warm. Started at the first call,
    /// asleep. Throws as peer_process.
    std::shared_ptr<peer_process> process(peer const& who, address const& server, int place = 0);
    /// After one has broken: the next call makes others.
    void forget(peer const& who);
    void pin_all(std::vector<int> const& cores) const;

    /// What peers write to stderr.
    std::string const& log() const noexcept { return log_; }
    /// Which ones there are, and which ones not, and why: pairs of a program's name and a message.
    std::vector<std::pair<std::string, std::string>> const& notes() const noexcept { return notes_; }

private:
    std::vector<peer> all_{};
    std::map<std::pair<std::string, int>, std::shared_ptr<peer_process>> playing_{}; // by title and place
    std::string log_;
    std::vector<std::pair<std::string, std::string>> notes_{};
};

} // namespace redlatch::bench
