// Objects of OpenSSL that free themselves.
#pragma once

#include "io/tls/openssl_library.hpp"

#include <memory>

namespace redlatch::io {

struct openssl_deleter {
    void operator()(SSL_CTX* context) const noexcept { openssl().SSL_CTX_free(context); }
    void operator()(SSL* connection) const noexcept { openssl().SSL_free(connection); }
    void operator()(SSL_SESSION* session) const noexcept { openssl().SSL_SESSION_free(session); }
    void operator()(BIO* bio) const noexcept { openssl().BIO_free(bio); }
    void operator()(X509* certificate) const noexcept { openssl().X509_free(certificate); }
    void operator()(EVP_PKEY* key) const noexcept { openssl().EVP_PKEY_free(key); }
    void operator()(PKCS12* store) const noexcept { openssl().PKCS12_free(store); }
    void operator()(GENERAL_NAMES* names) const noexcept { openssl().GENERAL_NAMES_free(names); }
    void operator()(STACK_OF(X509) * certificates) const noexcept {
        auto const free_one = [](void* one) { openssl().X509_free(static_cast<X509*>(one)); };
        openssl().OPENSSL_sk_pop_free(reinterpret_cast<OPENSSL_STACK*>(certificates), free_one);
    }
};

template <class Object> using openssl_handle = std::unique_ptr<Object, openssl_deleter>;

} // namespace redlatch::io
