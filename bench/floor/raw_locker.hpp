// A lock on a blocking socket, requests made once: the least that a lock and an unlock can cost one thread.
#pragma once

#include "floor/lock_requests.hpp"
#include "floor/raw_connection.hpp"

#include <cstdint>
#include <string>

namespace redlatch::bench {

class raw_locker {
public:
    raw_locker(address const& where, form which, std::string const& name, std::string const& owner);

    /// The time in ms that is left to the holder; -2: acquired.
    std::int64_t try_acquire();
    /// Throws std::runtime_error when the lock is not free.
    void acquire();
    void release();

private:
    raw_connection connection_;
    form form_;
    std::string acquire_;
    std::string release_;
    std::size_t release_replies_;
    std::string time_left_;
};

} // namespace redlatch::bench
