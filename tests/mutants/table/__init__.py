"""The mutants that are made by hand: (what is broken, file, text, replacement)."""
from table import (cluster, credentials, elections, encryption, hand_off, kinds, lanes, latches, leases, minimum_hold,
                   multi_locks, non_reentrant, non_reentrant_fair, parts, permit_semaphores, plain_commands,
                   read_write, red_locks, replicas, rights, scripts, semaphores, sentinels, shortage, spin_locks,
                   tenures, threads, values, waiting)

PARTS = (scripts, leases, tenures, waiting, plain_commands, hand_off, kinds, spin_locks, non_reentrant, non_reentrant_fair,
         read_write, semaphores, elections, latches, multi_locks, red_locks, permit_semaphores, minimum_hold, lanes, parts,
         values, replicas, sentinels, cluster, encryption, credentials, shortage, rights)
MUTANTS = [one for part in PARTS for one in part.MUTANTS]
# By name: what the simulator is to play for it, where that is not a re-entrant lock on a single server.
WORDS = {one[0]: part.WORDS for part in PARTS for one in part.MUTANTS if hasattr(part, "WORDS")}
OF_THREADS = threads.MUTANTS

# Those that nobody finds because nobody can: why.
ARGUED = {
    "a release goes to the node that had the lock when it began":
        "the node that had it answers with a redirect, which is followed, and a node that is gone has its calls taken away: "
        "what differs is a round trip",
}
