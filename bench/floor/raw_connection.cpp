#include "floor/raw_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::bench {

namespace {

int connect_unix(std::string const& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.size() >= sizeof name.sun_path) throw std::runtime_error("the socket's path is too long: " + path);
    std::memcpy(name.sun_path, path.data(), path.size());
    int const made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(made, reinterpret_cast<sockaddr const*>(&name), sizeof name) != 0)
        throw std::system_error(errno, std::generic_category(), path);
    return made;
}

int connect_tcp(std::uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int const made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(made, reinterpret_cast<sockaddr const*>(&name), sizeof name) != 0)
        throw std::system_error(errno, std::generic_category(), "port " + std::to_string(port));
    int const on = 1;
    ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return made;
}

std::int64_t number(std::string_view text) {
    std::int64_t result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
}

} // namespace

std::string raw_command(std::vector<std::string> const& arguments) {
    std::string result = "*" + std::to_string(arguments.size()) + "\r\n";
    for (auto const& argument : arguments) {
        result += "$" + std::to_string(argument.size()) + "\r\n";
        result += argument;
        result += "\r\n";
    }
    return result;
}

raw_connection::raw_connection(address const& where)
    : socket_(where.is_unix() ? connect_unix(where.path) : connect_tcp(where.port)) {}

raw_connection::~raw_connection() {
    ::close(socket_);
}

void raw_connection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0) throw std::system_error(errno, std::generic_category(), "send");
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

raw_reply raw_connection::receive() {
    auto result = receive_any();
    if (result.type == '-') throw std::runtime_error("the server says " + result.text);
    return result;
}

raw_reply raw_connection::receive_any() {
    std::string_view const head = line();
    raw_reply result;
    result.type = head[0];
    if (result.type == '+' || result.type == '-') {
        result.text = head.substr(1);
        return result;
    }
    result.integer = number(head.substr(1));
    if (result.type == '$' && result.integer >= 0) {
        auto const size = static_cast<std::size_t>(result.integer);
        while (end_ - begin_ < size + 2) fill();
        result.text.assign(buffer_, begin_, size);
        begin_ += size + 2;
    }
    if (result.type == '*')
        for (std::int64_t item = 0; item < result.integer; ++item) result.items.push_back(receive());
    return result;
}

bool raw_connection::readable(std::chrono::milliseconds limit) const {
    if (begin_ < end_) return true;
    pollfd entry{socket_, POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

void raw_connection::fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    auto const got = ::recv(socket_, buffer_.data() + end_, buffer_.size() - end_, 0);
    if (got <= 0) throw std::runtime_error("the server has closed the connection");
    end_ += static_cast<std::size_t>(got);
}

std::string_view raw_connection::line() {
    for (;;) {
        std::string_view const all(buffer_.data() + begin_, end_ - begin_);
        if (auto const stop = all.find("\r\n"); stop != std::string_view::npos) {
            begin_ += stop + 2;
            return all.substr(0, stop);
        }
        fill();
    }
}

} // namespace redlatch::bench
