// Where a server is, as servers tell each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace redlatch::connection {

/// What a server says is a host: of printable characters, and no longer than DNS allows.
inline bool is_host(std::string_view text) noexcept {
    constexpr std::size_t longest = 253;
    return text.size() <= longest && std::ranges::all_of(text, [](char byte) { return byte > ' ' && byte < 127; });
}

struct host_and_port {
    std::string host{};
    std::uint16_t port = 0;

    /// `host:port`, `[::1]:port`
    std::string display() const {
        return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
    }
    friend bool operator==(host_and_port const&, host_and_port const&) = default;
    friend bool operator<(host_and_port const& a, host_and_port const& b) noexcept {
        return std::tie(a.host, a.port) < std::tie(b.host, b.port);
    }
};

/// Where what servers tell can be reached from here: topology_options::address_map.
class address_map {
public:
    address_map() = default;
    /// Port 0 in both: of all ports of the host, which stay.
    explicit address_map(std::map<host_and_port, host_and_port> from_to) : from_to_(std::move(from_to)) {}

    host_and_port operator()(host_and_port const& told) const {
        if (auto const found = from_to_.find(told); found != from_to_.end()) return found->second;
        auto const host = from_to_.find({told.host, 0});
        return host == from_to_.end() ? told : host_and_port{host->second.host, told.port};
    }

private:
    std::map<host_and_port, host_and_port> from_to_;
};

} // namespace redlatch::connection
