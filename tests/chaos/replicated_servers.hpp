// A master with a replica that clients ask for their roles. Another one, as a service's control plane, promotes the replica.
#pragma once

#include "support/sentinel_set.hpp"
#include "topology.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace redlatch::chaos {

class replicated_servers : public replicated_topology {
public:
    /// How long the control plane takes to promote the replica.
    static constexpr std::chrono::milliseconds election{1000};

    test::redis_server& master() override { return servers_[0]; }
    test::redis_server& replica() override { return servers_[1]; }
    /// The replica is the master now; the old one does not hear of it.
    void promote_replica();
    /// The old master replicates the new one.
    void demote_old_master();
    void wake_stale_master() override;

    std::string uri() const override { return servers_.uri(0) + " " + servers_.uri(1); }
    std::string mode() const override { return "replicated"; }
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override;

protected:
    void elect() override;
    bool replica_is_master() override { return servers_.role(1) == "master"; }

private:
    test::redis_server& present_master() const { return servers_[servers_.role(1) == "master" ? 1 : 0]; }

    test::replica_set servers_{1};
};

} // namespace redlatch::chaos
