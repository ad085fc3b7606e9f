#include "measure/measured_cluster.hpp"

#include "measure/affinity.hpp"

namespace redlatch::bench {

measured_cluster::measured_cluster(int masters, std::vector<int> const& cores) : nodes_(masters) {
    std::vector<test::raw_client> probes;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        pin(nodes_.node(i).pid(), cores);
        probes.push_back(nodes_.node(i).admin());
    }
    meter_.emplace(std::move(probes));
}

int measured_cluster::keys() const {
    std::int64_t all = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) all += nodes_.node(i).run("DBSIZE").integer;
    return static_cast<int>(all);
}

void measured_cluster::flush() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_.node(i).run("FLUSHALL");
}

} // namespace redlatch::bench
