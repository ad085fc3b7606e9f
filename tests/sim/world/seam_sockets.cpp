// The socket calls of the library, and its sleeps, caught by the linker (--wrap): simulated descriptors go to the simulated
// network, all others to the operating system.
#include "sim/server/membership.hpp"
#include "sim/world/network.hpp"
#include "sim/world/seams.hpp"
#include "sim/world/shortage.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <span>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

namespace redlatch::sim {
namespace {

network* in_use = nullptr;

bool simulated(int fd) noexcept {
    return fd >= network::first_fd;
}

/// Servers differ by their ports; elsewhere there is none.
int server_at(sockaddr const& address) noexcept {
    auto const& where = reinterpret_cast<sockaddr_in const&>(address);
    std::array<char, INET_ADDRSTRLEN> host{};
    ::inet_ntop(AF_INET, &where.sin_addr, host.data(), host.size());
    if (host.data() == unreachable_host) return network::unreachable;
    if (host.data() != servers_host) return network::refusing;
    return ntohs(where.sin_port) - first_port;
}

} // namespace

void use_network(network* which) noexcept {
    in_use = which;
}

network* network_in_use() noexcept {
    return in_use;
}

} // namespace redlatch::sim

using redlatch::sim::in_use;
using redlatch::sim::memory_of_the_world;
using redlatch::sim::server_at;
using redlatch::sim::simulated;

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

int __real_socket(int domain, int type, int protocol);
int __real_connect(int fd, sockaddr const* to, socklen_t size);
ssize_t __real_send(int fd, void const* bytes, std::size_t size, int flags);
ssize_t __real_recv(int fd, void* into, std::size_t size, int flags);
int __real_getsockopt(int fd, int level, int name, void* value, socklen_t* size);
int __real_setsockopt(int fd, int level, int name, void const* value, socklen_t size);
int __real_close(int fd);
int __real_eventfd(unsigned count, int flags);
int __real_eventfd_write(int fd, eventfd_t value);
int __real_ppoll(pollfd* all, nfds_t count, timespec const* limit, sigset_t const* mask);
int __real_nanosleep(timespec const* span, timespec* left);

int __wrap_socket(int domain, int type, int protocol) {
    memory_of_the_world const own;
    return in_use == nullptr ? __real_socket(domain, type, protocol) : in_use->open_socket();
}

int __wrap_connect(int fd, sockaddr const* to, socklen_t size) {
    memory_of_the_world const own;
    return simulated(fd) ? in_use->connect(fd, server_at(*to)) : __real_connect(fd, to, size);
}

ssize_t __wrap_send(int fd, void const* bytes, std::size_t size, int flags) {
    memory_of_the_world const own;
    return simulated(fd) ? in_use->send(fd, static_cast<char const*>(bytes), size)
                         : __real_send(fd, bytes, size, flags);
}

ssize_t __wrap_recv(int fd, void* into, std::size_t size, int flags) {
    memory_of_the_world const own;
    return simulated(fd) ? in_use->receive(fd, static_cast<char*>(into), size) : __real_recv(fd, into, size, flags);
}

int __wrap_getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
    if (!simulated(fd)) return __real_getsockopt(fd, level, name, value, size);
    *static_cast<int*>(value) = in_use->pending_error(fd);
    return 0;
}

int __wrap_setsockopt(int fd, int level, int name, void const* value, socklen_t size) {
    return simulated(fd) ? 0 : __real_setsockopt(fd, level, name, value, size);
}

int __wrap_close(int fd) {
    memory_of_the_world const own;
    if (!simulated(fd)) return __real_close(fd);
    in_use->close(fd);
    return 0;
}

/// A lane's bell: the simulated parker needs none.
int __wrap_eventfd(unsigned count, int flags) {
    memory_of_the_world const own;
    return in_use == nullptr ? __real_eventfd(count, flags) : in_use->open_bell();
}

int __wrap_eventfd_write(int fd, eventfd_t value) {
    memory_of_the_world const own;
    if (!simulated(fd)) return __real_eventfd_write(fd, value);
    in_use->ring(fd);
    return 0;
}

/// By a thread that connects, or that asks several servers.
int __wrap_ppoll(pollfd* all, nfds_t count, timespec const* limit, sigset_t const* mask) {
    if (count == 0 || !simulated(all->fd)) return __real_ppoll(all, count, limit, mask);
    memory_of_the_world const own;
    auto& in = redlatch::sim::world::the();
    std::span<pollfd> const those(all, count);
    auto const any_ready = [&] {
        return std::any_of(those.begin(), those.end(),
                           [](pollfd const& one) { return in_use->ready(one.fd, one.events) != 0; });
    };
    if (!any_ready()) {
        using redlatch::sim::moment;
        auto const until =
            limit == nullptr ? redlatch::sim::never : in.now() + moment(limit->tv_sec * 1'000'000'000 + limit->tv_nsec);
        for (auto const& one : those) in_use->watch(one.fd, redlatch::sim::fiber::current());
        in.rest_until(until);
        for (auto const& one : those) in_use->watch(one.fd, nullptr);
    }
    int ready = 0;
    for (auto& one : those) {
        one.revents = in_use->ready(one.fd, one.events);
        ready += one.revents != 0 ? 1 : 0;
    }
    return ready;
}

/// Between two attempts, where memory was missing.
int __wrap_nanosleep(timespec const* span, timespec* left) {
    if (redlatch::sim::fiber::current() == nullptr) return __real_nanosleep(span, left);
    memory_of_the_world const own;
    redlatch::sim::world::the().rest_for(redlatch::sim::moment(span->tv_sec * 1'000'000'000 + span->tv_nsec));
    return 0;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
