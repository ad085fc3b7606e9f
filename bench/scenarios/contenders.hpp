// Who competes: ours in its settings, floors in their forms, and peers.
#pragma once

#include "floor/lock_requests.hpp"
#include "measure/measured_servers.hpp"
#include "measure/party.hpp"
#include "scenarios/scenarios.hpp"
#include "scenarios/started_when_used.hpp"

#include <redlatch/client.hpp>

#include <functional>
#include <string>
#include <vector>

namespace redlatch::bench {

/// The name of the lock of one worker.
using naming = std::function<std::string(int worker)>;
naming one_each();
naming one_for_all();

/// A lock of some kind.
using lock_maker = std::function<basic_lock(client& from, std::string const& name)>;
inline basic_lock re_entrant(client& from, std::string const& name) {
    return from.get_lock(name);
}
inline basic_lock fair(client& from, std::string const& name) {
    return from.get_fair_lock(name);
}
inline constexpr char const* limits_of_fair_locks =
    "each release is told to the first of the queue, which asks then: two round trips for an acquisition.";

/// Settings of a client of ours.
struct our_way {
    std::string title = "redlatch";
    command_set commands = command_set::automatic;
    bool detached = false;
    bool strict = false;
    lock_maker kind = re_entrant;
};
config settings_for(address const& where, our_way const& way);

/// A lock of a client that the party keeps alive.
party ours(client const& locks, std::string const& name, bool detached, lock_maker const& kind = re_entrant);

/// One client with these settings for all the threads.
measurement run_our_threads(work_meter const& servers, config const& settings, int threads, naming const& name,
                            our_way const& way, std::chrono::milliseconds period);
contender our_threads(stage const& on, address const& where, int threads, naming const& name, our_way const& way,
                      std::vector<aim> aims);

/// A blocking socket for each thread.
contender raw_threads(stage const& on, std::string const& title, address const& where, form which, int threads,
                      naming const& name);

/// Those peers that can play the scenario; `processes` of them at once, counted together.
std::vector<contender> peer_contenders(stage const& on, std::string const& scenario, int workers, int processes = 1);
/// The same on servers of the scenario's own, which they are told as `servers=host:port,...`.
std::vector<contender> peer_contenders(stage const& on, std::string const& scenario, int workers,
                                       started_when_used<measured_servers> const& servers);

} // namespace redlatch::bench
