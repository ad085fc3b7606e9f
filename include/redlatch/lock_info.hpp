// What can be seen of a lock from outside.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch {

/// One holder of a lock.
struct lock_owner {
    std::string owner;  ///< the field in Redis, "client:holder" (a write hold of a read-write lock ends in ":write",
                        ///< that of an election in ":" and its candidate)
    std::string client; ///< the client's UUID
    std::string holder; ///< the number of the holder within that client
    std::int64_t count = 0; ///< how many times it is held
    /// Who the holder says it is: the name of a candidate (see leader_election.hpp), otherwise its client's
    /// config::holder_label. None: that was not asked for (see look_options), or nobody says, as Java's holders do not.
    std::optional<std::string> label{};
    /// It has given the lock back, which stays locked for the rest of its acquire_options::hold_at_least.
    bool released = false;
};

/// One waiter in the queue of a fair lock.
struct lock_waiter {
    std::string owner;  ///< as it stands in the queue, "client:holder"
    std::string client; ///< the client's UUID
    std::string holder; ///< the number that it will have as a holder within that client
    /// It is passed over after that time unless it asks again, which a waiter that lives does. At place n of the queue it is up
    /// to n times config::fair_lock_wait_timeout: once for itself, and once for each place before it, since each acquisition,
    /// and each waiter that leaves, takes one off for those behind. So one that has died can hold up those behind it for one
    /// such timeout once it is the first. Zero: with the next attempt or release of anybody. None: this user may not know.
    /// For how long it has waited is not on the server.
    std::optional<duration> passed_over_in{};
    std::optional<std::string> label{}; ///< as lock_owner::label
};

/// What a look at locks asks the server for besides the locks.
struct look_options {
    /// The holders' labels too. One more command, in the same round trip, but CLIENT LIST, which costs the server time for each
    /// of its clients. Without the right to it there are no labels, and no error.
    bool labels = false;
};

/// A snapshot of one lock, Java's holds included.
struct lock_info {
    std::string name;
    bool held = false;
    /// "reentrant", "fair", "fenced", "election", "faster_multi" (values of a group), "read" or "write" (the mode of a
    /// read-write lock); "" when free and nobody is queued. A spin or non-reentrant lock cannot be told from a re-entrant
    /// one, nor a fair one for which nobody waits; either of a name that ever gave out a token is "fenced".
    std::string type;
    std::vector<lock_owner> owners;
    /// More hold it than `owners` has: about 1,000 are read.
    bool truncated = false;
    /// Whoever uses the name of another hash finds that here: a field of it that is no holder's, "client's UUID:number" with a
    /// count from 1, or "mode" where no holder is there. Empty: it is a lock, or free.
    std::string foreign_field{};
    /// The greatest fencing token that was given for this lock: its holder's, unless that one asked for none, or a greater one
    /// that nobody has. Also of a free lock. None: nobody was ever given one, its counter is over
    /// (config::fencing_counter_ttl), or this user may not know.
    std::optional<std::uint64_t> token{};
    /// Of a fair lock: who is queued for it, the first one first, at most 1,000. Also while it is free, when the first one has
    /// died or has not heard of it yet. Waiters for locks of other kinds leave no trace on the server.
    std::vector<lock_waiter> waiters{};
    /// How long until the key expires by itself; none: free, or without expiry.
    std::optional<duration> remaining_lease;
    /// Of list_locks() only: why the server does not let us look at this key, as a message. Nothing else is known of it then;
    /// empty: it does.
    std::string problem{};
};

} // namespace redlatch
