#include "io/tls/openssl_session.hpp"

#include <climits>
#include <new>
#include <utility>

namespace redlatch::io {
namespace {

openssl_session* of(SSL* ssl) {
    return static_cast<openssl_session*>(openssl().SSL_get_ex_data(ssl, 0));
}

} // namespace

openssl_session::openssl_session(SSL_CTX& context, std::string name, SSL_SESSION* former, keep ticket)
    : name_(std::move(name)), keep_(std::move(ticket)), ssl_(openssl().SSL_new(&context)) {
    auto const& lib = openssl();
    openssl_handle<BIO> in(lib.BIO_new(lib.BIO_s_mem()));
    openssl_handle<BIO> out(lib.BIO_new(lib.BIO_s_mem()));
    if (!ssl_ || !in || !out || lib.SSL_set_ex_data(ssl_.get(), 0, this) != 1) {
        lib.ERR_clear_error();
        throw error(errc::disconnected, "there is no memory for a TLS session");
    }
    incoming_ = in.release();
    outgoing_ = out.release();
    lib.SSL_set_bio(ssl_.get(), incoming_, outgoing_);
    lib.SSL_set_connect_state(ssl_.get());
    if (former != nullptr) lib.SSL_set_session(ssl_.get(), former);
}

openssl_session::~openssl_session() {
    // Without this the session would count as broken off, and would not be resumed.
    if (ssl_) openssl().SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

bool openssl_session::receive(std::string_view bytes) {
    if (bytes.empty()) return true;
    return bytes.size() <= INT_MAX
           && openssl().BIO_write(incoming_, bytes.data(), static_cast<int>(bytes.size()))
                  == static_cast<int>(bytes.size());
}

void openssl_session::take_outgoing(std::string& to_send) {
    auto const& lib = openssl();
    auto const waiting = lib.BIO_ctrl_pending(outgoing_);
    if (waiting == 0) return;
    auto const before = to_send.size();
    to_send.resize(before + waiting);
    auto const taken = lib.BIO_read(outgoing_, to_send.data() + before, static_cast<int>(waiting));
    to_send.resize(before + static_cast<std::size_t>(taken > 0 ? taken : 0));
}

void openssl_session::note_errors() {
    problem_ = words_for_errors(established_);
    if (!refused_.empty()) problem_ = {errc::server_refused, refused_};
}

void openssl_session::pass_ticket_on(std::unique_lock<std::mutex>& held, bool failed) {
    auto ticket = std::move(ticket_);
    held.unlock();
    if (ticket || failed) keep_(std::move(ticket));
}

tls_session::progress openssl_session::shake_hands(std::string_view received, std::string& to_send) {
    auto const& lib = openssl();
    std::unique_lock held(mutex_);
    lib.ERR_clear_error();
    auto result = progress::more;
    auto const outcome = receive(received) ? lib.SSL_do_handshake(ssl_.get()) : -1;
    if (outcome == 1) {
        established_ = true;
        result = progress::done;
    } else if (lib.SSL_get_error(ssl_.get(), outcome) != SSL_ERROR_WANT_READ) {
        note_errors();
        result = progress::failed;
    }
    take_outgoing(to_send);
    pass_ticket_on(held, result == progress::failed);
    return result;
}

bool openssl_session::encrypt(std::string_view plain, std::string& to_send) {
    auto const& lib = openssl();
    std::lock_guard held(mutex_);
    lib.ERR_clear_error();
    std::size_t written = 0;
    bool const fine = lib.SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written) == 1;
    if (!fine) note_errors();
    take_outgoing(to_send);
    return fine && written == plain.size();
}

tls_session::decrypted openssl_session::decrypt(std::string_view received, char* into, std::size_t room) {
    auto const& lib = openssl();
    std::unique_lock held(mutex_);
    lib.ERR_clear_error();
    decrypted result;
    int why = receive(received) ? SSL_ERROR_NONE : SSL_ERROR_SSL;
    while (why == SSL_ERROR_NONE) {
        std::size_t count = 0;
        if (lib.SSL_read_ex(ssl_.get(), into + result.bytes, room - result.bytes, &count) == 1)
            result.bytes += count;
        else
            why = lib.SSL_get_error(ssl_.get(), 0);
    }
    if (why != SSL_ERROR_WANT_READ) { // without room too, which there always is
        result.then = why == SSL_ERROR_ZERO_RETURN ? condition::ended : condition::broken;
        note_errors();
    }
    pass_ticket_on(held, false);
    return result;
}

std::string openssl_session::problem() const {
    std::lock_guard held(mutex_);
    return problem_.text;
}

errc openssl_session::reason() const {
    std::lock_guard held(mutex_);
    return problem_.reason;
}

bool openssl_session::resumed() const {
    std::lock_guard held(mutex_);
    return openssl().SSL_session_reused(ssl_.get()) == 1;
}

int openssl_session::on_certificate(int accepted, X509_STORE_CTX* chain) noexcept try {
    auto const& lib = openssl();
    if (accepted == 1) return 1;
    auto* const ssl =
        static_cast<SSL*>(lib.X509_STORE_CTX_get_ex_data(chain, lib.SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* const self = of(ssl);
    // Within shake_hands, which holds the mutex.
    if (self->refused_.empty())
        self->refused_ = words_for_certificate(lib.X509_STORE_CTX_get_error(chain),
                                               lib.X509_STORE_CTX_get_current_cert(chain), self->name_);
    return 0;
} catch (std::bad_alloc const&) {
    return 0; // OpenSSL's own words will do
}

int openssl_session::on_ticket(SSL* ssl, SSL_SESSION* ticket) noexcept {
    of(ssl)->ticket_.reset(ticket); // within a member that holds the mutex; it is ours now
    return 1;
}

} // namespace redlatch::io
