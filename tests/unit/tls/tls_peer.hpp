// The server's end of a TLS connection, in memory: OpenSSL's own, which our client is tested against.
#pragma once

#include "support/certificates.hpp"

#include <memory>
#include <openssl/ssl.h>
#include <string>
#include <string_view>

namespace redlatch::test {

struct tls_peer_options {
    int newest = TLS1_3_VERSION;
    int oldest = TLS1_2_VERSION;
    std::string ciphers{};
    /// The authority, in PEM, whose clients are let in; empty: everybody.
    std::string clients_of{};
};

/// What the connections to one server share.
class tls_peer_server {
public:
    explicit tls_peer_server(identity_papers const& papers, tls_peer_options const& options = {});
    SSL_CTX* context() const noexcept { return context_.get(); }

private:
    std::unique_ptr<SSL_CTX, frees<SSL_CTX_free>> context_;
};

class tls_peer {
public:
    explicit tls_peer(tls_peer_server const& of);

    /// Goes on with the handshake or reads, with what has come; what is to be sent is returned.
    std::string take(std::string_view received);
    /// What has been read.
    std::string const& text() const noexcept { return text_; }
    bool established() const noexcept { return SSL_is_init_finished(ssl_.get()) == 1; }
    bool failed() const noexcept { return failed_; }
    std::string say(std::string_view text);
    std::string close(); ///< close_notify
    SSL* raw() const noexcept { return ssl_.get(); }

private:
    std::string outgoing();

    std::unique_ptr<SSL, frees<SSL_free>> ssl_;
    std::string text_;
    bool failed_ = false;
};

} // namespace redlatch::test
