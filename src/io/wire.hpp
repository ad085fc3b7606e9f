// A connected socket, encrypted or not. Like send(2) and recv(2), with errno, whatever is in between.
#pragma once

#include "io/tls/tls_session.hpp"
#include "io/unique_fd.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace redlatch::io {

/// One thread may send while another one receives.
class wire {
public:
    enum class handshake { wants_to_read, wants_to_write, done, ended, broken, failed };

    /// Room for what one receive() may bring.
    static constexpr std::size_t receive_size = 16 * 1024;
    static constexpr std::size_t encrypted_receive_size = receive_size + 2 * tls_session::longest_record;

    wire() noexcept = default;
    explicit wire(unique_fd fd, std::unique_ptr<tls_session> session = nullptr);
    wire(wire&&) noexcept = default;
    wire& operator=(wire&&) noexcept = default;
    ~wire() = default;

    int fd() const noexcept { return fd_.get(); }
    explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
    void reset() noexcept;
    unique_fd take_fd() noexcept { return std::move(fd_); }

    /// ended: by the server; broken: see errno; failed: see problem().
    handshake shake_hands() noexcept;
    /// -1 and EAGAIN: nothing of it can have been read by the server; the same bytes are to be given again, more may follow.
    long send(char const* bytes, std::size_t size) noexcept {
        return encrypted_ ? send_encrypted(bytes, size) : ::send(fd_.get(), bytes, size, MSG_NOSIGNAL);
    }
    /// 0: ended. -1 and EAGAIN: nothing, yet. `room`: as above.
    long receive(char* into, std::size_t room) noexcept {
        return encrypted_ ? receive_encrypted(into, room) : ::recv(fd_.get(), into, room, 0);
    }

    /// What went wrong, of what send() or receive() has returned and errno then; empty: nothing, or EAGAIN or EINTR. Not
    /// under another mutex of ours.
    std::string failure(long count, int error) const noexcept {
        return count >= 0 || error == EAGAIN || error == EINTR ? std::string() : failure_of(error);
    }
    /// After `failed`, or -1 with EPROTO.
    std::string problem() const { return encrypted_->session->problem(); }
    /// Why a handshake failed.
    errc reason() const { return encrypted_->session->reason(); }
    bool resumed() const { return encrypted_ && encrypted_->session->resumed(); }

private:
    struct encryption {
        std::unique_ptr<tls_session> session;
        std::string outgoing{}; ///< the sender's own, as are the two below
        std::size_t sent = 0;   ///< of outgoing
        std::size_t covers = 0; ///< so much of what send() was given is in outgoing
        std::unique_ptr<char[]> incoming{};
        bool begun = false;
    };
    bool send_outgoing() noexcept;
    long send_encrypted(char const* bytes, std::size_t size) noexcept;
    long receive_encrypted(char* into, std::size_t room) noexcept;
    std::string failure_of(int error) const noexcept;

    unique_fd fd_;
    std::unique_ptr<encryption> encrypted_;
};

} // namespace redlatch::io
