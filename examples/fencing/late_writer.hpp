// What the writers to Redis and to PostgreSQL have in common: they take the lock, work for as long as it takes, and write.
#pragma once

#include <redlatch/redlatch.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

/// `write(token)` says whether the resource has taken the write.
template <class Write> void write_late(std::string const& lock_server, Write const& write) {
    // A short lease, renewed while this process runs.
    redlatch::client client({.address = lock_server, .lock_watchdog_timeout = std::chrono::seconds(1)});
    redlatch::hold const hold = client.get_fenced_lock("write:page").acquire(); // not the key of the resource
    std::uint64_t const token = hold.token().value();

    hold.ensure_held();
    std::cout << "holds the lock with token " << token << std::endl;
    // Between a look at the hold and the write the process may be stopped for any time. Here a line on stdin ends it.
    std::string line;
    std::getline(std::cin, line);
    std::cout << (write(token) ? "written" : "refused: the token is stale") << std::endl;
}
