#include "measure/measured_servers.hpp"

#include "measure/affinity.hpp"

namespace redlatch::bench {

measured_servers::measured_servers(std::size_t count, std::string const& program, std::vector<int> const& cores) {
    for (std::size_t i = 0; i < count; ++i) {
        all_.push_back(std::make_unique<server>(program));
        pin(all_.back()->pid(), cores);
    }
}

std::vector<address> measured_servers::places() const {
    std::vector<address> result;
    for (auto const& one : all_) result.push_back(one->tcp());
    return result;
}

server_work measured_servers::work() const {
    server_work sum;
    for (auto const& one : all_) sum += one->work();
    return sum;
}

} // namespace redlatch::bench
