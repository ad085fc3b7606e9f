// Permits with ids and leases: what Redisson answers where there are none.
#include "redisson_defects_test.hpp"

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

class redisson_defects_permits : public redisson_defects_test {
protected:
    void TearDown() override {
        if (!IsSkipped() && !HasFatalFailure()) server().run("DEL", name, leases);
    }
    /// All permits are taken, and none is held any more.
    void take_all_until_their_leases_are_over(int permits) const {
        auto const number = std::to_string(permits);
        java().value("a", "permits/trySetPermits", {name, number});
        java().value("a", "permits/acquire", {name, number, "100"});
        EXPECT_TRUE(wait_until([&] {
            return server().run("ZCOUNT", leases, std::to_string(wall_microseconds() / 1000), "+inf").integer == 0;
        }));
    }

    std::string const leases = "{" + name + "}:timeout";
};

TEST_F(redisson_defects_permits, java_fails_asynchronously_while_all_permits_have_leases) {
    java().value("a", "permits/trySetPermits", {name, "1"});
    java().value("a", "permits/acquire", {name, "1", "60000"});
    EXPECT_EQ(java().value("a", "permits/tryAcquire", {name}), "none");
    auto const answer = java().ask("a", "permits/tryAcquireAsync", {name});
    EXPECT_FALSE(answer.ok);
    EXPECT_THAT(answer.exception_class + " " + answer.value, ::testing::HasSubstr("NullPointerException"));
}

TEST_F(redisson_defects_permits, ours_says_asynchronously_that_there_is_none_while_all_permits_have_leases) {
    auto from = cpp.get_permit_semaphore(name);
    EXPECT_TRUE(from.try_set_permits(1));
    auto const held = from.acquire({.lease = 60s});
    auto const end = ended<permits>([&](completion_ptr<permits>& done) { return from.start_try_acquire({}, done); });
    EXPECT_EQ(end.code, errc::busy);
}

TEST_F(redisson_defects_permits, java_hides_in_another_exception_that_a_permit_is_not_there) {
    java().value("a", "permits/trySetPermits", {name, "1"});
    auto const answer = java().ask("a", "permits/release", {name, std::string(32, 'a')});
    EXPECT_FALSE(answer.ok);
    EXPECT_EQ(answer.exception_class, "RedisException") << "documented: IllegalArgumentException";
    EXPECT_THAT(answer.value, ::testing::HasSubstr("Unexpected exception while processing command"));
}

TEST_F(redisson_defects_permits, ours_says_that_a_permit_is_not_there) {
    auto from = cpp.get_permit_semaphore(name);
    EXPECT_TRUE(from.try_set_permits(1));
    EXPECT_EQ(outcome_of([&] { from.release(std::string(32, 'a')); }).reason, errc::not_owner);
}

TEST_F(redisson_defects_permits, java_takes_back_one_of_the_permits_whose_leases_are_over_when_it_acquires_one) {
    take_all_until_their_leases_are_over(3);
    EXPECT_NE(java().value("b", "permits/tryAcquire", {name}), "none");
    EXPECT_EQ(server().run("GET", name).text, "0") << "two more are free";
    EXPECT_EQ(server().run("ZCARD", leases).integer, 3);
}

TEST_F(redisson_defects_permits, ours_takes_back_all_permits_whose_leases_are_over_when_it_acquires_one) {
    take_all_until_their_leases_are_over(3);
    auto const held = cpp.get_permit_semaphore(name).try_acquire();
    EXPECT_TRUE(held);
    EXPECT_EQ(server().run("GET", name).text, "2");
    EXPECT_EQ(server().run("ZCARD", leases).integer, 1);
}

} // namespace
} // namespace redlatch::test
