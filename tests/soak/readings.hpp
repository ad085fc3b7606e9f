// What a process and a server use, when they should be using nothing.
#pragma once

#include "support/redis_server.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace redlatch::soak {

struct process_reading {
    long resident_kib = 0;
    long descriptors = 0;
    long threads = 0;
    // What the client says of itself.
    long holds = 0;
    long waiters = 0;
    long subscriptions = 0;
    long unresolved = 0;
    long renewals = 0; ///< that were sent while nothing was held
    long reconnects = 0;
};

/// `said`: the line with which the process reported that it rests; none: it is not that line.
std::optional<process_reading> read_process(pid_t pid, std::string_view said);

struct server_reading {
    long keys = 0;
    long channels = 0;
    long clients = 0;
};
server_reading read_server(test::redis_server const& server);

} // namespace redlatch::soak
