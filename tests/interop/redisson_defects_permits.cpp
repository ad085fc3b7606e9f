// Permits with ids and leases: what Redisson answers where there are none.
#include "redisson_defects_test.hpp"

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

class redisson_defects_permits : public redisson_defects_test {
protected:
    void TearDown() override {
        if (!IsSkipped() && !HasFatalFailure()) server().run("DEL", name, "{" + name + "}:timeout");
    }
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

} // namespace
} // namespace redlatch::test
