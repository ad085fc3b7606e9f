// A server of the benchmark's own that is reached by TLS.
#pragma once

#include "measure/work_meter.hpp"
#include "support/tls_server.hpp"

#include <redlatch/config.hpp>

#include <vector>

namespace redlatch::bench {

class measured_tls_server final : public work_meter {
public:
    explicit measured_tls_server(std::vector<int> const& cores);

    /// Of a client that trusts it.
    config settings() const;
    server_work work() const override { return work_seen_by(probe_); }

private:
    test::tls_server encrypted_{};
    mutable test::raw_client probe_ = encrypted_.server().admin();
};

} // namespace redlatch::bench
