// What the fourth generation and those after it add to a scenario. Each variation draws from a stream of its own: a new one
// leaves the draws of all others, and with them most scenarios, as they were.
#pragma once

#include "sim/scenario/scenario.hpp"

namespace redlatch::sim {

/// In some scenarios all times are multiples of 8 ms, so that things meet which are otherwise never at the same moment.
void put_times_on_a_grid(scenario& in);
/// Commands of one write that arrive one by one, and connections that break between them.
void split_writes(scenario& in, bool with_faults);

/// A process that locks as Redisson does, among ours.
void invite_redisson(scenario& in);
/// Refusals, rights that change and full buffers, also just when what may have run is repeated.
void add_refusals(scenario& in);
/// A process that can open nothing for a while, often just when its connections are lost.
void take_descriptors(scenario& in);
/// The last one is that of a socket: there is none for what wakes its readers.
void leave_one_descriptor(scenario& in);

/// Owners that are threads; some of them end while they hold a lock.
void end_threads(scenario& in);
/// Minimum holds, of some jobs.
void hold_longer(scenario& in);
/// A process whose calls are refused memory for a while, or that gets no further thread.
void take_memory_and_threads(scenario& in);

/// A server that is full for longer than leases last, and nothing else goes wrong.
void fill_server(scenario& in);

/// When clients connect, and whether their calls wait for a server that is away.
void choose_patience(scenario& in);

/// Locks of another kind: the rest is the scenario of the same seed.
void change_kind(scenario& in, lock_kind to);
/// Servers that are arranged in another way, with faults of that way.
void change_topology(scenario& in, topology to, bool with_faults = true);
/// In a cluster: locks whose slot is the same, so that all of them are on their way at once.
void share_a_slot(scenario& in, bool with_faults);
/// A master with replicas, and Sentinels that say who it is.
void put_behind_sentinels(scenario& in, bool with_faults);
/// Some jobs want their locks confirmed by replicas.
void let_replicas_confirm(scenario& in, std::uint64_t seed);
/// A master whose replicas confirm locks, some of which ask for that.
void add_replicas(scenario& in, bool with_faults);

} // namespace redlatch::sim
