// What happens to the server of a soak.
#pragma once

#include "support/redis_server.hpp"

#include <array>
#include <random>
#include <string_view>

namespace redlatch::soak {

enum class fault { kill_connections, sleep, stop, flush_scripts, delete_keys, restart, crash };
inline constexpr std::array all_faults{fault::kill_connections, fault::sleep,   fault::stop, fault::flush_scripts,
                                       fault::delete_keys,      fault::restart, fault::crash};
std::string_view name_of(fault which) noexcept;

/// Seeded: the same faults in the same order, though not at the same moments of the workers.
class injector {
public:
    injector(test::redis_server& server, unsigned seed) : server_(&server), chance_(seed) {}

    /// A pause, then one fault from its beginning to its end. The server works again when it returns.
    void next();
    void make(fault which);
    int made(fault which) const { return counts_.at(static_cast<std::size_t>(which)); }

private:
    int below(int limit);

    test::redis_server* server_;
    std::minstd_rand chance_;
    std::array<int, all_faults.size()> counts_{};
};

} // namespace redlatch::soak
