// How many replicas have to have a lock before its acquisition ends.
//
// Redis replicates asynchronously: a master that fails right after it has given a lock may be followed by a replica that does
// not know of it. With a policy an acquisition goes on until so many replicas have confirmed that they have the lock:
//
//     auto orders = client.get_lock("orders", {.replicas = redlatch::replica_policy::at_least(1)});
//     redlatch::hold hold = orders.acquire();   // or throws not_replicated
//
// A failover then keeps the lock if a replica that has confirmed it becomes the master. No number makes that certain: who is
// promoted is decided elsewhere (docs/guarantees.md). Permits of semaphores are confirmed in the same way
// (counter_options::replicas); latches have no policy.
#pragma once

#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>

namespace redlatch {

/// What becomes of a lock, or of permits, that too few replicas have confirmed in time.
enum class replica_shortage {
    fail,      ///< It is given back, and the acquisition fails with errc::not_replicated.
    give_back, ///< It is given back, and counts as not acquired: none from try_acquire, else errc::busy or errc::timed_out.
    accept, ///< It is held all the same, and the listener is told: event::kind::too_few_replicas.
};

/// Plain data: distinct objects are independent, shared objects need the usual care.
///
/// Costs, where it is not none(): one more round trip for each acquisition, re-entries and hand-offs within the process
/// included, and what the replicas need to answer; of each server one more connection, made when it is first needed, for each
/// number of replicas that is asked for. Acquisitions at the same time share a WAIT.
struct REDLATCH_EXPORT replica_policy {
    /// As many as are connected and in step when they are asked (ROLE); where there is none, nothing is waited for.
    static constexpr int all_connected = -1;

    /// How many replicas are waited for; 0: none, and nothing is asked.
    int replicas = 0;
    /// So many are enough when the time is over; 0: all that are waited for.
    int required = 0;
    /// How long replicas are waited for, from when the server has given the lock: less if its lease ends before. An acquisition
    /// lasts no longer than its wait and this time. At least 1 ms; below half a second it is not always known how many have
    /// confirmed, since a server looks ten times a second which waits are over.
    duration time{1000};
    replica_shortage shortage = replica_shortage::fail;
    /// So many further times it is given back and acquired anew, while the wait of the acquisition lasts, before `shortage`
    /// decides. From 0 to 100.
    int retries = 0;
    /// A server that does not know WAIT or ROLE, or does not allow them, refuses the lock (errc::server_refused). False: it
    /// counts as one without replicas, and the listener is told once: event::kind::too_few_replicas.
    bool needs_wait = true;

    /// Nothing is asked.
    static replica_policy none() noexcept { return {}; }
    /// `replicas`: from 1. Throws error(invalid_argument) for fewer: none() asks for none.
    static replica_policy at_least(int replicas, duration time = duration(1000));
    /// All that are connected.
    static replica_policy all(duration time = duration(1000)) noexcept;
    /// What Redisson does by default where it is not configured with a single server (checkLockSyncedSlaves, `time` is its
    /// slavesSyncTimeout): waits for all that are connected, is content with one, tries four more times, and takes a server
    /// without WAIT as one without replicas.
    static replica_policy redisson_default(duration time = duration(1000)) noexcept;

    friend bool operator==(replica_policy const&, replica_policy const&) = default;
};

} // namespace redlatch
