// The connection breaks at every step: before and after each command of a cycle, by a proxy and by CLIENT KILL. Whatever the
// step, the cycle is completed, excludes, and leaves nothing.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/both_faces.hpp"

#include <thread>

namespace redlatch::test {
namespace {

namespace scripts = locking::scripts;

struct step {
    std::string name;
    matcher which;
};

std::vector<step> steps() {
    return {
        {"acquire", an_acquisition()},
        {"reenter", a_script(scripts::lock_set_count)},
        {"release", a_release()},
        {"renew", a_script(scripts::lock_renew)},
        {"subscribe", a_command("SUBSCRIBE")},
        {"unsubscribe", a_command("UNSUBSCRIBE")},
        {"force_release", a_script(scripts::lock_force_release)},
        {"inspect", a_command("HSCAN")},
    };
}

enum class when { before, after, reset_after };

class connection_loss_test : public ::testing::TestWithParam<std::tuple<std::size_t, when, server_options::transport>> {
protected:
    redis_server server{{.over = std::get<2>(GetParam())}};
    byte_proxy proxy{server.address()};
    step const where = steps().at(std::get<0>(GetParam()));
    std::string const name = unique_name();
    config settings(std::string address) const {
        config result = quick(std::move(address));
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }

    proxy_trap set_trap() {
        switch (std::get<1>(GetParam())) {
        case when::before: return proxy.cut_before(where.which);
        case when::after: return proxy.cut_after(where.which);
        case when::reset_after: break;
        }
        return proxy.cut_after(where.which, cut::reset);
    }
};

TEST_P(connection_loss_test, every_call_still_does_what_it_says) {
    client user(settings(proxy.uri()));
    client other(settings(server.uri()));
    auto lock = user.get_lock(name);
    lock.acquire({.wait = 10s}).release();
    auto const trap = set_trap();

    // A wait, a hold long enough for a renewal, a re-entry, and the way back.
    hold theirs = other.get_lock(name).acquire();
    auto waiter = in_thread([&] { return lock.acquire({.wait = 30s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1 && user.stats().subscriptions == 1; }));
    theirs.release();
    hold outer = waiter.get();
    EXPECT_EQ(holders(server, name).count(outer.owner_id()), 1U);
    EXPECT_FALSE(other.get_lock(name).try_acquire());

    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 2; }));
    EXPECT_TRUE(outer);
    outer.release();
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));

    hold first = lock.acquire({.wait = 10s});
    hold second = lock.acquire({.wait = 10s});
    EXPECT_EQ(holders(server, name)[first.owner_id()], "2");
    second.release();
    EXPECT_EQ(holders(server, name)[first.owner_id()], "1");
    first.release();
    EXPECT_EQ(server.run("EXISTS", name).integer, 0);

    hold forced = other.get_lock(name).acquire();
    EXPECT_TRUE(lock.inspect().held);
    EXPECT_TRUE(lock.force_unlock() || server.run("EXISTS", name).integer == 0);
    std::error_code lost;
    forced.release(lost);
    EXPECT_EQ(lost, errc::lease_lost);

    ASSERT_TRUE(trap.wait()) << "the step never came";
    expect_idle(user);
    expect_idle(other);
    expect_clean(server);
}

std::string name_of(::testing::TestParamInfo<connection_loss_test::ParamType> const& which) {
    auto const [index, how, over] = which.param;
    std::string const times[] = {"before", "after", "reset_after"};
    return times[static_cast<std::size_t>(how)] + "_" + steps().at(index).name
           + (over == server_options::transport::tcp ? "_tcp" : "_unix");
}

INSTANTIATE_TEST_SUITE_P(cut, connection_loss_test,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 8),
                                            ::testing::Values(when::before, when::after),
                                            ::testing::Values(server_options::transport::unix_socket)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(reset, connection_loss_test,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 8), ::testing::Values(when::reset_after),
                                            ::testing::Values(server_options::transport::tcp)),
                         name_of);

// The handshake: whichever of its commands the connection breaks at, the constructor tries again, and so does a reconnection.
class handshake_loss_test : public ::testing::TestWithParam<bool> {
protected:
    redis_server server{{.arguments = {"--requirepass", "secret"}}};
    byte_proxy proxy{server.address()};
    config settings() const {
        config result = quick(proxy.uri());
        result.password = "secret";
        result.client_name = "handshake";
        result.database = 1;
        return result;
    }
    proxy_trap trap(std::size_t nth) {
        auto seen = std::make_shared<std::size_t>(0);
        matcher const at = [seen, nth](words const&) { return (*seen)++ == nth; };
        return GetParam() ? proxy.cut_after(at) : proxy.cut_before(at);
    }
};

