#include "support/fake_server.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace redlatch::test {

bool fake_connection::wait_for(short events) const {
    while (!*ending_) {
        pollfd entry{socket_, events, 0};
        if (::poll(&entry, 1, 20) > 0) return true;
    }
    return false;
}

std::string fake_connection::read() {
    if (!wait_for(POLLIN)) return {};
    char bytes[65536];
    auto const got = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
}

bool fake_connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!wait_for(POLLOUT)) return false;
        auto const put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

void fake_connection::wait_for_end() {
    while (!read().empty()) {
    }
}

fake_server::fake_server(std::function<void(fake_connection&)> serve) : serve_(std::move(serve)) {
    address_.path = (folder_.path() / "fake.sock").string();
    listener_ = listen_on(address_);
    acceptor_ = std::thread([this] { accept_all(); });
}

fake_server::~fake_server() {
    ending_ = true;
    acceptor_.join();
    for (auto& one : connections_) one.join();
}

void fake_server::accept_all() {
    while (!ending_) {
        pollfd entry{listener_.get(), POLLIN, 0};
        if (::poll(&entry, 1, 20) <= 0) continue;
        int const socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        ++accepted_;
        connections_.emplace_back([this, socket] {
            descriptor const owner(socket);
            fake_connection connection(socket, ending_);
            serve_(connection);
        });
    }
}

} // namespace redlatch::test
