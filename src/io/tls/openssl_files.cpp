#include "io/tls/openssl_files.hpp"

#include "base/error_text.hpp"
#include "io/tls/setting_names.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace redlatch::io {
namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20; // all authorities of the world take a quarter of a MiB

[[noreturn]] void refuse_file(char const* role, std::string const& file, std::string const& problem) {
    openssl().ERR_clear_error();
    throw error(errc::bad_config, std::string("the ") + role + " '" + printable(file) + "' " + problem);
}

std::string see(std::string const& problem, std::string_view setting) {
    return problem + ": see " + std::string(setting);
}

std::string text_of(char const* role, std::string const& file) {
    auto const refuse = [&](std::string const& problem) { refuse_file(role, file, "cannot be read: " + problem); };
    unique_fd const opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!opened) refuse(base::error_text(errno));
    struct stat status {};
    if (::fstat(opened.get(), &status) != 0) refuse(base::error_text(errno));
    if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
    std::string text;
    char buffer[16 * 1024];
    for (;;) {
        auto const count = ::read(opened.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(base::error_text(errno));
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > largest_file) refuse("it is larger than 16 MiB");
    }
}

openssl_handle<BIO> reading(std::string const& text) {
    openssl_handle<BIO> result(openssl().BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    if (!result) throw std::bad_alloc();
    return result;
}

int give_password(char* into, int room, int, void* password) {
    auto const& text = *static_cast<std::string const*>(password);
    if (text.empty() || text.size() > static_cast<std::size_t>(room)) return -1; // never ask on a terminal
    return static_cast<int>(text.copy(into, text.size()));
}

bool is_der(std::string const& text) {
    return text.size() > 1 && text[0] == '\x30' && (static_cast<unsigned char>(text[1]) & 0x80U) != 0;
}

void refuse_java_store(char const* role, std::string const& file, std::string const& text) {
    if (!text.starts_with("\xfe\xed\xfe\xed") && !text.starts_with("\xce\xce\xce\xce")) return;
    refuse_file(role, file,
                "is a Java keystore, which cannot be read: convert it with keytool -importkeystore -srckeystore FILE "
                "-destkeystore FILE.p12 -deststoretype PKCS12");
}

std::vector<openssl_handle<X509>> certificates_in(std::string const& text) {
    auto const source = reading(text);
    std::vector<openssl_handle<X509>> result;
    while (auto* const one = openssl().PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr))
        result.emplace_back(one);
    openssl().ERR_clear_error(); // that there are no more
    return result;
}

struct store {
    openssl_handle<EVP_PKEY> key{};
    std::vector<openssl_handle<X509>> certificates{}; ///< first the one that belongs to the key, if there is one
};

store opened_pkcs12(char const* role, std::string const& file, std::string const& text, std::string const& password) {
    auto const source = reading(text);
    openssl_handle<PKCS12> const packed(openssl().d2i_PKCS12_bio(source.get(), nullptr));
    if (!packed) refuse_file(role, file, "is neither PEM nor PKCS#12");
    EVP_PKEY* key = nullptr;
    X509* certificate = nullptr;
    STACK_OF(X509)* others = nullptr;
    if (openssl().PKCS12_parse(packed.get(), password.c_str(), &key, &certificate, &others) != 1)
        refuse_file(
            role, file,
            "cannot be opened: its password is missing or wrong, or it is encrypted as by an old Java, which OpenSSL 3 "
            "refuses; such a file is made anew with openssl pkcs12 -legacy -in FILE -nodes -out FILE.pem and "
            "openssl pkcs12 -export -in FILE.pem -out FILE.p12");
    store result;
    result.key.reset(key);
    if (certificate != nullptr) result.certificates.emplace_back(certificate);
    openssl_handle<STACK_OF(X509)> const rest(others);
    auto const* const all = reinterpret_cast<OPENSSL_STACK const*>(others);
    for (int i = 0; others != nullptr && i < openssl().OPENSSL_sk_num(all); ++i)
        result.certificates.emplace_back(static_cast<X509*>(openssl().OPENSSL_sk_value(all, i)));
    // They are the vector's now.
    if (others != nullptr)
        while (openssl().OPENSSL_sk_num(all) > 0) openssl().OPENSSL_sk_pop(reinterpret_cast<OPENSSL_STACK*>(others));
    return result;
}

void use(SSL_CTX& context, std::string const& file, store own) {
    auto const& lib = openssl();
    if (own.certificates.empty() || lib.SSL_CTX_use_certificate(&context, own.certificates.front().get()) != 1)
        refuse_file("certificate file", file,
                    see("has no certificate that can be used", tls_setting::certificate_file));
    for (auto one = own.certificates.begin() + 1; one != own.certificates.end(); ++one)
        if (lib.SSL_CTX_ctrl(&context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, one->get()) == 1)
            static_cast<void>(one->release()); // it is the context's
}