TEST_P(handshake_loss_test, the_constructor_tries_again) {
    std::size_t steps = 0;
    {
        client const user(settings());
        steps = proxy.commands().size();
    }
    ASSERT_GE(steps, 1U);
    for (std::size_t nth = 0; nth < steps; ++nth) {
        auto const cut = trap(nth);
        client user(settings());
        EXPECT_TRUE(cut.sprung()) << "at command " << nth;
        user.get_lock("a").acquire({.wait = 5s}).release();
        EXPECT_EQ(user.stats().holds, 0U);
    }
}

TEST_P(handshake_loss_test, a_reconnection_tries_again) {
    client user(settings());
    auto lock = user.get_lock("a");
    lock.acquire().release();
    auto const steps = proxy.commands().size();
    for (std::size_t nth = 0; nth < steps; ++nth) {
        auto const cut = trap(nth);
        proxy.cut_all();
        EXPECT_TRUE(wait_until([&] {
            std::error_code code;
            hold got = lock.acquire({.wait = 2s}, code);
            return !code && cut.sprung();
        })) << "at command "
            << nth;
    }
    EXPECT_TRUE(wait_until([&] { return user.stats().holds == 0 && user.stats().unresolved == 0; }));
}

INSTANTIATE_TEST_SUITE_P(cut, handshake_loss_test, ::testing::Bool(),
                         [](auto const& which) { return which.param ? "after" : "before"; });

class client_kill_test : public with_server {
protected:
    config settings() const {
        config result = quick(server.uri());
        result.lock_watchdog_timeout = 1500ms;
        return result;
    }
    client user{settings()};
    client other{settings()};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
    /// All connections but the administrator's own.
    void kill_all() { server.run("CLIENT", "KILL", "SKIPME", "yes"); }
};

TEST_F(client_kill_test, while_idle_while_held_and_while_waiting) {
    kill_all();
    hold mine = lock.acquire({.wait = 10s});
    kill_all();
    auto waiter = in_thread([&] { theirs.acquire({.wait = 30s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    kill_all();
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    EXPECT_TRUE(stays([&] { return bool(mine) && exists(name) && !is_ready(waiter); }, 2s));
    kill_all();
    mine.release();
    waiter.get();
    expect_idle(user);
    expect_idle(other);
    expect_clean(server);
}

TEST_F(client_kill_test, again_and_again_under_load_never_breaks_exclusion) {
    std::atomic<bool> ending{false};
    std::atomic<int> inside{0};
    std::atomic<int> cycles{0};
    std::atomic<bool> overlapped{false};
    auto const work = [&](reentrant_lock mine) {
        while (!ending) {
            std::error_code code;
            hold got = mine.acquire({.wait = 5s}, code);
            if (!got) continue;
            if (++inside != 1) overlapped = true;
            ++cycles;
            --inside;
            got.release(code);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back(work, lock);
        threads.emplace_back(work, theirs);
    }
    for (int kills = 0; kills < 40; ++kills) {
        auto const before = cycles.load();
        kill_all();
        EXPECT_TRUE(wait_until([&] { return cycles > before + 5; })) << "no progress after kill " << kills;
    }
    ending = true;
    for (auto& one : threads) one.join();
    EXPECT_FALSE(overlapped);
    expect_idle(user);
    expect_idle(other);
    expect_clean(server);
}

// The acquisition has run, its reply is lost with the connection, and the repeat behind the kill is answered with an error.
using denial_test = with_server;

TEST_F(denial_test, an_error_to_a_repeated_acquisition_does_not_deny_its_first_copy) {
    byte_proxy proxy(server.address());
    client user(quick(proxy.uri()));
    user.get_lock(name).acquire().release(); // the script is known
    auto const acquire = an_acquisition();
    auto const lost = proxy.cut_after(acquire);
    for (int i = 0; i < 20; ++i) proxy.replace_reply(acquire, "-LOADING Redis is loading the dataset in memory\r\n");
    EXPECT_NE(outcome_of([&] { (void)user.get_lock(name).acquire({.wait = 300ms}); }).reason, errc{});
    EXPECT_TRUE(lost.sprung());
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "nobody releases it: " << pttl(server, name) << " ms";
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
}

} // namespace
} // namespace redlatch::test
