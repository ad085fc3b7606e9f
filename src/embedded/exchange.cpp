#include "embedded/exchange.hpp"

#include "base/error_text.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <utility>

namespace redlatch::embedded {

namespace {

int milliseconds_until(lease_clock::time_point deadline) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - lease_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

} // namespace

exchange::exchange(io::unique_fd socket, std::string name, lease_clock::time_point deadline) noexcept
    : socket_(std::move(socket)), name_(std::move(name)), deadline_(deadline) {}

void exchange::fail(std::string const& reason) const {
    throw error(errc::disconnected, "the private server at " + name_ + " " + reason);
}

std::optional<exchange> exchange::connect(std::filesystem::path const& socket, lease_clock::time_point deadline) {
    exchange result(io::unique_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
                    io::printable(socket.string()), deadline);
    if (!result.socket_) result.fail("cannot be reached: " + base::error_text(errno));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto const& path = socket.native();
    if (path.size() >= sizeof address.sun_path) result.fail("cannot be reached: " + base::error_text(ENAMETOOLONG));
    path.copy(address.sun_path, path.size());
    while (::connect(result.socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
        // The backlog is full: the server hangs, or very many come at once. Nothing can be waited for with poll.
        if (errno == EAGAIN && lease_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        else if (errno == EAGAIN)
            result.fail("does not accept connections");
        else if (errno != EINTR)
            result.fail("cannot be reached: " + base::error_text(errno));
    }
    return result;
}

void exchange::wait_for(short events) {
    ::pollfd entry{socket_.get(), events, 0};
    for (;;) {
        auto const count = ::poll(&entry, 1, milliseconds_until(deadline_));
        if (count > 0) return;
        if (count == 0 && lease_clock::now() >= deadline_) fail("does not answer");
        if (count < 0 && errno != EINTR) fail("cannot be waited for: " + base::error_text(errno));
    }
}

resp::value exchange::send_and_read(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
        else if (errno == EAGAIN)
            wait_for(POLLOUT);
        else if (errno != EINTR)
            fail("closed the connection");
    }
    resp::value reply;
    for (;;) {
        switch (reader_.next(reply)) {
        case resp::reader::result::value: return reply;
        case resp::reader::result::broken:
            throw error(errc::bad_reply, "the server at " + name_ + " is no Redis server: " + reader_.problem());
        case resp::reader::result::need_more: break;
        }
        char buffer[16384];
        auto const count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
        if (count > 0)
            reader_.feed({buffer, static_cast<std::size_t>(count)});
        else if (count == 0)
            fail("closed the connection");
        else if (errno == EAGAIN)
            wait_for(POLLIN);
        else if (errno != EINTR)
            fail("closed the connection: " + base::error_text(errno));
    }
}

bool exchange::wait_for_close() {
    for (;;) {
        char buffer[256];
        auto const count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return true;
        if (lease_clock::now() >= deadline_) return false;
        ::pollfd entry{socket_.get(), POLLIN, 0};
        if (count < 0 && errno == EAGAIN) ::poll(&entry, 1, milliseconds_until(deadline_));
    }
}

::pid_t exchange::peer() const noexcept {
    ::ucred credentials{};
    ::socklen_t size = sizeof credentials;
    if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return 0;
    return credentials.pid;
}

bool answers(std::filesystem::path const& socket, lease_clock::time_point deadline) {
    try {
        auto server = exchange::connect(socket, deadline);
        return server && !server->command("PING").is_error_named("LOADING");
    } catch (error const& problem) {
        if (problem.reason() != errc::disconnected || lease_clock::now() >= deadline) throw;
        return false;
    }
}

void pause_before_next_look() {
    // sleeps because a socket that comes into being, or a flock that is released, cannot be waited for together
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

} // namespace redlatch::embedded
