#include "network.hpp"

#include "support/child_process.hpp"
#include "support/descriptor.hpp"

#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <sched.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>

namespace redlatch::chaos {

namespace {

constexpr char const* not_there = "nft could not be run (package nftables)";

/// Its stderr, or nothing where it succeeded.
std::string failure_of_nft(std::string const& script) {
    test::child_process nft({.arguments = {"nft", "-f", "-"}});
    try {
        nft.write(script);
    } catch (std::system_error const&) {
        return not_there; // it has ended before it could read
    }
    nft.close_input();
    auto const status = nft.wait();
    if (status == 0) return {};
    auto const text = nft.error_text();
    return text.empty() ? not_there : "nft: " + text;
}

/// In place of what was there: the table exists, is deleted, and is made anew.
void filter(std::string const& rules) {
    auto const problem = failure_of_nft("add table inet redlatch\ndelete table inet redlatch\ntable inet redlatch {\n"
                                        "chain input { type filter hook input priority 0; policy accept;\n"
                                        + rules + "}\n}\n");
    if (!problem.empty()) throw std::runtime_error(problem);
}

bool bring_loopback_up() {
    test::descriptor const socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

std::string port_text(std::uint16_t port) {
    return std::to_string(port);
}

} // namespace

network enter_own_network() {
    if (::unshare(CLONE_NEWNET) != 0)
        return {.reason = std::string("a network namespace of its own is not permitted: ") + std::strerror(errno)};
    if (!bring_loopback_up()) throw std::runtime_error("the loopback of the new network namespace does not come up");
    auto const problem = failure_of_nft("add table inet redlatch\n");
    if (problem.empty()) return {.own = true};
    return {.reason = problem, .should_work = problem == not_there};
}

packet_filter::~packet_filter() {
    try {
        pass_all();
    } catch (std::exception const&) {
        // The network goes with this process; nothing outside it is touched.
    }
}

void packet_filter::drop_to_server(std::uint16_t port) const {
    filter("tcp dport " + port_text(port) + " drop\n");
}

void packet_filter::drop_to_clients(std::uint16_t port) const {
    filter("tcp sport " + port_text(port) + " drop\n");
}

void packet_filter::drop_both(std::uint16_t port) const {
    filter("tcp dport " + port_text(port) + " drop\ntcp sport " + port_text(port) + " drop\n");
}

void packet_filter::drop_connections(std::uint16_t port, std::vector<std::uint16_t> const& clients) const {
    std::string rules;
    for (auto const client : clients)
        rules += "tcp sport " + port_text(client) + " tcp dport " + port_text(port) + " drop\n" + "tcp sport "
                 + port_text(port) + " tcp dport " + port_text(client) + " drop\n";
    filter(rules);
}

void packet_filter::drop_between_servers(std::string const& source, std::string const& others,
                                         std::vector<std::uint16_t> const& ports) const {
    std::string rules = "ip saddr " + source + " drop\nip daddr " + source + " drop\n";
    for (auto const port : ports)
        rules += "ip saddr " + others + " tcp dport " + port_text(port) + " drop\nip daddr " + others + " tcp sport "
                 + port_text(port) + " drop\n";
    filter(rules);
}

void packet_filter::pass_all() const {
    filter("");
}

} // namespace redlatch::chaos
