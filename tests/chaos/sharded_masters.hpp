// A cluster of three masters with a replica each. The lock is on one of them.
#pragma once

#include "support/redis_cluster.hpp"
#include "topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace redlatch::chaos {

class sharded_masters : public replicated_topology {
public:
    explicit sharded_masters(std::string const& lock);

    test::redis_server& master() override { return cluster_.node(owner_); }
    test::redis_server& replica() override { return cluster_.replica_of(owner_); }
    test::redis_cluster& cluster() noexcept { return cluster_; }
    /// The master that has the lock at the beginning, and another one.
    std::size_t owner() const noexcept { return owner_; }
    std::size_t another() const noexcept { return (owner_ + 1) % 3; }

    std::string uri() const override { return cluster_.uri(); }
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override;

protected:
    bool replica_is_master() override { return test::redis_cluster::is_master(replica()); }

private:
    mutable test::redis_cluster cluster_{3, 1, test::redis_cluster::addresses::of_each_node};
    std::size_t owner_;
};

} // namespace redlatch::chaos
