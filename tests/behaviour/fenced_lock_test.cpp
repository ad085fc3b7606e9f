// The tokens of fenced locks: they grow with each acquisition, whoever acquires.
#include "behaviour/kinds.hpp"

namespace redlatch::test {
namespace {

class fenced_lock_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    any_lock lock = user.get_fenced_lock(name);
    any_lock theirs = other.get_fenced_lock(name);
    std::string const counter = "redisson_lock_token:{" + name + "}";

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
    std::string counted() const { return server.run("GET", counter).text; }
};

TEST_F(fenced_lock_test, gives_each_acquisition_a_greater_token) {
    std::uint64_t last = 0;
    for (auto* from : {&lock, &theirs, &theirs, &lock}) {
        auto mine = from->acquire({.owner = owner()});
        ASSERT_TRUE(mine.token());
        EXPECT_GT(*mine.token(), last);
        EXPECT_EQ(std::to_string(*mine.token()), counted());
        last = *mine.token();
        mine.release();
    }
    EXPECT_EQ(last, 4U);
}

TEST_F(fenced_lock_test, gives_waiters_of_one_process_tokens_of_their_own) {
    auto first = lock.acquire({.owner = owner()});
    auto waiter = in_thread([&] { return lock.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    auto const token = first.token();
    first.release();
    auto second = waiter.get();
    ASSERT_TRUE(second.token());
    EXPECT_GT(*second.token(), *token);
}

TEST_F(fenced_lock_test, keeps_the_token_of_its_owner_when_it_is_entered_again) {
    auto outer = lock.acquire();
    auto inner = lock.acquire();
    EXPECT_EQ(inner.token(), outer.token());
    EXPECT_EQ(counted(), "2") << "as Java counts a re-entry";
    inner.release();
    EXPECT_EQ(outer.token(), 1U);
    EXPECT_EQ(counted(), "2") << "a partial release is no acquisition";
    outer.release();
    EXPECT_EQ(theirs.acquire().token(), 3U);
}

TEST_F(fenced_lock_test, keeps_its_token_when_it_is_lost) {
    auto mine = lock.acquire();
    server.run("DEL", name);
    auto next = theirs.acquire();
    EXPECT_GT(*next.token(), *mine.token());
    std::error_code ec;
    mine.release(ec);
    EXPECT_EQ(mine.token(), 1U) << "whoever writes with it now is refused";
}

TEST_F(fenced_lock_test, has_the_greatest_token_also_when_the_reply_was_lost) {
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    auto far = through.get_fenced_lock(name);
    far.acquire({.wait = 10s}).release();
    auto const trap = proxy.cut_after(any_script());
    auto mine = far.acquire({.wait = 10s});
    EXPECT_TRUE(trap.sprung());
    EXPECT_EQ(mine.token(), 3U) << "nobody has got that of the first copy";
    EXPECT_EQ(counted(), "3");
}

TEST_F(fenced_lock_test, is_not_acquired_where_the_counter_cannot_count) {
    server.run("RPUSH", counter, "a list");
    auto const end = outcome_of([&] { auto const never = lock.acquire({.wait = 5s}); });
    EXPECT_EQ(end.reason, errc::wrong_type) << end;
    EXPECT_FALSE(exists(name));
    server.run("DEL", counter);
    server.run("SET", counter, "no number");
    EXPECT_EQ(outcome_of([&] { auto const never = lock.acquire({.wait = 5s}); }).reason, errc::server_refused);
    EXPECT_FALSE(exists(name));
}

TEST_F(fenced_lock_test, is_told_from_other_kinds_by_its_counter) {
    auto const mine = lock.acquire();
    EXPECT_EQ(theirs.inspect().type, "fenced");
}

} // namespace
} // namespace redlatch::test
