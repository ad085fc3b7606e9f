// What OpenSSL reports, in a sentence that goes on after "the server X", with what to do.
#pragma once

#include "io/tls/openssl_library.hpp"

#include <redlatch/error.hpp>

#include <string>

namespace redlatch::io {

struct tls_problem {
    errc reason = errc::disconnected;
    std::string text{};
};

/// Of a certificate that was not accepted; `name`: that it was to be for.
std::string words_for_certificate(int verdict, X509* certificate, std::string const& name);

/// Takes the errors of this thread. `established`: there had been a handshake.
tls_problem words_for_errors(bool established);

} // namespace redlatch::io
