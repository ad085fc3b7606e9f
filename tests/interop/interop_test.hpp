// The fixture of the interop tests: one server and one Java peer for the whole program, a C++ client for each test.
#pragma once

#include "java_peer.hpp"
#include "support/both_faces.hpp"
#include "support/redis_server.hpp"
#include "support/short_wait.hpp"
#include "support/variant.hpp"

#include <redlatch/redlatch.hpp>

#include <chrono>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::test {

/// Where the built peer is; empty: it cannot be built here, and `reason` says why.
struct java_classes {
    std::filesystem::path folder{};
    std::string reason{};
};
/// Builds the peer on first use.
java_classes const& built_peer();

/// Where Java or Maven is missing every test is skipped, with the reason; in CI (environment CI=true) it fails instead.
class interop_test : public ::testing::Test {
protected:
    void SetUp() override;

    static redis_server& server();
    static java_peer& java();
    /// With a short watchdog timeout.
    static java_peer& brief_java();
    static constexpr std::chrono::milliseconds brief_watchdog{1500};

    /// The channel on which both sides announce releases. wire: protocol section 0.2.
    static std::string channel_of(std::string const& name);
    static long long subscribers(std::string const& name);
    static bool exists(std::string const& name) { return server().run("EXISTS", name).integer == 1; }

    long long ttl() const { return server().run("PTTL", name).integer; }
    /// Seen on the server: the TTL has gone up again so many times.
    bool renewed(int times) const;

    /// Scripts that anybody has called so far.
    static long long script_calls();

    /// A Java thread that waits for the lock: it has found it held, subscribed, and found it held again.
    static java_peer::ticket java_waits(std::string const& thread, std::string const& name,
                                        std::string const& command = "lock", java_peer& peer = java());

    /// Released with the future's hold.
    struct waiting {
        std::jthread thread{};
        std::future<long long> acquired_at{}; ///< microseconds of the wall clock
        std::promise<void> release{};
    };
    /// A C++ thread that waits for the lock, subscribed; it holds it until `release` is set.
    static std::unique_ptr<waiting> cpp_waits(client& by, std::string const& name);

    client cpp{as_variant(config{.address = server().uri()})};
    /// Differs from test to test: they share a server.
    std::string const name = std::string(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// Wall clock: the one clock that both sides read.
long long wall_microseconds();

/// Of releases here to acquisitions there.
struct latencies {
    std::vector<long long> microseconds{};
    void add(long long value) { microseconds.push_back(value); }
    long long median() const;
    long long largest() const;
};

} // namespace redlatch::test
