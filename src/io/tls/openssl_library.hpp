// OpenSSL, loaded with the first connection that uses TLS: programs without one do not pay for it when they start, and the
// library does not depend on it (docs/adr/0019). Compiled against OpenSSL's headers, which give the types.
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace redlatch::io {

// Functions only: what the headers give as macros is called by what is behind them.
// clang-format off
#define REDLATCH_OPENSSL_FUNCTIONS(each)                                                                              \
    each(OPENSSL_init_ssl) each(TLS_client_method) each(SSL_CTX_new) each(SSL_CTX_free) each(SSL_CTX_ctrl)            \
    each(SSL_CTX_set_options) each(SSL_CTX_set_verify) each(SSL_CTX_get_cert_store)                                   \
    each(SSL_CTX_set_default_verify_paths) each(SSL_CTX_load_verify_dir) each(SSL_CTX_use_certificate)                \
    each(SSL_CTX_use_PrivateKey) each(SSL_CTX_check_private_key) each(SSL_CTX_sess_set_new_cb)                        \
    each(SSL_CTX_set_cipher_list) each(SSL_CTX_set_ciphersuites) each(OPENSSL_cipher_name)                            \
    each(SSL_new) each(SSL_free) each(SSL_set_bio) each(SSL_set_connect_state) each(SSL_ctrl) each(SSL_get0_param)    \
    each(SSL_set_ex_data) each(SSL_get_ex_data) each(SSL_get_ex_data_X509_STORE_CTX_idx) each(SSL_do_handshake)       \
    each(SSL_read_ex) each(SSL_write_ex) each(SSL_get_error) each(SSL_set_shutdown) each(SSL_set_session)             \
    each(SSL_session_reused) each(SSL_SESSION_free)                                                                   \
    each(BIO_new) each(BIO_s_mem) each(BIO_read) each(BIO_write) each(BIO_ctrl_pending) each(BIO_new_mem_buf)         \
    each(BIO_free)                                                                                                    \
    each(ERR_get_error) each(ERR_clear_error) each(ERR_reason_error_string)                                           \
    each(X509_STORE_add_cert) each(X509_free) each(X509_VERIFY_PARAM_set1_host) each(X509_VERIFY_PARAM_set1_ip_asc)   \
    each(X509_VERIFY_PARAM_set_hostflags) each(X509_STORE_CTX_get_error) each(X509_STORE_CTX_get_current_cert)        \
    each(X509_STORE_CTX_get_ex_data) each(X509_verify_cert_error_string) each(X509_get_ext_d2i)                       \
    each(X509_get_subject_name) each(X509_get_issuer_name) each(X509_NAME_get_text_by_NID) each(X509_get0_notAfter)   \
    each(X509_get0_notBefore) each(X509_get_default_cert_dir) each(X509_get_default_cert_file)                        \
    each(ASN1_TIME_to_tm) each(ASN1_STRING_get0_data) each(ASN1_STRING_length)                                        \
    each(GENERAL_NAMES_free)                                                                                          \
    each(OPENSSL_sk_num) each(OPENSSL_sk_value) each(OPENSSL_sk_pop) each(OPENSSL_sk_pop_free)                        \
    each(PEM_read_bio_X509) each(PEM_read_bio_PrivateKey)                                                             \
    each(d2i_PKCS12_bio)                                                                                              \
    each(PKCS12_parse) each(PKCS12_free)                                                                              \
    each(EVP_PKEY_free)
// clang-format on

struct openssl_library {
#define REDLATCH_MEMBER(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): it is declared
    REDLATCH_OPENSSL_FUNCTIONS(REDLATCH_MEMBER)
#undef REDLATCH_MEMBER
};

/// Loads it at the first call; it stays for the life of the process. Throws error(bad_config) where it cannot be loaded.
openssl_library const& openssl();

} // namespace redlatch::io
