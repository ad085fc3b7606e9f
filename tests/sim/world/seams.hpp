// Where the shipped library meets the simulated world.
#pragma once

#include "io/reactor.hpp"

#include <cstdint>

namespace redlatch::sim {

class network;

/// The network on which the socket calls act; null: the operating system's.
void use_network(network* which) noexcept;
network* network_in_use() noexcept;

/// An event for a descriptor that this reactor watches.
void deliver_event(io::reactor& loop, std::uint64_t token, std::uint32_t events);

/// Of server 0; the next one has the next.
inline constexpr int first_port = 6379;

} // namespace redlatch::sim
