// Which ciphers a TLS connection may use, where the configuration says so.
#pragma once

#include "io/tls/openssl_library.hpp"

#include <redlatch/tls_options.hpp>

namespace redlatch::io {

/// None named: those of OpenSSL's configuration. Otherwise these and no others, and no version of TLS that none of them is for.
/// Throws error(bad_config) for a name that this OpenSSL does not know.
void choose_ciphers(SSL_CTX& context, tls_options const& options);

} // namespace redlatch::io
