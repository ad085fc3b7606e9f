#include "support/endpoint.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace redlatch::test {
namespace {

struct address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    sockaddr* get() noexcept { return static_cast<sockaddr*>(static_cast<void*>(&storage)); }
};

address address_of(endpoint const& where) {
    address result;
    if (where.is_unix()) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        if (where.path.size() >= sizeof name.sun_path)
            throw std::invalid_argument("socket path too long: " + where.path);
        std::memcpy(name.sun_path, where.path.c_str(), where.path.size());
        std::memcpy(&result.storage, &name, sizeof name);
        result.size = sizeof name;
    } else {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_port = htons(where.port);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::memcpy(&result.storage, &name, sizeof name);
        result.size = sizeof name;
    }
    return result;
}

descriptor new_socket(endpoint const& where) {
    descriptor fd{::socket(where.is_unix() ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!fd) throw std::system_error(errno, std::generic_category(), "socket");
    return fd;
}

} // namespace

std::string endpoint::uri() const {
    return is_unix() ? "unix://" + path : "redis://127.0.0.1:" + std::to_string(port);
}

std::string endpoint::uri(std::string const& user, std::string const& password) const {
    if (is_unix()) throw std::logic_error("a Unix socket's URI carries no user and password");
    return "redis://" + user + ":" + password + "@127.0.0.1:" + std::to_string(port);
}

descriptor connect_to(endpoint const& where) {
    descriptor fd = new_socket(where);
    address target = address_of(where);
    if (::connect(fd.get(), target.get(), target.size) != 0) return descriptor{};
    if (!where.is_unix()) {
        int const on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}

descriptor listen_on(endpoint& where) {
    descriptor fd = new_socket(where);
    int const on = 1;
    if (!where.is_unix()) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    address name = address_of(where);
    if (::bind(fd.get(), name.get(), name.size) != 0 || ::listen(fd.get(), 512) != 0)
        throw std::system_error(errno, std::generic_category(), "listen on " + where.uri());
    if (!where.is_unix()) {
        sockaddr_in bound{};
        socklen_t size = sizeof bound;
        ::getsockname(fd.get(), static_cast<sockaddr*>(static_cast<void*>(&bound)), &size);
        where.port = ntohs(bound.sin_port);
    }
    return fd;
}

} // namespace redlatch::test
