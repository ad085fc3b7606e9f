#include "support/certificates.hpp"

#include <fstream>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace redlatch::test {
namespace {

using text_sink = std::unique_ptr<BIO, frees<BIO_free>>;

void need(bool done) {
    if (!done) throw std::runtime_error("OpenSSL cannot make the test's certificates");
}

template <class Write> std::string written(Write&& write) {
    text_sink const sink(BIO_new(BIO_s_mem()));
    need(write(sink.get()) == 1);
    char* bytes = nullptr;
    auto const size = BIO_get_mem_data(sink.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

std::string packed(char const* password, EVP_PKEY* key, X509* paper, STACK_OF(X509) * others) {
    std::unique_ptr<PKCS12, frees<PKCS12_free>> const all(
        PKCS12_create(password, "redlatch", key, paper, others, 0, 0, 0, 0, 0));
    need(all != nullptr);
    return written([&](BIO* sink) { return i2d_PKCS12_bio(sink, all.get()); });
}

void add_extension(X509* to, X509* issuer, int kind, std::string const& text) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
    std::unique_ptr<X509_EXTENSION, frees<X509_EXTENSION_free>> const one(
        X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str()));
    need(one != nullptr && X509_add_ext(to, one.get(), -1) == 1);
}

identity_papers signed_papers(certificate_text const& text, identity_papers const* authority) {
    identity_papers made{private_key(EVP_EC_gen("P-256")), certificate(X509_new())};
    need(made.key != nullptr && made.paper != nullptr);
    auto* const paper = made.paper.get();
    X509_set_version(paper, X509_VERSION_3);
    std::uint64_t number = 0;
    need(RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) == 1);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(paper), number >> 1U);
    auto const seconds = [](std::chrono::hours span) { return std::chrono::seconds(span).count(); };
    X509_gmtime_adj(X509_getm_notBefore(paper), seconds(text.valid_from));
    X509_gmtime_adj(X509_getm_notAfter(paper), seconds(text.valid_to));
    X509_NAME_add_entry_by_txt(X509_get_subject_name(paper), "CN", MBSTRING_UTF8,
                               reinterpret_cast<unsigned char const*>(text.name.c_str()), -1, -1, 0);
    auto* const issuer = authority != nullptr ? authority->paper.get() : paper;
    X509_set_issuer_name(paper, X509_get_subject_name(issuer));
    X509_set_pubkey(paper, made.key.get());
    add_extension(paper, issuer, NID_basic_constraints,
                  authority != nullptr ? "critical,CA:FALSE" : "critical,CA:TRUE");
    if (!text.alternative_names.empty()) add_extension(paper, issuer, NID_subject_alt_name, text.alternative_names);
    need(X509_sign(paper, authority != nullptr ? authority->key.get() : made.key.get(), EVP_sha256()) > 0);
    return made;
}

} // namespace

std::string identity_papers::certificate_pem() const {
    return written([&](BIO* sink) { return PEM_write_bio_X509(sink, paper.get()); });
}

std::string identity_papers::key_pem(std::string const& password) const {
    auto const* const cipher = password.empty() ? nullptr : EVP_aes_256_cbc();
    return written([&](BIO* sink) {
        return PEM_write_bio_PKCS8PrivateKey(sink, key.get(), cipher, password.data(),
                                             static_cast<int>(password.size()), nullptr, nullptr);
    });
}

std::string identity_papers::pkcs12(std::string const& password) const {
    return packed(password.c_str(), key.get(), paper.get(), nullptr);
}

certificate_authority::certificate_authority(std::string const& name)
    : own_(signed_papers({.name = name, .alternative_names = ""}, nullptr)) {}

identity_papers certificate_authority::issue(certificate_text const& text) const {
    return signed_papers(text, &own_);
}

std::string certificate_authority::pkcs12(std::string const& password) const {
    std::unique_ptr<STACK_OF(X509), decltype([](STACK_OF(X509) * all) { sk_X509_free(all); })> const all(
        sk_X509_new_null());
    sk_X509_push(all.get(), own_.paper.get());
    return packed(password.c_str(), nullptr, nullptr, all.get());
}

std::string write_file(std::filesystem::path const& file, std::string const& text) {
    auto const fresh = file.string() + ".new";
    std::ofstream(fresh, std::ios::binary) << text;
    std::filesystem::rename(fresh, file);
    return file.string();
}

} // namespace redlatch::test
