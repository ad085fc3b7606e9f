// How connections are encrypted, and whom they trust.
//
// Addresses that begin with `rediss://` or `valkeys://` use TLS. With any other address an option that is set here is an error:
// nobody should believe a connection to be encrypted that is not.
#pragma once

#include <redlatch/export.hpp>

#include <string>
#include <vector>

namespace redlatch {

/// What is asked of the server's certificate. The words are Redisson's (`sslVerificationMode`).
enum class tls_verification {
    strict,  ///< an authority that is trusted here has signed it, and it is for the name in the address
    ca_only, ///< an authority that is trusted here has signed it, for whatever name
    none,    ///< nothing: whoever is on the way can read and change what is sent. Said once in the log
};

/// The oldest version that is spoken. Nothing older than 1.2 can be had.
enum class tls_version { tls_1_2, tls_1_3 };

/// Plain data. Files are PEM or PKCS#12, and are read again for a new connection when they have changed: certificates are
/// replaced without a restart.
struct REDLATCH_EXPORT tls_options {
    /// The certificates of the authorities that are trusted. Neither this nor ca_folder: those that the system trusts.
    std::string ca_file{};
    /// Opens ca_file where that is PKCS#12.
    std::string ca_password{};
    /// The same as a folder whose files have the names that `openssl rehash` gives.
    std::string ca_folder{};
    /// Who we are, for servers that ask their clients: the certificate, followed by those between it and its authority.
    std::string certificate_file{};
    /// Its private key. Empty: it is in certificate_file too.
    std::string key_file{};
    /// Opens the key, or a certificate_file that is PKCS#12.
    std::string key_password{};
    /// The name that the certificate must be for, and that the server is told (SNI), if it is not the host of the address.
    std::string server_name{};
    tls_verification verification = tls_verification::strict;
    tls_version minimum_version = tls_version::tls_1_2;
    /// The only ciphers that may be used, by their standard names, which are Java's (TLS_AES_128_GCM_SHA256,
    /// TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256), or by OpenSSL's. A version of TLS of which none is named is not spoken. Empty:
    /// OpenSSL's configuration chooses.
    std::vector<std::string> ciphers{};

    friend bool operator==(tls_options const&, tls_options const&) = default;
};

} // namespace redlatch
