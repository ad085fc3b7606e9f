// Certificates made for a test, with OpenSSL.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace redlatch::test {

template <auto Free> struct frees {
    template <class Object> void operator()(Object* what) const noexcept { Free(what); }
};
using private_key = std::unique_ptr<EVP_PKEY, frees<EVP_PKEY_free>>;
using certificate = std::unique_ptr<X509, frees<X509_free>>;

/// What a certificate says; times are counted from now.
struct certificate_text {
    std::string name = "localhost";
    /// As OpenSSL writes subjectAltName: "DNS:localhost,IP:127.0.0.1".
    std::string alternative_names = "DNS:localhost,IP:127.0.0.1";
    std::chrono::hours valid_from{-1};
    std::chrono::hours valid_to{24};
};

/// A certificate with its key.
struct identity_papers {
    private_key key;
    certificate paper;

    std::string certificate_pem() const;
    std::string key_pem(std::string const& password = {}) const;
    /// The certificate and its key.
    std::string pkcs12(std::string const& password) const;
};

class certificate_authority {
public:
    explicit certificate_authority(std::string const& name = "test authority");

    identity_papers issue(certificate_text const& text = {}) const;
    std::string pem() const { return own_.certificate_pem(); }
    /// The certificate without a key, as Java's trust stores are.
    std::string pkcs12(std::string const& password) const;

private:
    identity_papers own_;
};

/// Replaces the file as a whole.
std::string write_file(std::filesystem::path const& file, std::string const& text);

} // namespace redlatch::test
