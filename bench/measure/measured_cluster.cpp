#include "measure/measured_cluster.hpp"

#include "measure/affinity.hpp"

namespace redlatch::bench {

measured_cluster::measured_cluster(int masters, std::vector<int> const& cores) : nodes_(masters) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        pin(nodes_.node(i).pid(), cores);
        probes_.push_back(nodes_.node(i).admin());
    }
}

server_work measured_cluster::work() const {
    server_work all;
    for (auto& probe : probes_) all += work_seen_by(probe);
    return all;
}

int measured_cluster::keys() const {
    std::int64_t all = 0;
    for (auto& probe : probes_) all += probe.command("DBSIZE").integer;
    return static_cast<int>(all);
}

} // namespace redlatch::bench
