#include "io/tls/openssl_ciphers.hpp"

#include "io/tls/setting_names.hpp"

#include <redlatch/error.hpp>

#include <string>
#include <string_view>

namespace redlatch::io {
namespace {

[[noreturn]] void refuse_ciphers(std::string const& problem) {
    openssl().ERR_clear_error();
    throw error(errc::bad_config, problem + "; see " + std::string(tls_setting::ciphers));
}

/// Those of TLS 1.3 say nothing of the exchange of keys.
bool is_of_tls_1_3(std::string_view name) {
    return name.starts_with("TLS_") && name.find("_WITH_") == std::string_view::npos;
}

/// OpenSSL has names of its own for the older ones.
std::string known_as(std::string const& name) {
    std::string_view const found = openssl().OPENSSL_cipher_name(name.c_str());
    return found == "(NONE)" ? name : std::string(found);
}

void append(std::string& list, std::string const& name) {
    list += (list.empty() ? "" : ":") + name;
}

} // namespace

void choose_ciphers(SSL_CTX& context, tls_options const& options) {
    if (options.ciphers.empty()) return;
    auto const& lib = openssl();
    std::string older;
    std::string of_tls_1_3;
    for (auto const& name : options.ciphers) {
        bool const is_newest = is_of_tls_1_3(name);
        auto const known = is_newest ? name : known_as(name);
        bool const is_one = known.find_first_of(":, ") == std::string::npos; // and not a list
        auto const set = is_newest ? lib.SSL_CTX_set_ciphersuites : lib.SSL_CTX_set_cipher_list;
        if (!is_one || set(&context, known.c_str()) != 1)
            refuse_ciphers("OpenSSL has no cipher '" + name + "' for TLS");
        append(is_newest ? of_tls_1_3 : older, known);
    }
    if (of_tls_1_3.empty() && options.minimum_version == tls_version::tls_1_3)
        refuse_ciphers("none of the ciphers is one of TLS 1.3, and nothing older may be spoken");
    if (of_tls_1_3.empty()) lib.SSL_CTX_ctrl(&context, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_2_VERSION, nullptr);
    if (older.empty()) lib.SSL_CTX_ctrl(&context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, nullptr);
    if (!of_tls_1_3.empty()) lib.SSL_CTX_set_ciphersuites(&context, of_tls_1_3.c_str());
    if (!older.empty()) lib.SSL_CTX_set_cipher_list(&context, older.c_str());
}

} // namespace redlatch::io
