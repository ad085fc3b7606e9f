// What the connections to one server have in common: whom they trust, who we are, and how a former session is resumed.
#pragma once

#include "io/tls/tls_session.hpp"

#include <redlatch/tls_options.hpp>

#include <memory>
#include <string>

namespace redlatch::io {

/// Thread-safe.
class tls_client {
public:
    tls_client() = default;
    tls_client(tls_client const&) = delete;
    tls_client& operator=(tls_client const&) = delete;
    virtual ~tls_client() = default;

    /// For a new connection; reads files that have changed. Throws error(bad_config) with the file and what is wrong with it.
    virtual std::unique_ptr<tls_session> begin() = 0;
};

/// Loads OpenSSL. `host`: of the address. Throws error(bad_config) where it is missing.
std::shared_ptr<tls_client> make_tls_client(tls_options const& options, std::string const& host);

} // namespace redlatch::io
