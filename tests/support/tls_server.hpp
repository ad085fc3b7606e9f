// Servers that speak TLS, and plain text on a Unix socket for the test.
#pragma once

#include "support/certificates.hpp"
#include "support/redis_server.hpp"
#include "support/reserved_port.hpp"
#include "support/temporary_folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace redlatch::test {

class tls_server {
public:
    /// With the certificate of `text`; `arguments`: further ones for the server.
    explicit tls_server(certificate_text const& text = {}, std::vector<std::string> const& arguments = {});
    /// With a certificate of this authority, which it also trusts.
    tls_server(std::shared_ptr<certificate_authority const> authority, certificate_text const& text,
               std::vector<std::string> const& arguments);

    std::string uri(std::string const& host = "127.0.0.1") const {
        return "rediss://" + host + ":" + std::to_string(port_.number());
    }
    std::uint16_t port() const noexcept { return port_.number(); }
    redis_server& server() noexcept { return *server_; }
    certificate_authority const& authority() const noexcept { return *authority_; }
    std::string const& ca_file() const noexcept { return ca_file_; }
    std::string file(std::string const& name, std::string const& text) const {
        return write_file(folder_.path() / name, text);
    }

    /// A new authority, in ca_file() too, and a certificate of it for the connections to come.
    void replace_certificates();

    /// A replica of this one, of the same authority, with TLS between them, too. In step when it is returned; either can
    /// become the other's master.
    std::unique_ptr<tls_server> start_replica();

private:
    temporary_folder folder_;
    reserved_port port_;
    std::shared_ptr<certificate_authority const> authority_;
    std::string ca_file_;
    std::unique_ptr<redis_server> server_;
};

/// Some builds of the servers do without.
bool test_server_has_tls();

} // namespace redlatch::test
