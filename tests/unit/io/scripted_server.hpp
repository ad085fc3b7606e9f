// The other end of a connection, by hand, on the test's own thread: it accepts, reads and says what the test wants.
#pragma once

#include "io/connector.hpp"
#include "io/unique_fd.hpp"
#include "resp/reader.hpp"
#include "support/wait_until.hpp"

#include <array>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace redlatch::io {

/// Listens on a free port of 127.0.0.1.
class scripted_server {
public:
    scripted_server() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
        socklen_t size = sizeof here;
        EXPECT_EQ(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&here), &size), 0);
        port_ = ntohs(here.sin_port);
        EXPECT_EQ(::listen(listening_.get(), 5), 0);
    }

    endpoint where() const {
        endpoint out;
        out.host_or_path = "127.0.0.1";
        out.port = port_;
        return out;
    }
    void accept() {
        peer_.reset(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        ASSERT_TRUE(peer_);
        int const on = 1; // else a second short answer waits until the first is acknowledged
        ::setsockopt(peer_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        inbox_ = resp::reader();
    }
    /// The next command; "end of stream" when the peer is gone.
    std::string read_command() {
        resp::value command;
        while (inbox_.next(command) != resp::reader::result::value) {
            std::array<char, 16 * 1024> buffer{};
            auto const got = ::recv(peer_.get(), buffer.data(), buffer.size(), 0);
            if (got <= 0) return "end of stream";
            inbox_.feed({buffer.data(), static_cast<std::size_t>(got)});
        }
        std::string line;
        for (auto const& word : command.items) line += (line.empty() ? "" : " ") + word.text;
        return line;
    }
    std::vector<std::string> read_commands(std::size_t count) {
        std::vector<std::string> all;
        while (all.size() < count) all.push_back(read_command());
        return all;
    }
    void say(std::string_view bytes) const { ASSERT_TRUE(try_to_say(bytes)); }
    /// False: the peer is gone.
    bool try_to_say(std::string_view bytes) const {
        return ::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
    }
    void hang_up() { peer_.reset(); }
    /// As a server that crashes: the peer gets a reset.
    void break_off() {
        linger const none{1, 0};
        ::setsockopt(peer_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
        peer_.reset();
    }
    void stop_listening() { listening_.reset(); }

private:
    unique_fd listening_;
    unique_fd peer_;
    resp::reader inbox_;
    std::uint16_t port_ = 0;
};

/// Waits until the connector's descriptor is ready, then lets it go on.
inline connector::progress drive(connector& one) {
    pollfd ready{one.fd(), one.events(), 0};
    EXPECT_EQ(::poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(test::patience).count())), 1);
    return one.advance();
}

/// As long as it waits, and no reply of ours is needed.
inline connector::progress drive_to_the_greeting(connector& one) {
    auto now = one.advance();
    while (now == connector::progress::waiting && one.events() == POLLOUT) now = drive(one);
    return now;
}

} // namespace redlatch::io
