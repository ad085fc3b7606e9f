// Where there is no OpenSSL to build with (cmake/redlatch_tls.cmake).
#include "io/tls/tls_client.hpp"

#if defined(REDLATCH_WITHOUT_OPENSSL)

namespace redlatch::io {

std::shared_ptr<tls_client> make_tls_client(tls_options const&, std::string const&) {
    throw error(
        errc::bad_config,
        "TLS cannot be used: this redlatch was built without OpenSSL (libssl-dev); build it with REDLATCH_TLS=ON");
}

} // namespace redlatch::io

#endif
