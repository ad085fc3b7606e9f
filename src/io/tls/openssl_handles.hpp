// Objects of OpenSSL that free themselves.
#pragma once

#include "io/tls/openssl_library.hpp"

#include <memory>

namespace redlatch::io {

struct openssl_deleter {
    void operator()(SSL_CTX* what) const noexcept { openssl().SSL_CTX_free(what); }
    void operator()(SSL* what) const noexcept { openssl().SSL_free(what); }
    void operator()(SSL_SESSION* what) const noexcept { openssl().SSL_SESSION_free(what); }
    void operator()(BIO* what) const noexcept { openssl().BIO_free(what); }
    void operator()(X509* what) const noexcept { openssl().X509_free(what); }
    void operator()(EVP_PKEY* what) const noexcept { openssl().EVP_PKEY_free(what); }
    void operator()(PKCS12* what) const noexcept { openssl().PKCS12_free(what); }
    void operator()(GENERAL_NAMES* what) const noexcept { openssl().GENERAL_NAMES_free(what); }
    void operator()(STACK_OF(X509) * what) const noexcept {
        auto const free_one = [](void* one) { openssl().X509_free(static_cast<X509*>(one)); };
        openssl().OPENSSL_sk_pop_free(reinterpret_cast<OPENSSL_STACK*>(what), free_one);
    }
};

template <class Object> using openssl_handle = std::unique_ptr<Object, openssl_deleter>;

} // namespace redlatch::io
