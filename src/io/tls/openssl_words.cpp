#include "io/tls/openssl_words.hpp"

#include "io/tls/openssl_handles.hpp"
#include "io/tls/setting_names.hpp"
#include "io/uri_text.hpp"

#include <arpa/inet.h>
#include <array>
#include <ctime>

namespace redlatch::io {
namespace {

std::string text_of(ASN1_STRING const* text) {
    auto const& lib = openssl();
    auto const* const bytes = reinterpret_cast<char const*>(lib.ASN1_STRING_get0_data(text));
    return {bytes, static_cast<std::size_t>(lib.ASN1_STRING_length(text))};
}

std::string common_name(X509_NAME* name) {
    std::array<char, 256> text{};
    auto const length =
        openssl().X509_NAME_get_text_by_NID(name, NID_commonName, text.data(), static_cast<int>(text.size()));
    return length < 0 ? std::string("without a name") : "'" + printable(text.data()) + "'";
}

std::string ip_address(std::string const& bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    auto const family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
    if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) return "?";
    ::inet_ntop(family, bytes.data(), text.data(), text.size());
    return text.data();
}

/// The names and addresses that the certificate is for.
std::string names_in(X509* certificate) {
    auto const& lib = openssl();
    openssl_handle<GENERAL_NAMES> const all(
        static_cast<GENERAL_NAMES*>(lib.X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    if (!all) return common_name(lib.X509_get_subject_name(certificate));
    constexpr int most = 8;
    std::string result;
    auto const* const list = reinterpret_cast<OPENSSL_STACK const*>(all.get());
    for (int i = 0; i < lib.OPENSSL_sk_num(list); ++i) {
        auto const* const one = static_cast<GENERAL_NAME const*>(lib.OPENSSL_sk_value(list, i));
        if (one->type != GEN_DNS && one->type != GEN_IPADD) continue;
        if (!result.empty()) result += ", ";
        if (i == most) return result + "…";
        result += one->type == GEN_DNS ? printable(text_of(one->d.dNSName)) : ip_address(text_of(one->d.iPAddress));
    }
    return result.empty() ? "none" : result;
}

std::string date(ASN1_TIME const* time) {
    std::tm parts{};
    std::array<char, 32> text{};
    if (openssl().ASN1_TIME_to_tm(time, &parts) != 1
        || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        return "an unknown date";
    return text.data();
}

struct alert {
    int code;
    char const* words;
};
// The server's alerts about our own certificate.
constexpr alert refusals[]{
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, "its authority is unknown there"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "it is bad, or none was shown"},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "it is of an unsupported kind"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, "it is revoked"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "it has expired"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, "it is unknown"},
    {SSL_R_TLSV1_ALERT_ACCESS_DENIED, "access is denied"},
    {SSL_R_TLSV1_ALERT_DECRYPT_ERROR, "its signature is wrong"},
};

tls_problem words_for(unsigned long code, bool established) {
    auto const reason = ERR_GET_REASON(code);
    if (ERR_GET_LIB(code) == ERR_LIB_SSL) {
        for (auto const& one : refusals)
            if (one.code == reason)
                return {errc::server_refused, std::string("does not accept our certificate (") + one.words + "): see "
                                                  + std::string(tls_setting::certificate_file)
                                                  + ", and the authorities that the server trusts"};
        switch (reason) {
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST:
        case SSL_R_PACKET_LENGTH_TOO_LONG:
            if (established) break;
            return {errc::bad_reply,
                    "does not speak TLS on this port: use its TLS port, or redis:// if the network is to be trusted"};
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            return {errc::server_refused,
                    "speaks only versions of TLS that are older than what is asked of it here (1.2, unless "
                        + std::string(tls_setting::minimum_version)
                        + " asks for more): allow it a newer one (tls-protocols)"};
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
            return {errc::server_refused, "asks its clients for a certificate: set "
                                              + std::string(tls_setting::certificate_file) + " and "
                                              + std::string(tls_setting::key_file)};
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            return {errc::server_refused, "refused the TLS handshake: it asks for a certificate, see "
                                              + std::string(tls_setting::certificate_file)
                                              + ", or has no cipher in common with us"};
        default: break; // OpenSSL has hundreds
        }
    }
    char const* const text = openssl().ERR_reason_error_string(code);
    return {errc::disconnected, std::string("broke the TLS connection: ") + (text != nullptr ? text : "unknown error")};
}

} // namespace

std::string words_for_certificate(int verdict, X509* certificate, std::string const& name) {
    auto const& lib = openssl();
    if (certificate == nullptr) return "has no certificate that can be judged";
    switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return "has a certificate that has expired (" + common_name(lib.X509_get_subject_name(certificate)) + ", on "
               + date(lib.X509_get0_notAfter(certificate)) + "): renew it there";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return "has a certificate that is not valid yet (" + common_name(lib.X509_get_subject_name(certificate))
               + ", before " + date(lib.X509_get0_notBefore(certificate)) + "): compare the clocks";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "has a certificate for " + names_in(certificate) + ", not for '" + printable(name)
               + "': use one of these names in the address, or set " + std::string(tls_setting::server_name);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        return "has a certificate of an authority that is not trusted here ("
               + common_name(lib.X509_get_issuer_name(certificate)) + "): name the authority's certificate in "
               + std::string(tls_setting::ca_file) + " or " + std::string(tls_setting::ca_folder);
    default: // OpenSSL has dozens
        return std::string("has a certificate that is not accepted: ") + lib.X509_verify_cert_error_string(verdict);
    }
}

tls_problem words_for_errors(bool established) {
    auto const first = openssl().ERR_get_error();
    openssl().ERR_clear_error();
    if (first == 0) return {errc::disconnected, "broke the TLS connection"};
    return words_for(first, established);
}

} // namespace redlatch::io
