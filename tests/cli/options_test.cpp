// What the flags make of the configuration.
#include "options.hpp"
#include "support/temporary_folder.hpp"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

config chosen(std::optional<duration> wait, bool no_wait = false) {
    lock_options options;
    options.common.server = "redis://127.0.0.1:1";
    options.wait = wait;
    options.no_wait = no_wait;
    return choose_server(options);
}

TEST(choose_server, connects_no_longer_than_the_lock_is_waited_for) {
    EXPECT_EQ(chosen(std::nullopt).connect_timeout, 5s);
    EXPECT_EQ(chosen(1h).connect_timeout, 5s);
    EXPECT_EQ(chosen(2s).connect_timeout, 2s);
}

TEST(choose_server, gives_a_slow_server_a_second_however_short_the_wait_is) {
    EXPECT_EQ(chosen(10ms).connect_timeout, 1s);
    EXPECT_EQ(chosen(0ms, true).connect_timeout, 5s) << "who does not wait for the lock does not mean the server";
}

/// All attempts to connect, none of which is answered, with the pauses between them.
duration longest_connecting(config const& settings) {
    auto all = settings.connect_timeout;
    auto pause = settings.retry_delay;
    for (int i = 0; i < settings.retry_attempts; ++i, pause *= 2) all += pause + settings.connect_timeout;
    return all;
}

TEST(choose_server, connects_no_longer_than_the_lock_is_waited_for_whatever_a_file_says) {
    test::temporary_folder const folder;
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: 'redis://127.0.0.1:1', connectTimeout: 10000, "
                           "retryAttempts: 4, retryInterval: 1000}\n";
    lock_options options;
    options.common.config_file = file;
    auto const as_it_says = choose_server(options);
    EXPECT_EQ(as_it_says.connect_timeout, 10s);
    EXPECT_EQ(as_it_says.retry_attempts, 4);
    for (duration const wait : {1s, 2s, 3s, 5s, 10s, 20s, 60s, 65s}) {
        options.wait = wait;
        EXPECT_LE(longest_connecting(choose_server(options)), wait) << wait.count();
    }
    options.wait = 20s;
    EXPECT_EQ(choose_server(options).retry_attempts, 4) << "a server that starts is waited for";
    options.wait = 2min;
    EXPECT_EQ(longest_connecting(choose_server(options)), longest_connecting(as_it_says));
    options.wait.reset();
    options.no_wait = true;
    EXPECT_EQ(longest_connecting(choose_server(options)), 5s);
}

TEST(choose_server, takes_the_lease_of_a_renewed_lock_from_watchdog) {
    lock_options options;
    options.common.server = "redis://127.0.0.1:1";
    auto const usual = choose_server(options).lock_watchdog_timeout;
    EXPECT_EQ(usual, 30s);
    options.watchdog = 7s;
    EXPECT_EQ(choose_server(options).lock_watchdog_timeout, 7s);
}

TEST(choose_server, does_not_let_a_server_that_hangs_hold_up_the_end_of_a_wait) {
    lock_options options;
    options.common.server = "redis://localhost";
    EXPECT_LE(choose_server(options).close_timeout, 100ms);
}

} // namespace
} // namespace redlatch::cli
