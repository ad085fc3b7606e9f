// The other end of a connection, by hand, on the test's own thread: it accepts, reads and says what the test wants.
#pragma once

#include "io/connector.hpp"
#include "io/unique_fd.hpp"
#include "resp/reader.hpp"
#include "support/wait_until.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <vector>

namespace redlatch::io {

/// As a bulk string of RESP.
inline std::string bulk(std::string const& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

/// Listens on an address of this machine: by default on a free port of 127.0.0.1.
class scripted_server {
public:
    enum class begins { at_once, with_listen };

    explicit scripted_server(std::string number = "127.0.0.1", std::uint16_t port = 0, begins when = begins::at_once)
        : number_(std::move(number)), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_port = htons(port);
        EXPECT_EQ(::inet_pton(AF_INET, number_.c_str(), &here.sin_addr), 1);
        EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
        socklen_t size = sizeof here;
        EXPECT_EQ(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&here), &size), 0);
        port_ = ntohs(here.sin_port);
        if (when == begins::at_once) listen();
        be_patient(listening_);
    }
    /// Until then whoever connects is refused.
    void listen() const { EXPECT_EQ(::listen(listening_.get(), 5), 0); }

    endpoint where() const {
        endpoint out;
        out.host_or_path = number_;
        out.port = port_;
        return out;
    }
    void accept() {
        peer_.reset(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        ASSERT_TRUE(peer_) << "nobody has connected";
        int const on = 1; // else a second short answer waits until the first is acknowledged
        ::setsockopt(peer_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        be_patient(peer_);
        inbox_ = resp::reader();
    }
    /// The next command; "end of stream" when the peer is gone, "silence" when it sends nothing for as long as tests wait.
    std::string read_command() {
        resp::value command;
        while (inbox_.next(command) != resp::reader::result::value) {
            std::array<char, 16 * 1024> buffer{};
            auto const got = ::recv(peer_.get(), buffer.data(), buffer.size(), 0);
            if (got < 0 && errno == EAGAIN) return "silence";
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
    /// Waits until all that was said is in the peer's socket, where it can be read.
    bool has_been_heard() const {
        return test::wait_until([this] {
            int on_its_way = 0;
            return ::ioctl(peer_.get(), SIOCOUTQ, &on_its_way) == 0 && on_its_way == 0;
        });
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
    /// A test that waits for what never comes fails, in place of hanging.
    static void be_patient(unique_fd const& socket) {
        timeval const longest{std::chrono::seconds(test::patience).count(), 0};
        EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest), 0);
    }

    std::string number_;
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
