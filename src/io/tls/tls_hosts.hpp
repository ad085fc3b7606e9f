// A tls_client for each host of several: whom a certificate must be for differs, and sessions are resumed with the same host.
#pragma once

#include "io/tls/tls_client.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace redlatch::io {

/// Thread-safe.
class tls_hosts {
public:
    tls_hosts(bool used, tls_options options) : used_(used), options_(std::move(options)) {}

    /// Null: without TLS. Throws as make_tls_client does.
    std::shared_ptr<tls_client> client_of(std::string const& host) {
        if (!used_) return nullptr;
        std::lock_guard const held(mutex_);
        auto& known = clients_[host];
        if (!known) known = make_tls_client(options_, host);
        return known;
    }

private:
    bool const used_;
    tls_options const options_;
    std::mutex mutex_; // guards what follows
    std::map<std::string, std::shared_ptr<tls_client>> clients_{};
};

} // namespace redlatch::io
