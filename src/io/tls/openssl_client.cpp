#include "io/tls/openssl_client.hpp"

#include "io/log.hpp"
#include "io/tls/openssl_ciphers.hpp"
#include "io/tls/openssl_files.hpp"
#include "io/tls/setting_names.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <utility>

namespace redlatch::io {
namespace {

/// Without the zone of an IPv6 address, or the dot that ends a name.
std::string name_of(tls_options const& options, std::string const& host) {
    auto name = options.server_name.empty() ? host : options.server_name;
    if (name.find(':') != std::string::npos) name.resize(std::min(name.find('%'), name.size()));
    if (name.ends_with('.')) name.pop_back();
    return name;
}

bool is_ip_address(std::string const& name) {
    in6_addr parsed{};
    return ::inet_pton(AF_INET, name.c_str(), &parsed) == 1 || ::inet_pton(AF_INET6, name.c_str(), &parsed) == 1;
}

void warn_of_no_verification() {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true))
        log(log_level::warning,
            "TLS without verification (tls_verification::none): whoever is on the way to the server can "
            "read and change what is sent");
}

} // namespace

openssl_client::openssl_client(tls_options options, std::string const& host)
    : options_(std::move(options)), name_(name_of(options_, host)), is_ip_(is_ip_address(name_)) {
    if (options_.verification == tls_verification::none) warn_of_no_verification();
}

openssl_handle<SSL_CTX> openssl_client::make_context() const {
    auto const& lib = openssl();
    openssl_handle<SSL_CTX> context(lib.SSL_CTX_new(lib.TLS_client_method()));
    if (!context) throw error(errc::disconnected, "there is no memory for a TLS context");
    auto const least = options_.minimum_version == tls_version::tls_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
    lib.SSL_CTX_ctrl(context.get(), SSL_CTRL_SET_MIN_PROTO_VERSION, least, nullptr);
    choose_ciphers(*context, options_);
    lib.SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    lib.SSL_CTX_ctrl(context.get(), SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL,
                     nullptr);
    lib.SSL_CTX_sess_set_new_cb(context.get(), &openssl_session::on_ticket);
    if (options_.verification == tls_verification::none) {
        lib.SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
    } else {
        lib.SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, &openssl_session::on_certificate);
        load_authorities(*context, options_);
    }
    load_own_certificate(*context, options_);
    return context;
}

std::unique_ptr<tls_session> openssl_client::begin() {
    auto const& lib = openssl();
    std::lock_guard held(mutex_);
    auto files = state_of_files(options_);
    if (!context_ || files != files_) {
        ticket_.reset(); // it stands for certificates that may be trusted no more
        context_.reset();
        context_ = make_context();
        files_ = std::move(files);
    }
    auto keep_it = [weak = weak_from_this(), state = files_](openssl_handle<SSL_SESSION> ticket) {
        if (auto const alive = weak.lock()) alive->keep(std::move(ticket), state);
    };
    auto session = std::make_unique<openssl_session>(*context_, name_, ticket_.get(), std::move(keep_it));
    auto& raw = session->raw();
    if (!is_ip_)
        lib.SSL_ctrl(&raw, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(name_.c_str()));
    if (options_.verification != tls_verification::strict) return session;
    auto* const wanted = lib.SSL_get0_param(&raw);
    lib.X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    auto const set = is_ip_ ? lib.X509_VERIFY_PARAM_set1_ip_asc(wanted, name_.c_str())
                            : lib.X509_VERIFY_PARAM_set1_host(wanted, name_.c_str(), name_.size());
    if (set != 1 || name_.empty())
        throw error(errc::bad_config,
                    "no certificate can be for '" + name_ + "': see " + std::string(tls_setting::server_name));
    return session;
}

void openssl_client::keep(openssl_handle<SSL_SESSION> ticket, std::string const& files) {
    std::lock_guard held(mutex_);
    if (files == files_) ticket_ = std::move(ticket);
}

std::shared_ptr<tls_client> make_tls_client(tls_options const& options, std::string const& host) {
    openssl(); // its absence is told at once
    return std::make_shared<openssl_client>(options, host);
}

} // namespace redlatch::io
