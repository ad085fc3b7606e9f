// A holder learns of a forced release within milliseconds, not with its next renewal, which is ten seconds away here.
#include "integration/fixture.hpp"

#include <future>
#include <stop_token>

namespace redlatch::test {
namespace {

class hold_watch_test : public with_server {
protected:
    static config watching(std::string const& uri, int most) {
        config settings = quick(uri);
        settings.lock_watchdog_timeout = 30s;
        settings.watched_holds = most;
        return settings;
    }
    client user{watching(server.uri(), 100)};
    client other{watching(server.uri(), 0)};

    struct told {
        std::promise<void> promise{};
        std::future<void> future = promise.get_future();
        std::stop_callback<std::function<void()>> callback;
        explicit told(hold const& of) : callback(of.lost(), [this] { promise.set_value(); }) {}
        bool within(std::chrono::milliseconds time) { return future.wait_for(time) == std::future_status::ready; }
    };
};

TEST_F(hold_watch_test, a_holder_is_told_of_a_forced_release_at_once) {
    for (auto const lease : {std::optional<duration>(), std::optional<duration>(60s)}) {
        hold const mine = user.get_lock(name).acquire({.lease = lease});
        told loss(mine);
        ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }, 5s)) << "it listens when it is a second old";
        EXPECT_TRUE(mine) << "asked about, and still there";
        EXPECT_TRUE(other.get_lock(name).force_unlock());
        EXPECT_TRUE(loss.within(2s)) << (lease ? "fixed lease" : "renewed");
        EXPECT_EQ(mine.status(), hold_status::lost);
    }
}

TEST_F(hold_watch_test, a_forced_release_before_it_listens_is_noticed_when_it_begins_to) {
    hold const mine = user.get_lock(name).acquire();
    told loss(mine);
    EXPECT_TRUE(other.get_lock(name).force_unlock());
    EXPECT_TRUE(loss.within(5s));
}

TEST_F(hold_watch_test, a_forced_release_while_its_connection_was_away_is_noticed_when_it_is_back) {
    byte_proxy proxy(server.address());
    client away(watching(proxy.uri(), 100));
    hold const mine = away.get_lock(name).acquire();
    told loss(mine);
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }, 5s));
    proxy.cut_all();
    EXPECT_TRUE(other.get_lock(name).force_unlock());
    EXPECT_TRUE(loss.within(5s));
}

TEST_F(hold_watch_test, listens_again_after_a_busy_server_has_refused_that) {
    byte_proxy proxy(server.address());
    client refused(watching(proxy.uri(), 100));
    auto const once =
        proxy.replace_reply(a_command("SUBSCRIBE"), "-LOADING Redis is loading the dataset in memory\r\n");
    auto const twice = proxy.replace_reply(a_command("SUBSCRIBE"), "-BUSY Redis is busy running a script.\r\n");
    hold const mine = refused.get_lock(name).acquire();
    told loss(mine);
    EXPECT_TRUE(once.wait() && twice.wait()) << "again after the first refusal";
    ASSERT_TRUE(wait_until([&] { return proxy.count(a_command("SUBSCRIBE")) == 3; })) << "and after the second one";
    EXPECT_TRUE(mine) << "asked about, and still there";
    EXPECT_TRUE(other.get_lock(name).force_unlock());
    EXPECT_TRUE(loss.within(2s));
}

TEST_F(hold_watch_test, listens_no_longer_than_it_holds) {
    hold mine = user.get_lock(name).acquire();
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }, 5s));
    mine.release();
    EXPECT_TRUE(wait_until([&] { return !somebody_waits(name); }, 5s));
    EXPECT_FALSE(exists(name));
    expect_idle(user);
    expect_clean(server);
}

TEST_F(hold_watch_test, listens_for_so_many_holds_as_the_settings_allow) {
    auto settings = watching(server.uri(), 2);
    settings.lock_watchdog_timeout = 4500ms;
    client limited(settings);
    hold const unwatched = other.get_lock(name + "-none").acquire();
    hold const first = limited.get_lock(name + "-1").acquire();
    hold const second = limited.get_lock(name + "-2").acquire();
    hold const third = limited.get_lock(name + "-3").acquire();
    renewal_watch const of_third(server, name + "-3");
    ASSERT_TRUE(wait_until([&] { return of_third.is_renewed_on(server); })) << "it is older than a second by then";
    EXPECT_TRUE(wait_until([&] { return somebody_waits(name + "-1") && somebody_waits(name + "-2"); }, 5s));
    EXPECT_FALSE(somebody_waits(name + "-3"));
    EXPECT_FALSE(somebody_waits(name + "-none"));
}

TEST_F(hold_watch_test, makes_room_for_the_next_one_when_a_hold_ends) {
    client limited(watching(server.uri(), 1));
    for (int i = 0; i < 2; ++i) {
        auto const lock = name + "-" + std::to_string(i);
        hold const mine = limited.get_lock(lock).acquire();
        EXPECT_TRUE(wait_until([&] { return somebody_waits(lock); }, 5s)) << i;
    }
}

} // namespace
} // namespace redlatch::test
