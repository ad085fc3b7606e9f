#include "io/wire.hpp"

#include "base/error_text.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace redlatch::io {

wire::wire(unique_fd fd, std::unique_ptr<tls_session> session) : fd_(std::move(fd)) {
    if (!session) return;
    encrypted_ = std::make_unique<encryption>(encryption{std::move(session)});
    encrypted_->incoming = std::make_unique_for_overwrite<char[]>(receive_size);
}

void wire::reset() noexcept {
    fd_.reset();
    encrypted_.reset();
}

/// False: see errno.
bool wire::send_outgoing() noexcept {
    auto& own = *encrypted_;
    while (own.sent < own.outgoing.size()) {
        auto const count =
            ::send(fd_.get(), own.outgoing.data() + own.sent, own.outgoing.size() - own.sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        own.sent += static_cast<std::size_t>(count);
    }
    own.outgoing.clear();
    own.sent = 0;
    return true;
}

wire::handshake wire::shake_hands() noexcept try {
    auto& own = *encrypted_;
    auto progress = tls_session::progress::more;
    if (!std::exchange(own.begun, true)) progress = own.session->shake_hands({}, own.outgoing);
    for (;;) {
        bool const sent = send_outgoing(); // an alert too, which tells the server why
        if (progress == tls_session::progress::failed) return handshake::failed;
        if (!sent) return errno == EAGAIN ? handshake::wants_to_write : handshake::broken;
        if (progress == tls_session::progress::done) return handshake::done;
        auto const count = ::recv(fd_.get(), own.incoming.get(), receive_size, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN ? handshake::wants_to_read : handshake::broken;
        if (count == 0) return handshake::ended;
        progress = own.session->shake_hands({own.incoming.get(), static_cast<std::size_t>(count)}, own.outgoing);
    }
} catch (std::bad_alloc const&) {
    errno = ENOMEM;
    return handshake::broken;
}

long wire::send_encrypted(char const* bytes, std::size_t size) noexcept try {
    auto& own = *encrypted_;
    if (own.covers == 0) {
        own.covers = std::min(size, tls_session::longest_record);
        if (!own.session->encrypt({bytes, own.covers}, own.outgoing)) {
            errno = EPROTO;
            return -1;
        }
    }
    return send_outgoing() ? static_cast<long>(std::exchange(own.covers, 0)) : -1;
} catch (std::bad_alloc const&) {
    errno = ENOMEM;
    return -1;
}

long wire::receive_encrypted(char* into, std::size_t room) noexcept try {
    auto& own = *encrypted_;
    auto const count = ::recv(fd_.get(), own.incoming.get(), receive_size, 0);
    if (count <= 0) return count;
    auto const found = own.session->decrypt({own.incoming.get(), static_cast<std::size_t>(count)}, into, room);
    // What comes after the end is not to be waited for: the next look finds the socket at its end.
    if (found.then != tls_session::condition::fine) ::shutdown(fd_.get(), SHUT_RDWR);
    if (found.bytes > 0) return static_cast<long>(found.bytes);
    if (found.then == tls_session::condition::ended) return 0;
    errno = found.then == tls_session::condition::fine ? EAGAIN : EPROTO;
    return -1;
} catch (std::bad_alloc const&) {
    errno = ENOMEM;
    return -1;
}

std::string wire::failure_of(int error) const noexcept try {
    return error == EPROTO && encrypted_ ? problem() : base::error_text(error);
} catch (std::bad_alloc const&) {
    return "has failed"; // short enough to need none
}

} // namespace redlatch::io
