// Small things that most tests of locks need.
#pragma once

#include "support/redis_server.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace redlatch::test {

/// `prefix` and a number that this process has not used before.
std::string unique_name(std::string const& prefix = "lock");

/// No key, and (within patience: unsubscribing may linger on purpose) no channel is left; a test failure otherwise.
void expect_clean(redis_server const& server);

/// PTTL: -2 absent, -1 without expiry.
std::int64_t pttl(redis_server const& server, std::string const& name);

/// The fields of a lock's hash, with their counts; empty: free.
std::map<std::string, std::string> holders(redis_server const& server, std::string const& name);

/// How often the server has executed each command since it started (or CONFIG RESETSTAT), commands inside scripts
/// included. Names in lower case; subcommands as "client|kill".
std::map<std::string, std::uint64_t> command_counts(redis_server const& server);

/// A waiter for permits, which asks, listens and asks again, has asked since `scripts` had been executed, and knows both
/// answers: nothing of it is under way, whose outcome would be unknown if its connection broke now. Its script is known.
bool waits_for_permits(redis_server const& server, std::uint64_t scripts);
/// How many scripts were executed by their digests.
std::uint64_t scripts_executed(redis_server const& server);

/// Somebody else's lock: what a Redisson client would have written.
void hold_as_stranger(redis_server const& server, std::string const& name, std::chrono::milliseconds lease,
                      std::string const& owner = "00000000-0000-4000-8000-000000000000:1");
/// And its release: the key goes and the message is published.
void release_as_stranger(redis_server const& server, std::string const& name);

/// protocol section 0.2, for names as tests use them.
std::string channel_of(std::string const& name);

} // namespace redlatch::test
