#include "support/raw_client.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace redlatch::test {

raw_client::raw_client(endpoint const& where) : socket_(connect_to(where)) {
    if (!socket_) throw connection_ended("raw_client: nobody listens at " + where.uri());
}

resp::value raw_client::command(std::vector<std::string> const& arguments) {
    std::vector<std::string_view> const views(arguments.begin(), arguments.end());
    std::string bytes;
    resp::append_command(bytes, views);
    send(bytes);
    return receive();
}

void raw_client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const put = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0) {
            if (errno == EINTR) continue;
            throw connection_ended("raw_client: cannot send any more");
        }
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

resp::value raw_client::receive(std::chrono::milliseconds limit) {
    if (auto result = receive_if_any(limit)) return *std::move(result);
    throw std::runtime_error("raw_client: no reply");
}

std::optional<resp::value> raw_client::receive_if_any(std::chrono::milliseconds limit) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        resp::value result;
        auto const outcome = reader_.next(result);
        if (outcome == resp::reader::result::value) return result;
        if (outcome == resp::reader::result::broken) throw std::runtime_error("raw_client: " + reader_.problem());
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd entry{socket_.get(), POLLIN, 0};
        auto const ready = ::poll(&entry, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
        if (ready == 0) return std::nullopt;
        if (ready < 0) continue;
        char bytes[16384];
        auto const got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw connection_ended("raw_client: the connection ended");
        reader_.feed({bytes, static_cast<std::size_t>(got)});
    }
}

} // namespace redlatch::test
