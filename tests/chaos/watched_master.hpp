// A master with a replica, and three Sentinels that watch them.
#pragma once

#include "support/sentinel_set.hpp"
#include "topology.hpp"

#include <string>
#include <vector>

namespace redlatch::chaos {

class watched_master : public replicated_topology {
public:
    /// From when on a silent master counts as gone, once it is watched closely.
    static constexpr std::chrono::milliseconds down_after{500};

    watched_master() = default;
    /// What servers and Sentinels say to each other comes from addresses that begin so.
    explicit watched_master(std::string const& network) : sentinels_({.network = network}) {}

    test::redis_server& master() override { return sentinels_.servers()[0]; }
    test::redis_server& replica() override { return sentinels_.servers()[1]; }
    void watch_closely() override;
    void wait_until_known() override { sentinels_.wait_for_another_than(0); }
    /// SENTINEL FAILOVER; does not wait.
    void fail_over_by_hand() const;
    std::string master_source() const { return sentinels_.source_address(0); }

    std::string uri() const override { return sentinels_.uri(); }
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override;

protected:
    bool replica_is_master() override { return sentinels_.servers().role(1) == "master"; }
    std::string log() const override { return sentinels_.log(0) + sentinels_.log(1) + sentinels_.log(2); }

private:
    test::redis_server& present_master() const;

    mutable test::sentinel_set sentinels_{};
};

} // namespace redlatch::chaos
