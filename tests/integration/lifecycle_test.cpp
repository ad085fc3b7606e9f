// The ends of things: close, fork, threads that exit while they hold.
#include "integration/child_of_fork.hpp"
#include "integration/fixture.hpp"
#include "integration/log_lines.hpp"
#include "integration/open_sockets.hpp"
#include "support/both_faces.hpp"

#include <csignal>
#include <future>
#include <memory>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace redlatch::test {
namespace {

class lifecycle_test : public with_server {
protected:
    config settings() const {
        config result = quick(server.uri());
        result.lock_watchdog_timeout = 900ms;
        return result;
    }
};

TEST_F(lifecycle_test, close_ends_waits_and_releases_holds) {
    client user(settings());
    client other(settings());
    hold const theirs = other.get_lock("theirs").acquire();
    hold mine = user.get_lock("mine").acquire();
    std::vector<std::future<errc>> waiters;
    for (int i = 0; i < 8; ++i)
        waiters.push_back(
            in_thread([&] { return outcome_of([&] { (void)user.get_lock("theirs").acquire(); }).reason; }));
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 8 && somebody_waits("theirs"); }));
    auto const start = test_clock::now();
    user.close();
    for (auto& one : waiters) EXPECT_EQ(one.get(), errc::closed);
    EXPECT_LT(since(start), 2s);
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_TRUE(mine.lost().stop_requested());
    EXPECT_FALSE(exists("mine"));
    EXPECT_TRUE(exists("theirs"));
    EXPECT_TRUE(wait_until([&] { return !somebody_waits("theirs"); }));
    user.close();
}

TEST_F(lifecycle_test, close_tells_holders_before_others_can_have_their_locks) {
    client user(settings());
    hold const mine = user.get_lock(name).acquire();
    bool stayed = false;
    std::stop_callback const on_loss(mine.lost(), [&] { stayed = stays([&] { return exists(name); }, 20ms); });
    user.close();
    EXPECT_TRUE(stayed) << "the key was gone while the holder was being told";
    EXPECT_FALSE(exists(name));
}

TEST_F(lifecycle_test, close_does_not_wait_long_for_a_listener_that_blocks) {
    client user(settings());
    hold const mine = user.get_lock(name).acquire();
    std::promise<bool> gone;
    std::stop_callback const on_loss(mine.lost(), [&] { gone.set_value(wait_until([&] { return !exists(name); })); });
    user.close();
    EXPECT_TRUE(gone.get_future().get());
}

TEST_F(lifecycle_test, calls_on_a_closed_client_say_closed) {
    client user(settings());
    auto lock = user.get_lock(name);
    hold mine = lock.acquire();
    user.close();
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { lock.lock(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)lock.is_locked(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)lock.force_unlock(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)lock.inspect(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { user.ping(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { user.list_locks(); }).reason, errc::closed);
    EXPECT_FALSE(lock.is_held());
    auto const release = outcome_of([&] { mine.release(); });
    EXPECT_EQ(release.reason, errc::lease_lost);
    EXPECT_NE(release.message.find(name), std::string::npos) << release;
}

TEST_F(lifecycle_test, locks_and_holds_outlive_their_client) {
    std::optional<client> user(settings());
    auto lock = user->get_lock(name);
    hold mine = lock.acquire();
    auto const view = lock.current_hold();
    user.reset();
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(view.status(), hold_status::lost);
    EXPECT_FALSE(exists(name));
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).reason, errc::closed);
}

TEST_F(lifecycle_test, the_last_copy_of_a_client_closes) {
    std::optional<client> user(settings());
    client copy = *user;
    auto lock = user->get_lock(name);
    user.reset();
    hold const mine = lock.acquire();
    EXPECT_EQ(copy.stats().holds, 1U);
}

