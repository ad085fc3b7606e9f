// A client whose wall clock is a day ahead, and what others hold.
#include "chaos/faketime.hpp"
#include "redisson_defects_test.hpp"
#include "support/in_ci.hpp"

#include <memory>

namespace redlatch::test {
namespace {

class redisson_defects_clock : public redisson_defects_test {
protected:
    void SetUp() override {
        redisson_defects_test::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (!chaos::fake_clock::library().empty()) return;
        if (in_ci()) FAIL() << "libfaketime is missing, and CI must have it (package faketime)";
        GTEST_SKIP() << "libfaketime is missing (package faketime)";
    }
    /// Its timed waits end at once, so that it would take a processor for as long as other tests run.
    static void TearDownTestSuite() { ahead_.reset(); }
    void TearDown() override {
        if (!IsSkipped() && !HasFatalFailure()) server().run("DEL", permits, "{" + permits + "}:timeout");
    }

    /// What a process has in its environment whose clock is a day ahead.
    static std::vector<std::string> a_day_ahead() {
        static chaos::fake_clock const clock;
        clock.set("+1d");
        return clock.environment();
    }
    static java_peer& java_ahead() {
        if (!ahead_)
            ahead_ = std::make_unique<java_peer>(built_peer().folder, server().uri(), 30s, 5min, a_day_ahead());
        return *ahead_;
    }
    static std::int64_t wall_milliseconds() { return wall_microseconds() / 1000; }

    static constexpr std::int64_t half_a_day = 12 * 3600 * 1000;
    std::string const value = name + "|a";
    std::string const permits = name + ": permits";

private:
    static inline std::unique_ptr<java_peer> ahead_{};
};

TEST_F(redisson_defects_clock, java_takes_a_value_that_others_hold_where_its_clock_is_ahead) {
    hold const mine = cpp.get_faster_multi_lock(name, {"a"}).acquire();
    EXPECT_FALSE(java().yes("a", "faster_multi/tryLock", {value}));
    EXPECT_TRUE(java_ahead().yes("a", "faster_multi/tryLock", {value}));
    EXPECT_EQ(mine.status(), hold_status::held) << "nobody has told us";
    java_ahead().value("a", "faster_multi/unlock", {value});
}

TEST_F(redisson_defects_clock, java_takes_a_permit_whose_lease_goes_on_where_its_clock_is_ahead) {
    java().value("a", "permits/trySetPermits", {permits, "1"});
    java().value("a", "permits/acquire", {permits, "1", "60000"});
    EXPECT_EQ(java().value("b", "permits/tryAcquire", {permits}), "none");
    EXPECT_NE(java_ahead().value("b", "permits/tryAcquire", {permits}), "none");
}

TEST_F(redisson_defects_clock, ours_takes_neither_where_its_clock_is_ahead) {
    java().value("a", "faster_multi/lock", {value});
    java().value("a", "permits/trySetPermits", {permits, "1"});
    java().value("a", "permits/acquire", {permits, "1", "60000"});
    child_process ahead(
        {.arguments = {REDLATCH_AHEAD_PROGRAM, server().uri(), name, "a", permits}, .environment = a_day_ahead()});
    auto const wall = ahead.read_line().value_or("");
    ASSERT_EQ(wall.find("wall "), 0U) << ahead.error_text();
    EXPECT_GT(std::stoll(wall.substr(5)), wall_milliseconds() + half_a_day);
    EXPECT_EQ(ahead.read_line(), "value busy");
    EXPECT_EQ(ahead.read_line(), "permit busy");
    java().value("a", "faster_multi/unlock", {value});
}

} // namespace
} // namespace redlatch::test
