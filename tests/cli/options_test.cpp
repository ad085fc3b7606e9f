// What the flags make of the configuration.
#include "options.hpp"

#include <chrono>
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
