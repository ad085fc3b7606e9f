// Floors must do what they are the floor of: both forms leave the same lock behind, and what goes wrong is noticed.
#include "floor/hiredis_locker.hpp"
#include "floor/pipeline.hpp"
#include "floor/raw_locker.hpp"
#include "floor/waiting_locker.hpp"
#include "measure/server.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace redlatch::bench {
namespace {

class floor_of : public testing::TestWithParam<form> {
protected:
    raw_reply ask(std::vector<std::string> const& words) { return admin_.ask(raw_command(words)); }
    bool is_held_by(std::string const& name, std::string const& owner) {
        return ask({"HGET", name, owner}).text == "1" && ask({"HLEN", name}).integer == 1
               && ask({"PTTL", name}).integer > 25000;
    }

    server at_{"redis-server"};

private:
    raw_connection admin_{at_.tcp()};
};

INSTANTIATE_TEST_SUITE_P(forms, floor_of, testing::Values(form::scripts, form::plain),
                         [](auto const& which) { return name_of(which.param); });

TEST_P(floor_of, a_raw_locker_takes_and_releases_a_lock_of_the_shared_wire_format) {
    raw_locker mine(at_.tcp(), GetParam(), "name", "9b2a:1");
    mine.acquire();
    EXPECT_TRUE(is_held_by("name", "9b2a:1"));
    mine.release();
    EXPECT_EQ(at_.keys(), 0);
    EXPECT_THROW(mine.release(), std::runtime_error);
}

TEST_P(floor_of, a_raw_locker_is_refused_and_told_for_how_long) {
    raw_locker mine(at_.tcp(), GetParam(), "name", "9b2a:1");
    raw_locker other(at_.tcp(), GetParam(), "name", "77cd:1");
    mine.acquire();
    auto const left = other.try_acquire();
    EXPECT_GT(left, 25000);
    EXPECT_LE(left, 30000);
    EXPECT_THROW(other.acquire(), std::runtime_error);
    EXPECT_TRUE(is_held_by("name", "9b2a:1"));
}

TEST_P(floor_of, a_hiredis_locker_does_the_same) {
    hiredis_locker mine(at_.unix_socket(), GetParam(), "name", "9b2a:1");
    hiredis_locker other(at_.tcp(), GetParam(), "name", "77cd:1");
    mine.acquire();
    EXPECT_TRUE(is_held_by("name", "9b2a:1"));
    EXPECT_THROW(other.acquire(), std::runtime_error);
    mine.release();
    EXPECT_EQ(at_.keys(), 0);
    EXPECT_THROW(mine.release(), std::runtime_error);
}

TEST_P(floor_of, a_waiting_locker_is_woken_by_the_release) {
    waiting_locker mine(at_.tcp(), GetParam(), "name", "9b2a:1");
    waiting_locker other(at_.tcp(), GetParam(), "name", "77cd:1");
    mine.acquire();
    std::jthread const waiter([&] { other.acquire(); });
    auto const channel = lock_requests::channel_of("name");
    while (ask({"PUBSUB", "NUMSUB", channel}).items.at(1).integer == 0) std::this_thread::yield();
    mine.release();
    while (ask({"HGET", "name", "77cd:1"}).text != "1") std::this_thread::yield();
    EXPECT_TRUE(is_held_by("name", "77cd:1"));
}

TEST_P(floor_of, a_pipeline_counts_cycles_and_leaves_nothing) {
    pipeline many(at_.tcp(), GetParam(), 16, "pipe");
    std::uint64_t cycles = 0;
    while (cycles < 100) cycles += many.turn();
    auto const counted = at_.work().calls;
    auto const acquired = GetParam() == form::plain ? counted.at("restore") : counted.at("evalsha") / 2;
    EXPECT_GE(acquired, static_cast<double>(cycles));
    EXPECT_LE(acquired, static_cast<double>(cycles + 2 * 16));
    many.finish();
    EXPECT_EQ(at_.keys(), 0);
}

TEST_P(floor_of, a_pipeline_notices_that_a_lock_is_not_free) {
    raw_locker other(at_.tcp(), GetParam(), "pipe:3", "77cd:1");
    other.acquire();
    pipeline many(at_.tcp(), GetParam(), 16, "pipe");
    EXPECT_THROW(
        {
            for (int turns = 0; turns < 1000; ++turns) many.turn();
        },
        std::runtime_error);
}

} // namespace
} // namespace redlatch::bench
