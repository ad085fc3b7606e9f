// A cluster of the benchmark's own, measured as one server.
#pragma once

#include "measure/work_meter.hpp"
#include "support/redis_cluster.hpp"

#include <string>
#include <vector>

namespace redlatch::bench {

/// Masters without replicas, all on the same cores.
class measured_cluster final : public work_meter {
public:
    measured_cluster(int masters, std::vector<int> const& cores);

    std::string uri() const { return nodes_.uri(); }
    /// Of all masters together.
    server_work work() const override;
    int keys() const;

private:
    mutable test::redis_cluster nodes_;
    mutable std::vector<test::raw_client> probes_{}; ///< one for each master
};

} // namespace redlatch::bench
