#include "measure/measured_tls_server.hpp"

#include "measure/affinity.hpp"

#ifdef REDLATCH_BENCH_TLS
#include "support/tls_server.hpp"

namespace redlatch::bench {

struct measured_tls_server::parts {
    test::tls_server encrypted{};
    test::raw_client probe = encrypted.server().admin();
};

measured_tls_server::measured_tls_server(std::vector<int> const& cores) : parts_(std::make_unique<parts>()) {
    pin(parts_->encrypted.server().pid(), cores);
}

config measured_tls_server::settings() const {
    config result{.address = parts_->encrypted.uri()};
    result.tls.ca_file = parts_->encrypted.ca_file();
    return result;
}

server_work measured_tls_server::work() const {
    return work_seen_by(parts_->probe);
}

bool measured_tls_server::possible() {
    return test::test_server_has_tls();
}

} // namespace redlatch::bench
#else
#include <stdexcept>

namespace redlatch::bench {

struct measured_tls_server::parts {};

measured_tls_server::measured_tls_server(std::vector<int> const&) {
    throw std::runtime_error("built without certificates for TLS");
}

config measured_tls_server::settings() const {
    return {};
}

server_work measured_tls_server::work() const {
    return {};
}

bool measured_tls_server::possible() {
    return false;
}

} // namespace redlatch::bench
#endif

namespace redlatch::bench {

measured_tls_server::~measured_tls_server() = default;

} // namespace redlatch::bench
