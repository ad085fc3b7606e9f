// A session over two memory BIOs.
#pragma once

#include "io/tls/openssl_handles.hpp"
#include "io/tls/openssl_words.hpp"
#include "io/tls/tls_session.hpp"

#include <functional>
#include <mutex>

namespace redlatch::io {

class openssl_session final : public tls_session {
public:
    /// What the server gives us to resume the session with; null: the handshake failed. Called without a mutex.
    using keep = std::function<void(openssl_handle<SSL_SESSION>)>;

    /// `name`: that the certificate is to be for, for messages. Throws error(disconnected) where there is no memory.
    openssl_session(SSL_CTX& context, std::string name, SSL_SESSION* former, keep ticket);

    ~openssl_session() override;

    SSL& raw() noexcept { return *ssl_; }

    progress shake_hands(std::string_view received, std::string& to_send) override;
    bool encrypt(std::string_view plain, std::string& to_send) override;
    decrypted decrypt(std::string_view received, char* into, std::size_t room) override;
    std::string problem() const override;
    errc reason() const override;
    bool resumed() const override;

    /// For the context.
    static int on_certificate(int accepted, X509_STORE_CTX* chain) noexcept;
    static int on_ticket(SSL* ssl, SSL_SESSION* ticket) noexcept;

private:
    bool receive(std::string_view bytes);
    void take_outgoing(std::string& to_send);
    void note_errors();
    void pass_ticket_on(std::unique_lock<std::mutex>& held, bool failed);

    std::string const name_;
    keep const keep_;
    mutable std::mutex mutex_; // guards what follows
    openssl_handle<SSL> ssl_;
    BIO* incoming_ = nullptr; ///< the session's, as is outgoing_
    BIO* outgoing_ = nullptr;
    openssl_handle<SSL_SESSION> ticket_; ///< not passed on yet
    bool established_ = false;
    std::string refused_; ///< why the certificate was not accepted
    tls_problem problem_;
};

} // namespace redlatch::io
