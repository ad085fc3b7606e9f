// What each kind is asked alike that has a fixture of its own: the half of a read-write lock that reads, and all other locks.
#pragma once

#include "integration/fixture.hpp"

#include <string>

namespace redlatch::test {

/// Whoever asks while the server is away is told, and goes on with the one that comes back.
template <class Lock> void expect_to_say_that_the_server_is_away(redis_server& server, Lock& lock) {
    server.kill9();
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire({.wait = 300ms, .lease = 10s}, ec));
    EXPECT_EQ(ec, errc::disconnected);
    server.restart(redis_server::data::lost);
    EXPECT_TRUE(lock.acquire({.wait = 20s}));
}

/// Each call is refused with the name, and what is there stays.
template <class Lock>
void expect_to_refuse_a_key_that_is_no_lock(redis_server& server, Lock& lock, std::string const& name) {
    server.run("SET", name, "text");
    for (auto const& end :
         {outcome_of([&] { auto const never = lock.acquire({.wait = 5s}); }),
          outcome_of([&] { auto const never = lock.try_acquire(); }), outcome_of([&] { lock.force_unlock(); })}) {
        EXPECT_EQ(end.reason, errc::wrong_type);
        EXPECT_NE(end.message.find(name), std::string::npos) << end.message;
    }
    EXPECT_EQ(server.run("GET", name).text, "text");
    server.run("DEL", name);
}

} // namespace redlatch::test