openssl_handle<EVP_PKEY> key_in(std::string const& file, std::string const& text, std::string password) {
    auto const source = reading(text);
    openssl_handle<EVP_PKEY> key(openssl().PEM_read_bio_PrivateKey(source.get(), nullptr, give_password, &password));
    if (key) return key;
    refuse_file("key file", file,
                text.find("ENCRYPTED") == std::string::npos
                    ? see("has no private key in PEM", tls_setting::key_file)
                    : see(std::string("cannot be opened: its password is ") + (password.empty() ? "missing" : "wrong"),
                          tls_setting::key_password));
}

} // namespace

void load_authorities(SSL_CTX& context, tls_options const& options) {
    auto const& lib = openssl();
    if (options.ca_file.empty() && options.ca_folder.empty()) {
        lib.SSL_CTX_set_default_verify_paths(&context);
        lib.ERR_clear_error(); // a system without authorities: the server's certificate will be refused, and the error says why
        return;
    }
    if (!options.ca_file.empty()) {
        constexpr auto what = "file of authorities";
        auto const text = text_of(what, options.ca_file);
        refuse_java_store(what, options.ca_file, text);
        auto const all = is_der(text) ? opened_pkcs12(what, options.ca_file, text, options.ca_password).certificates
                                      : certificates_in(text);
        if (all.empty())
            refuse_file(what, options.ca_file, see("has no certificate in PEM or PKCS#12", tls_setting::ca_file));
        for (auto const& one : all) lib.X509_STORE_add_cert(lib.SSL_CTX_get_cert_store(&context), one.get());
    }
    if (!options.ca_folder.empty()) {
        constexpr auto what = "folder of authorities";
        unique_fd const folder(::open(options.ca_folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
        if (!folder) refuse_file(what, options.ca_folder, "cannot be read: " + base::error_text(errno));
        if (lib.SSL_CTX_load_verify_dir(&context, options.ca_folder.c_str()) != 1)
            refuse_file(what, options.ca_folder, see("cannot be used", tls_setting::ca_folder));
    }
    lib.ERR_clear_error();
}

void load_own_certificate(SSL_CTX& context, tls_options const& options) {
    if (options.certificate_file.empty()) return;
    auto const& lib = openssl();
    constexpr auto what = "certificate file";
    auto const text = text_of(what, options.certificate_file);
    refuse_java_store(what, options.certificate_file, text);
    auto own = is_der(text) ? opened_pkcs12(what, options.certificate_file, text, options.key_password)
                            : store{nullptr, certificates_in(text)};
    auto key = std::move(own.key);
    use(context, options.certificate_file, std::move(own));
    auto const& key_file = options.key_file.empty() ? options.certificate_file : options.key_file;
    if (!key)
        key = key_in(key_file, options.key_file.empty() ? text : text_of("key file", key_file), options.key_password);
    if (lib.SSL_CTX_use_PrivateKey(&context, key.get()) != 1 || lib.SSL_CTX_check_private_key(&context) != 1)
        refuse_file("key file", key_file,
                    "has another key than the one of the certificate in '" + printable(options.certificate_file) + "'");
    lib.ERR_clear_error();
}

std::string state_of_files(tls_options const& options) {
    bool const of_system = options.ca_file.empty() && options.ca_folder.empty();
    auto const or_else = [](char const* variable, char const* built_in) {
        char const* const named = ::secure_getenv(variable);
        return std::string(named != nullptr ? named : built_in);
    };
    std::string result;
    for (std::string const& file :
         {of_system ? or_else("SSL_CERT_FILE", openssl().X509_get_default_cert_file()) : options.ca_file,
          of_system ? or_else("SSL_CERT_DIR", openssl().X509_get_default_cert_dir()) : options.ca_folder,
          options.certificate_file, options.key_file}) {
        struct stat status {};
        if (file.empty() || ::stat(file.c_str(), &status) != 0) {
            result += "-;";
            continue;
        }
        for (auto const number :
             {static_cast<std::uintmax_t>(status.st_ino), static_cast<std::uintmax_t>(status.st_size),
              static_cast<std::uintmax_t>(status.st_mtim.tv_sec), static_cast<std::uintmax_t>(status.st_mtim.tv_nsec),
              static_cast<std::uintmax_t>(status.st_ctim.tv_sec), static_cast<std::uintmax_t>(status.st_ctim.tv_nsec)})
            result += std::to_string(number) + ',';
        result += ';';
    }
    return result;
}

} // namespace redlatch::io
