// Semaphores and latches in the child of a fork: every call is refused, and what the parent holds stays its own.
#include "integration/child_of_fork.hpp"
#include "integration/fixture.hpp"

#include <future>

namespace redlatch::test {
namespace {

class counter_fork_test : public with_server {
protected:
    client user{quick(server.uri())};

    void TearDown() override { expect_idle(user); }
    static bool forked(std::function<void()> const& call) { return outcome_of(call).reason == errc::forked; }
    /// What a handler is told, called where it is told.
    template <class Begin> static std::error_code told(Begin&& begin) {
        std::promise<std::error_code> done;
        begin([](std::function<void()> const& task) { task(); },
              [&](std::error_code ec, auto&&...) { done.set_value(ec); });
        return done.get_future().get();
    }
};

TEST_F(counter_fork_test, a_semaphore_is_refused) {
    auto one = user.get_semaphore(name);
    one.try_set_permits(3);
    one.acquire();
    auto const status = status_of_child([&] {
        if (!forked([&] { one.acquire({.wait = 1s}); })) return 1;
        if (!forked([&] { (void)one.try_acquire(); })) return 2;
        if (!forked([&] { one.release(); })) return 3;
        if (!forked([&] { one.release_if_exists(); })) return 4;
        if (!forked([&] { one.available_permits(); })) return 5;
        if (!forked([&] { one.try_set_permits(4); })) return 6;
        if (!forked([&] { one.add_permits(1); })) return 7;
        if (!forked([&] { one.drain_permits(); })) return 8;
        if (!forked([&] { one.remove(); })) return 9;
        std::error_code ec;
        if (one.try_acquire({}, ec) || ec != errc::forked) return 10;
        if (told([&](executor ex, auto handler) { one.async_acquire({}, std::move(ex), handler); }) != errc::forked)
            return 11;
        return forked([&] { user.get_semaphore(name); }) ? 0 : 12;
    });
    EXPECT_EQ(status, 0) << "the number of the call that did not say so";
    EXPECT_EQ(one.available_permits(), 2);
}

TEST_F(counter_fork_test, a_latch_is_refused) {
    auto one = user.get_count_down_latch(name);
    one.try_set_count(2);
    auto const status = status_of_child([&] {
        if (!forked([&] { one.wait({.wait = 1s}); })) return 1;
        if (!forked([&] { one.try_set_count(3); })) return 2;
        if (!forked([&] { one.count_down(); })) return 3;
        if (!forked([&] { one.count(); })) return 4;
        if (!forked([&] { one.remove(); })) return 5;
        return told([&](executor ex, auto handler) { one.async_wait({}, std::move(ex), handler); }) == errc::forked ? 0
                                                                                                                    : 6;
    });
    EXPECT_EQ(status, 0) << "the number of the call that did not say so";
    EXPECT_EQ(one.count(), 2);
}

TEST_F(counter_fork_test, permits_stay_those_of_the_parent) {
    auto one = user.get_permit_semaphore(name);
    one.try_set_permits(3);
    auto mine = one.acquire();
    auto const status = status_of_child([&] {
        if (mine.status() != hold_status::lost || !mine.lost().stop_requested()) return 1;
        if (mine.valid_until() != lease_clock::time_point()) return 2;
        if (!forked([&] { mine.release(); })) return 3;
        std::error_code ec;
        mine.release(ec);
        if (ec != errc::forked) return 4;
        if (told([&](executor ex, auto handler) { mine.async_release(std::move(ex), handler); }) != errc::forked)
            return 5;
        mine.release_detached();
        { auto const goes = std::move(mine); }
        if (!forked([&] { (void)one.acquire(); })) return 6;
        if (!forked([&] { (void)one.try_acquire(); })) return 7;
        if (!forked([&] { one.release("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"); })) return 8;
        if (!forked([&] { one.try_release("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"); })) return 9;
        if (!forked([&] { one.update_lease("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1s); })) return 10;
        if (!forked([&] { one.lease_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"); })) return 11;
        if (!forked([&] { one.get_permits(); })) return 12;
        if (!forked([&] { one.inspect(); })) return 13;
        if (!forked([&] { one.set_permits(1); })) return 14;
        return 0;
    });
    EXPECT_EQ(status, 0) << "the number of the call that did not say so";
    EXPECT_TRUE(mine);
    EXPECT_EQ(one.acquired_permits(), 1);
    mine.release();
    EXPECT_EQ(one.acquired_permits(), 0);
}

} // namespace
} // namespace redlatch::test
