// A server that answers one call with something that makes no sense: with no kind of lock there is a crash, a hang, a lock that
// stays, or a hold that nobody has.
#include "behaviour/kinds.hpp"
#include "support/byte_proxy.hpp"
#include "support/lies.hpp"

namespace redlatch::test {
namespace {

/// hostile_server_test.cpp asks the same of the re-entrant lock, with plain commands, each lie by itself.
class false_reply : public with_server, public ::testing::WithParamInterface<lock_kind> {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.lock_watchdog_timeout = 600ms; // what nobody knows of is gone soon
        return result;
    }

    byte_proxy proxy{server.address()};
    client user{settings(proxy.uri())};

    any_lock lock_about(lie const& told) { return GetParam().get(user, name + ":" + told.what); }
    bool is_held_by(hold const& mine) const {
        return GetParam().holders(server, mine.lock_name()).contains(mine.owner_id());
    }
    void expect_to_settle(any_lock& lock, lie const& told) {
        EXPECT_TRUE(wait_until([&] { return !exists(lock.name()); })) << told.what;
        EXPECT_TRUE(wait_until([&] { return user.stats().holds == 0 && user.stats().unresolved == 0; })) << told.what;
        std::error_code wrong;
        hold const mine = lock.acquire({.wait = 10s}, wrong);
        EXPECT_FALSE(wrong) << told.what << ": " << wrong.message();
    }
};

INSTANTIATE_TEST_SUITE_P(of, false_reply, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(false_reply, to_an_acquisition_leaves_nothing_taken) {
    for (auto const& told : lies()) {
        auto lock = lock_about(told);
        lock.acquire().release();
        auto const lie = proxy.replace_reply(any_lock_call(), told.bytes);
        std::error_code wrong;
        {
            hold const got = lock.acquire({.wait = 300ms}, wrong);
            EXPECT_TRUE(lie.wait(0ms)) << told.what;
            EXPECT_TRUE(bool(got) ? is_held_by(got) : bool(wrong)) << told.what << ": " << wrong.message();
        }
        expect_to_settle(lock, told);
    }
}

TEST_P(false_reply, to_a_release_gives_the_lock_back) {
    for (auto const& told : lies()) {
        auto lock = lock_about(told);
        hold mine = lock.acquire();
        auto const lie = proxy.replace_reply(any_lock_call(), told.bytes);
        std::error_code wrong;
        mine.release(wrong);
        EXPECT_EQ(mine.status(), hold_status::released) << told.what << ": " << wrong.message();
        expect_to_settle(lock, told);
    }
}

TEST_P(false_reply, to_a_renewal_ends_in_renewal_or_in_a_loss_that_is_told) {
    for (auto const& told : lies()) {
        auto lock = lock_about(told);
        hold mine = lock.acquire();
        auto const lie = proxy.replace_reply(any_lock_call(), told.bytes);
        ASSERT_TRUE(lie.wait()) << told.what;
        EXPECT_TRUE(stays([&] { return mine.status() != hold_status::held || is_held_by(mine); }, 300ms)) << told.what;
        std::error_code wrong;
        mine.release(wrong);
        expect_to_settle(lock, told);
    }
}

} // namespace
} // namespace redlatch::test
