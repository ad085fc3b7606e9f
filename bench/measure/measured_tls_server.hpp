// A server of the benchmark's own that is reached by TLS.
#pragma once

#include "measure/work_meter.hpp"

#include <redlatch/config.hpp>

#include <memory>
#include <vector>

namespace redlatch::bench {

class measured_tls_server final : public work_meter {
public:
    explicit measured_tls_server(std::vector<int> const& cores);
    ~measured_tls_server() override;

    /// Of a client that trusts it.
    config settings() const;
    server_work work() const override;

    /// Some builds of the servers do without TLS, and where there is no OpenSSL nobody can make certificates.
    static bool possible();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace redlatch::bench
