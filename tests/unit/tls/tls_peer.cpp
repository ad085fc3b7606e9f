#include "tls_peer.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdexcept>

namespace redlatch::test {

tls_peer_server::tls_peer_server(identity_papers const& papers, tls_peer_options const& options)
    : context_(SSL_CTX_new(TLS_server_method())) {
    auto* const context = context_.get();
    if (SSL_CTX_use_certificate(context, papers.paper.get()) != 1
        || SSL_CTX_use_PrivateKey(context, papers.key.get()) != 1)
        throw std::runtime_error("the peer cannot use its certificate");
    SSL_CTX_set_min_proto_version(context, options.oldest);
    SSL_CTX_set_max_proto_version(context, options.newest);
    if (!options.ciphers.empty()) SSL_CTX_set_cipher_list(context, options.ciphers.c_str());
    SSL_CTX_set_session_id_context(context, reinterpret_cast<unsigned char const*>("peer"), 4);
    if (options.clients_of.empty()) return;
    std::unique_ptr<BIO, frees<BIO_free>> const text(
        BIO_new_mem_buf(options.clients_of.data(), static_cast<int>(options.clients_of.size())));
    certificate const authority(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

tls_peer::tls_peer(tls_peer_server const& of) : ssl_(SSL_new(of.context())) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_.get());
}

std::string tls_peer::take(std::string_view received) {
    if (!received.empty()) BIO_write(SSL_get_rbio(ssl_.get()), received.data(), static_cast<int>(received.size()));
    ERR_clear_error();
    for (;;) {
        char buffer[4096];
        auto const count = SSL_read(ssl_.get(), buffer, sizeof buffer); // shakes hands first
        if (count <= 0) {
            auto const why = SSL_get_error(ssl_.get(), count);
            failed_ = failed_ || why == SSL_ERROR_SSL || why == SSL_ERROR_SYSCALL;
            break;
        }
        text_.append(buffer, static_cast<std::size_t>(count));
    }
    ERR_clear_error();
    return outgoing();
}

std::string tls_peer::outgoing() {
    std::string bytes(BIO_ctrl_pending(SSL_get_wbio(ssl_.get())), '\0');
    if (!bytes.empty()) BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
}

std::string tls_peer::say(std::string_view text) {
    if (SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) != static_cast<int>(text.size()))
        throw std::runtime_error("the peer cannot write");
    return outgoing();
}

std::string tls_peer::close() {
    SSL_shutdown(ssl_.get());
    return outgoing();
}

} // namespace redlatch::test
