#include <redlatch/error.hpp>
#include <redlatch/lease_clock.hpp>

#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace redlatch {
namespace {

TEST(error, carries_code_and_message) {
    error const thrown(errc::busy, "the lock 'a' is held by 'b'");
    EXPECT_STREQ(thrown.what(), "the lock 'a' is held by 'b'");
    EXPECT_EQ(thrown.reason(), errc::busy);
    EXPECT_EQ(thrown.code(), errc::busy);
    EXPECT_EQ(thrown.code().category().name(), std::string("redlatch"));
}

TEST(error, has_a_message_of_its_own_for_every_code) {
    std::set<std::string> messages;
    for (int code = static_cast<int>(errc::busy); code <= static_cast<int>(errc::not_replicated); ++code) {
        auto const message = error_category().message(code);
        EXPECT_EQ(message.find("unknown"), std::string::npos) << message;
        EXPECT_TRUE(messages.insert(message).second) << message;
    }
    EXPECT_EQ(make_error_code(errc::disconnected).message(), "the server cannot be reached, or did not answer in time");
    EXPECT_EQ(error_category().message(0), "success");
    EXPECT_EQ(error_category().message(9999), "unknown redlatch error 9999");
}

TEST(error, has_messages_that_are_true_of_each_cause) {
    auto const said = [](errc code) { return error_category().message(static_cast<int>(code)); };
    EXPECT_EQ(said(errc::invalid_argument).find("duration"), std::string::npos) << "it may be a handler";
    EXPECT_EQ(said(errc::would_deadlock).find("re-entrant"), std::string::npos) << "or a read hold that is to write";
}

TEST(lease_clock, reads_the_clock_that_runs_on_while_the_machine_sleeps) {
    auto const boot_time = [] {
        std::timespec now{};
        ::clock_gettime(CLOCK_BOOTTIME, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    };
    auto const before = boot_time();
    auto const now = lease_clock::now().time_since_epoch();
    auto const after = boot_time();
    EXPECT_LE(before, now);
    EXPECT_LE(now, after);
}

} // namespace
} // namespace redlatch
