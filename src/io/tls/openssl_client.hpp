// The context of the sessions with one server.
#pragma once

#include "io/tls/openssl_session.hpp"
#include "io/tls/tls_client.hpp"

#include <mutex>

namespace redlatch::io {

class openssl_client final : public tls_client, public std::enable_shared_from_this<openssl_client> {
public:
    /// `host`: a name or an IP address. Throws error(bad_config).
    openssl_client(tls_options options, std::string const& host);

    std::unique_ptr<tls_session> begin() override;

private:
    openssl_handle<SSL_CTX> make_context() const;
    void keep(openssl_handle<SSL_SESSION> ticket, std::string const& files);

    tls_options const options_;
    std::string const name_; ///< that the certificate is to be for
    bool const is_ip_;
    std::mutex mutex_; // guards what follows
    openssl_handle<SSL_CTX> context_;
    std::string files_;                  ///< as they were when the context was made
    openssl_handle<SSL_SESSION> ticket_; ///< the newest; a failed handshake ends its use
};

} // namespace redlatch::io
