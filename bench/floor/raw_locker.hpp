// The two scripts on a blocking socket, requests made once: the least that a lock and an unlock can cost one thread.
#pragma once

#include "floor/raw_connection.hpp"

#include <string>

namespace redlatch::bench {

class raw_locker {
public:
    raw_locker(address const& where, std::string const& name, std::string const& owner);

    /// The time in ms that is left to the holder; -2: acquired.
    std::int64_t try_acquire() {
        auto const reply = connection_.ask(acquire_);
        return reply.is_nil() ? -2 : reply.integer;
    }
    void release() { connection_.ask(release_); }

    static std::string channel_of(std::string const& name) { return "redisson_lock__channel:{" + name + "}"; }

private:
    raw_connection connection_;
    std::string acquire_;
    std::string release_;
};

} // namespace redlatch::bench
