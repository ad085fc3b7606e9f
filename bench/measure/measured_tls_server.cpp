#include "measure/measured_tls_server.hpp"

#include "measure/affinity.hpp"

namespace redlatch::bench {

measured_tls_server::measured_tls_server(std::vector<int> const& cores) {
    pin(encrypted_.server().pid(), cores);
}

config measured_tls_server::settings() const {
    config result{.address = encrypted_.uri()};
    result.tls.ca_file = encrypted_.ca_file();
    return result;
}

} // namespace redlatch::bench
