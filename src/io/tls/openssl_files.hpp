// Certificates and keys from files, PEM or PKCS#12. All throw error(bad_config) with the file and what is wrong with it.
#pragma once

#include "io/tls/openssl_handles.hpp"

#include <redlatch/tls_options.hpp>

#include <string>

namespace redlatch::io {

/// Whom we trust.
void load_authorities(SSL_CTX& context, tls_options const& options);
/// Who we are, if the options say so.
void load_own_certificate(SSL_CTX& context, tls_options const& options);

/// Changes when one of the files that the options name does, or one of the system's.
std::string state_of_files(tls_options const& options);

} // namespace redlatch::io
