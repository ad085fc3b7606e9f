// The servers that a scenario is played on, and how clients find them.
#pragma once

#include "support/redis_server.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace redlatch::chaos {

/// What the stage needs of any arrangement of servers. What scenarios do to one is in the class of that arrangement.
class topology {
public:
    topology() = default;
    topology(topology const&) = delete;
    topology& operator=(topology const&) = delete;
    virtual ~topology() = default;

    /// Where clients connect.
    virtual std::string uri() const = 0;
    /// What several addresses are to each other, where that is not in them: as worker_settings has it.
    virtual std::string mode() const { return {}; }
    /// A client has subscribed to the messages of this lock, at the server that has it now.
    virtual bool somebody_listens(std::string const& lock) const = 0;
    /// The keys of all servers that take writes now.
    virtual std::vector<std::string> keys(std::string const& pattern) const = 0;
};

/// Reply of KEYS.
std::vector<std::string> keys_of(test::raw_client server, std::string const& pattern);
/// By PUBSUB NUMSUB.
bool has_subscriber(test::raw_client server, std::string const& channel);

/// The replica is not elected in a minute. Sentinels that were not run for two seconds elect nobody for half a minute.
class no_election : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// A topology with a master that has the lock and a replica that can take its place.
class replicated_topology : public topology {
public:
    /// Of the beginning: they are not followed when their roles change.
    virtual test::redis_server& master() = 0;
    virtual test::redis_server& replica() = 0;

    /// The replica has this key.
    void wait_until_replicated(std::string const& key);
    /// The replica has no keys, as if what the master has given had not reached it yet. Renewals, which do reach it, find no
    /// lock there and make none.
    void empty_replica();

    /// A silent master is replaced from now on, and not before: a machine that is busy must not look like one.
    virtual void watch_closely() {}
    /// Has the replica elected, and returns when it takes writes; throws no_election.
    void wait_for_election();
    /// Whoever asks for the master is told the new one.
    virtual void wait_until_known() {}

    /// The master that was lost goes on, as a master that has not heard of its successor.
    virtual void wake_stale_master() { master().resume(); }

protected:
    /// Where the servers do not do it themselves: another one is the master now.
    virtual void elect() {}
    virtual bool replica_is_master() = 0;
    /// What explains an election that does not come.
    virtual std::string log() const { return {}; }
};

} // namespace redlatch::chaos