/// Redisson would let them sleep until their timers; so did close(), which sent each release just once.
TEST_F(lifecycle_test, close_wakes_waiters_when_the_connection_breaks_before_the_message_is_sent) {
    byte_proxy way(server.address());
    config through = quick(way.uri());
    through.close_timeout = patience;
    client user(through);
    client other(quick(server.uri()));
    hold const mine = user.get_lock(name).acquire({.lease = 10min});
    auto waiter = in_thread([&] { return other.get_lock(name).try_acquire({.wait = patience}).has_value(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const cut = way.cut_before(a_command("PUBLISH"));
    user.close();
    EXPECT_TRUE(cut.sprung() || in_variant("scripts_no_hand_off"));
    EXPECT_TRUE(waiter.get());
}

TEST_F(lifecycle_test, close_releases_by_script_when_plain_commands_are_refused_by_then) {
    server.run("ACL", "SETUSER", "restricted", "reset", "on", ">secret", "~*", "&*", "+@all");
    config restricted = settings();
    restricted.username = "restricted";
    restricted.password = "secret";
    client user(restricted);
    hold const mine = user.get_lock(name).acquire({.lease = 10min});
    server.run("ACL", "SETUSER", "restricted", "-hdel");
    user.close();
    EXPECT_FALSE(exists(name));
}

TEST_F(lifecycle_test, close_does_not_wait_long_for_a_server_that_is_stopped) {
    config patient = settings();
    patient.timeout = 3s;
    patient.close_timeout = 300ms;
    client user(patient);
    hold mine = user.get_lock(name).acquire();
    server.pause();
    auto const start = test_clock::now();
    user.close();
    EXPECT_LT(since(start), 1500ms);
    EXPECT_EQ(mine.status(), hold_status::lost);
    server.resume();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(lifecycle_test, close_on_the_notifier_thread_does_not_block) {
    config patient = settings();
    patient.timeout = 20s;
    client user(patient);
    std::promise<std::chrono::milliseconds> took;
    user.get_lock(name).async_acquire({.owner = owner()}, {}, [&](std::error_code, hold) {
        auto const start = test_clock::now();
        user.close();
        took.set_value(since(start));
    });
    EXPECT_LT(took.get_future().get(), 500ms);
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(lifecycle_test, a_blocking_call_on_the_notifier_thread_is_refused) {
    client user(settings());
    std::promise<errc> refused;
    user.get_lock(name).async_acquire({.owner = owner()}, {}, [&](std::error_code, hold) {
        redlatch::reentrant_lock second = user.get_lock("second"); // in each variant blocking
        refused.set_value(outcome_of([&] { (void)second.acquire({.wait = 1s}); }).reason);
    });
    EXPECT_EQ(refused.get_future().get(), errc::wrong_thread);
    expect_idle(user);
}

TEST_F(lifecycle_test, a_thread_that_exits_while_it_holds_is_reported_and_the_lock_stays_held) {
    client user(settings());
    event_log events(user);
    auto lock = user.get_lock(name);
    std::thread([&] { lock.lock(); }).join();
    EXPECT_TRUE(events.wait_for(event::kind::thread_exited_holding, name));
    EXPECT_TRUE(stays([&] { return exists(name); }, 1200ms));
    EXPECT_TRUE(lock.force_unlock());
    EXPECT_EQ(events.count(event::kind::thread_exited_holding), 1U);
    expect_idle(user);
}

TEST_F(lifecycle_test, a_thread_that_exits_holding_nothing_is_not_reported) {
    client user(settings());
    event_log events(user);
    auto lock = user.get_lock(name);
    std::thread([&] {
        lock.lock();
        lock.unlock();
    }).join();
    std::thread([&] { lock.lock(); }).join();
    EXPECT_TRUE(events.wait_for(event::kind::thread_exited_holding, name));
    EXPECT_EQ(events.count(event::kind::thread_exited_holding), 1U);
    EXPECT_TRUE(lock.force_unlock());
}

/// Runs in the child; the number of the first call that did not say `forked`, or 0.
int misbehaviour_after_fork(client& user, reentrant_lock& lock, hold& mine) {
    auto const forked = [](auto&& call) { return outcome_of(call).reason == errc::forked; };
    if (!forked([&] { (void)lock.acquire({.wait = 1s}); })) return 1;
    if (!forked([&] { (void)lock.try_acquire(); })) return 2;
    if (!forked([&] { lock.lock(); })) return 3;
    if (!forked([&] { (void)lock.try_lock(); })) return 4;
    if (!forked([&] { (void)lock.is_locked(); })) return 5;
    if (!forked([&] { (void)lock.inspect(); })) return 6;
    if (!forked([&] { (void)lock.force_unlock(); })) return 7;
    if (!forked([&] { (void)lock.remaining_lease(); })) return 8;
    if (!forked([&] { user.ping(); })) return 9;
    if (!forked([&] { user.list_locks(); })) return 10;
    if (!forked([&] { mine.release(); })) return 11;
    std::error_code code;
    mine.release(code);
    if (code != errc::forked) return 12;
    mine.release_detached();
    user.close();
    return 0;
}

TEST_F(lifecycle_test, after_fork_every_call_of_the_child_fails_and_the_parent_is_not_disturbed) {
    auto user = std::make_unique<client>(settings());
    auto lock = user->get_lock(name);
    hold mine = lock.acquire();
    auto const before = server.run("CLIENT", "LIST").text;
    auto const status = status_of_child([&] {
        int const step = misbehaviour_after_fork(*user, lock, mine);
        mine = hold();
        user.reset();
        return step;
    });
    ASSERT_EQ(status, 0) << "the number of the step in misbehaviour_after_fork";

    EXPECT_TRUE(mine);
    EXPECT_TRUE(stays([&] { return exists(name) && bool(mine); }, 1500ms)) << "renewal goes on in the parent";
    EXPECT_EQ(user->stats().reconnects, 0U);
    mine.release();
    lock.acquire({.wait = 1s}).release();
    expect_idle(*user);
    expect_clean(server);
}

/// Runs in the child; the number of the first thing that spoke of the parent's hold as of one's own, or 0.
int belief_after_fork(hold& mine) {
    if (mine) return 1;
    if (mine.status() != hold_status::lost) return 2;
    if (mine.valid_until() > lease_clock::now()) return 3;
    if (!mine.lost().stop_requested()) return 4;
    if (outcome_of([&] { mine.ensure_held(); }).reason != errc::lease_lost) return 5;
    return 0;
}

TEST_F(lifecycle_test, a_hold_of_the_parent_is_lost_in_the_child_whatever_its_threads_are_doing) {
    client user(settings());
    hold mine = user.get_lock(name).acquire();
    std::promise<pid_t> started;
    std::jthread const busy([&](std::stop_token const& stop) { // with the mutex of the client's records
        started.set_value(::gettid());
        while (!stop.stop_requested()) static_cast<void>(user.stats());
    });
    auto const busy_thread = started.get_future().get();
    constexpr int forks = 100;
    for (int i = 0; i < forks; ++i) {
        auto const status = status_of_child([&] { return belief_after_fork(mine); }, busy_thread);
        ASSERT_EQ(status, 0) << "the number of the step in belief_after_fork";
    }
    EXPECT_EQ(mine.status(), hold_status::held);
}

TEST_F(lifecycle_test, closes_at_once_when_what_was_left_behind_has_been_released) {
    auto patient = settings();
    patient.close_timeout = 20s;
    client user(patient);
    auto lock = user.get_lock(name);
    lock.acquire().release();
    server.pause();
    EXPECT_THROW(static_cast<void>(lock.acquire({.wait = 50ms})), error); // it may come to hold the lock
    EXPECT_GT(user.stats().unresolved, 0U);
    server.resume();
    ASSERT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    auto const began = test_clock::now();
    user.close();
    EXPECT_LT(since(began), 5s) << "nothing is under way any more";
}

TEST_F(lifecycle_test, close_waits_for_a_release_of_the_background_whose_connection_is_being_made_anew) {
    auto impatient = settings();
    impatient.timeout = 20ms;
    impatient.close_timeout = 20s;
    client user(impatient);
    event_log events(user);
    auto mine = user.get_lock(name).acquire();
    server.pause();
    std::error_code ec;
    ASSERT_TRUE(wait_until([&] {
        static_cast<void>(user.get_lock("another").try_acquire({}, ec)); // in vain: it is not answered
        return events.count(event::kind::disconnected) > 0;
    }));
    mine.release(ec); // sent to nobody
    ASSERT_EQ(ec, errc::outcome_unknown);
    std::thread closer([&] { user.close(); });
    EXPECT_TRUE(wait_until([&] { return outcome_of([&] { user.start(); }).reason == errc::closed; }));
    server.resume();
    closer.join();
    expect_clean(server);
}

TEST_F(lifecycle_test, what_keeps_it_from_connecting_is_logged_once_for_each_connection) {
    auto eager = settings();
    eager.timeout = 50ms;
    eager.retry_delay = 1ms; // hundreds of attempts
    client user(eager);
    user.get_lock(name).acquire().release();
    log_lines const logged;
    server.stop();
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(outcome_of([&] { (void)user.get_lock(name).acquire({.wait = 50ms}); }).reason, errc::disconnected);
    constexpr int connections = 3;
    EXPECT_GE(logged.count("it is tried again"), 1);
    EXPECT_LE(logged.count("it is tried again"), connections);
    user.close();
    server.restart(redis_server::data::lost);
}

TEST_F(lifecycle_test, the_child_of_a_fork_closes_a_connection_that_is_being_made) {
    server.pause(); // connections wait to be accepted
    auto const before = open_sockets();
    auto waiting = settings();
    waiting.connect = connect_mode::lazily;
    auto user = std::make_unique<client>(waiting);
    std::promise<void> answered;
    user->async_ping({}, [&](std::error_code, server_info const&) { answered.set_value(); });
    ASSERT_TRUE(wait_until([&] { return open_sockets() > before; }));
    auto const left_open = status_of_child([&] {
        user.reset();
        return static_cast<int>(open_sockets() - before);
    });
    server.resume();
    EXPECT_EQ(left_open, 0);
    answered.get_future().get();
}

TEST_F(lifecycle_test, the_child_of_a_fork_closes_a_connection_that_another_thread_is_making) {
    auto user = std::make_unique<client>(settings());
    server.pause(); // connections wait to be accepted
    auto const before = open_sockets();
    auto const opening = std::async(std::launch::async, [&] { client(settings()).ping(); });
    ASSERT_TRUE(wait_until([&] { return open_sockets() > before; }));
    auto const left_open = status_of_child([&] {
        auto const inherited = open_sockets();
        user.reset();
        return open_sockets() < inherited && open_sockets() < before ? 0 : 1;
    });
    server.resume();
    EXPECT_EQ(left_open, 0);
    opening.wait();
}

TEST_F(lifecycle_test, in_the_child_of_a_fork_a_handler_is_told_that_its_call_cannot_be_made) {
    client user(settings());
    auto lock = user.get_lock(name);
    hold mine = lock.acquire();
    std::promise<void> first;
    lock.async_is_locked({},
                         [&](std::error_code, bool) { first.set_value(); }); // starts the thread that calls handlers
    first.get_future().get();
    auto const status = status_of_child([&] {
        std::promise<std::error_code> asked;
        lock.async_is_locked({}, [&](std::error_code code, bool) { asked.set_value(code); });
        if (asked.get_future().get() != errc::forked) return 1;
        std::promise<std::error_code> pinged;
        user.async_ping([](std::function<void()> const& run) { run(); },
                        [&](std::error_code code, server_info const&) { pinged.set_value(code); });
        if (pinged.get_future().get() != errc::forked) return 2;
        std::promise<std::error_code> released;
        mine.async_release({}, [&](std::error_code code) { released.set_value(code); });
        return released.get_future().get() == errc::forked ? 0 : 3;
    });
    EXPECT_EQ(status, 0) << "the number of the call that was not told of";
    EXPECT_EQ(mine.status(), hold_status::held);
}

TEST_F(lifecycle_test, a_thread_that_gets_the_number_of_one_of_a_closed_client_may_block) {
    client user(settings());
    auto lock = user.get_lock(name);
    hold held = lock.acquire(); // the thread that renews it runs
    std::promise<void> first;
    lock.async_is_locked({}, [&](std::error_code, bool) { first.set_value(); }); // and the one that calls handlers
    first.get_future().get();
    user.close();
    for (int i = 0; i < 4; ++i) { // the C library gives the next threads the numbers of those that have ended
        std::error_code code;
        std::thread([&] { held.release(code); }).join();
        EXPECT_NE(code, errc::wrong_thread);
    }
}

TEST_F(lifecycle_test, a_child_of_a_fork_that_runs_no_handlers_holds_nothing_either) {
    client user(settings());
    hold mine = user.get_lock(name).acquire();
    auto const child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) ::_exit(mine || mine.status() != hold_status::lost ? 1 : 0); // and asks for no memory
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the child believes that it holds";
    EXPECT_EQ(mine.status(), hold_status::held);
}

TEST_F(lifecycle_test, a_child_makes_a_client_of_its_own) {
    client user(settings());
    hold const mine = user.get_lock(name).acquire();
    auto const status = status_of_child([&] {
        try {
            client own(settings());
            return own.id() != user.id() && !own.get_lock(name).try_acquire() ? 0 : 1;
        } catch (error const&) {
            return 2;
        }
    });
    EXPECT_EQ(status, 0);
}

TEST_F(lifecycle_test, a_token_that_is_asked_for_after_the_loss_is_stopped_although_nobody_has_noticed) {
    config lazy = settings();
    lazy.lazy_threads = true; // no thread looks at the clock
    client user(lazy);
    hold const mine = user.get_lock(name).acquire({.lease = 60ms});
    ASSERT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    EXPECT_TRUE(mine.lost().stop_requested());
    EXPECT_EQ(user.stats().lost, 1U);
}

TEST_F(lifecycle_test, with_lazy_threads_nothing_runs_in_the_background_before_start) {
    config lazy = settings();
    lazy.lazy_threads = true;
    client user(lazy);
    hold mine = user.get_lock(name).acquire();
    EXPECT_TRUE(wait_until([&] { return pttl(server, name) < 700; }));
    EXPECT_EQ(user.stats().renewals, 0U);
    user.start();
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > 0; }));
    EXPECT_TRUE(stays([&] { return exists(name) && bool(mine); }, 1200ms));
    mine.release();
}

} // namespace
} // namespace redlatch::test
