#include "support/reserved_port.hpp"

#include "support/endpoint.hpp"

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace redlatch::test {
namespace {

// Below the ports that the system chooses by itself (net.ipv4.ip_local_port_range).
constexpr int first_port = 10'240;
constexpr int last_port = 32'000;

/// Empty: another test has it.
descriptor claim(int port) {
    descriptor fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    auto const text = "redlatch-test-port-" + std::to_string(port);
    text.copy(name.sun_path + 1, sizeof name.sun_path - 1); // after a NUL: no file
    auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    if (::bind(fd.get(), static_cast<sockaddr*>(static_cast<void*>(&name)), size) != 0) return {};
    return fd;
}

bool somebody_listens(std::uint16_t port) {
    endpoint there;
    there.port = port;
    try {
        listen_on(there);
        return false;
    } catch (std::system_error const&) {
        return true;
    }
}

} // namespace

reserved_port::reserved_port() {
    std::random_device chance;
    std::uniform_int_distribution<int> any(first_port, last_port);
    for (int attempt = 0; attempt < 1'000; ++attempt) {
        number_ = static_cast<std::uint16_t>(any(chance));
        claim_ = claim(number_);
        if (claim_ && !somebody_listens(number_)) return;
    }
    throw std::runtime_error("no port is free on 127.0.0.1");
}

} // namespace redlatch::test
