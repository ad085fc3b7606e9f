// Somebody with rights interferes: SCRIPT FLUSH, DEL, FLUSHALL, another owner's key, a key of another type.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

namespace redlatch::test {
namespace {

class admin_test : public with_server {
protected:
    config settings() const {
        config result = quick(server.uri());
        result.lock_watchdog_timeout = 900ms;
        return result;
    }
    client user{settings()};
    client other{settings()};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(admin_test, script_flush_at_any_time_changes_nothing) {
    auto const flush = [&] { server.run("SCRIPT", "FLUSH"); };
    flush();
    hold first = lock.acquire();
    flush();
    hold second = lock.acquire();
    flush();
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 2; }));
    flush();
    EXPECT_TRUE(bool(first) && bool(second));
    second.release();
    flush();
    EXPECT_TRUE(lock.inspect().held);
    flush();
    first.release();
    EXPECT_FALSE(exists(name));
    hold again = theirs.acquire();
    flush();
    EXPECT_TRUE(lock.force_unlock());
    std::error_code lost;
    again.release(lost);
    EXPECT_EQ(lost, errc::lease_lost);
}

class removal_test : public admin_test, public ::testing::WithParamInterface<char const*> {
protected:
    void remove() {
        if (GetParam() == std::string("DEL"))
            server.run("DEL", name);
        else
            server.run(GetParam());
    }
};

TEST_P(removal_test, of_a_renewed_lock_is_noticed_by_the_next_renewal) {
    event_log events(user);
    hold mine = lock.acquire();
    remove();
    EXPECT_TRUE(wait_until([&] { return mine.lost().stop_requested(); }));
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, name));
    EXPECT_FALSE(lock.is_held());
    EXPECT_EQ(outcome_of([&] { mine.ensure_held(); }).reason, errc::lease_lost);
    EXPECT_FALSE(exists(name)) << "a lost lock is not made again";
}

TEST_P(removal_test, is_noticed_by_a_release) {
    hold mine = lock.acquire({.lease = 30s});
    remove();
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    mine.release(); // once
}

TEST_P(removal_test, is_noticed_by_a_re_entry_which_does_not_take_the_lock_anew) {
    hold const mine = lock.acquire({.lease = 30s});
    remove();
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).reason, errc::lease_lost);
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_FALSE(exists(name));
    hold const fresh = lock.acquire();
    EXPECT_TRUE(fresh);
}

TEST_P(removal_test, is_noticed_by_a_partial_release) {
    hold const outer = lock.acquire({.lease = 30s});
    hold inner = lock.acquire({.lease = 30s});
    remove();
    EXPECT_EQ(outcome_of([&] { inner.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outer.status(), hold_status::lost);
}

TEST_P(removal_test, does_not_bring_back_a_lost_hold_when_another_takes_the_key) {
    hold mine = lock.acquire();
    remove();
    hold next = theirs.acquire({.wait = 5s});
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(holders(server, name).count(next.owner_id()), 1U);
    EXPECT_TRUE(next);
}

INSTANTIATE_TEST_SUITE_P(by, removal_test, ::testing::Values("DEL", "FLUSHALL"),
                         [](auto const& how) { return std::string(how.param); });

TEST_F(admin_test, a_removal_is_not_heard_by_waiters_but_they_come_in_with_the_lease) {
    hold_as_stranger(server, name, 2s);
    auto waiter = in_thread([&] { lock.acquire({.wait = 20s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    server.run("DEL", name);
    waiter.get();
    EXPECT_LT(since(start), 3300ms);
}

TEST_F(admin_test, a_persisted_lock_is_held_and_released_as_ever) {
    hold mine = lock.acquire();
    server.run("PERSIST", name);
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 2; }));
    EXPECT_TRUE(mine);
    EXPECT_EQ(pttl(server, name), -1) << "no write of ours shortens its life";
    mine.release();
}

class wrong_type_test : public admin_test {
protected:
    template <class Call> void expect_refusal(char const* what, Call&& call) {
        auto const refused = outcome_of(call);
        EXPECT_EQ(refused.reason, errc::wrong_type) << what << ": " << refused;
        EXPECT_NE(refused.message.find(name), std::string::npos) << what << ": " << refused;
    }
};

TEST_F(wrong_type_test, is_a_clear_error_and_the_key_is_left_alone) {
    server.run("SET", name, "somebody's data");
    expect_refusal("acquire", [&] { (void)lock.acquire({.wait = 1s}); });
    expect_refusal("try_acquire", [&] { (void)lock.try_acquire(); });
    expect_refusal("lock", [&] { lock.lock(); });
    expect_refusal("force_unlock", [&] { (void)lock.force_unlock(); });
    expect_refusal("inspect", [&] { (void)lock.inspect(); });
    auto const plain = outcome_of([&] { (void)lock.try_acquire(); }).message;
    EXPECT_EQ(plain.find("tokens"), std::string::npos) << "this lock has no counter that could be meant: " << plain;
    auto const fenced = outcome_of([&] { (void)user.get_fenced_lock(name).try_acquire(); }).message;
    EXPECT_NE(fenced.find("redisson_lock_token:{" + name + "}"), std::string::npos) << fenced;
    EXPECT_EQ(server.run("GET", name).text, "somebody's data");
    EXPECT_FALSE(lock.is_held());
    server.run("DEL", name);
}

/// The key of the lock is not there: the user is told what is in the way.
TEST_F(wrong_type_test, of_a_key_beside_the_lock_is_named) {
    for (auto const* const prefix : {"redisson_lock_queue:{", "redisson_lock_timeout:{"}) {
        auto const key = prefix + name + "}";
        server.run("SET", key, "somebody's data");
        auto const refused = outcome_of([&] { (void)user.get_fair_lock(name).try_acquire({.wait = 1s}); });
        EXPECT_EQ(refused.reason, errc::wrong_type) << key;
        EXPECT_NE(refused.message.find(key), std::string::npos) << refused.message;
        EXPECT_EQ(server.run("GET", key).text, "somebody's data");
        server.run("DEL", key);
    }
    auto const counter = "redisson_lock_token:{" + name + "}";
    server.run("SET", counter, "not a number");
    auto const refused = outcome_of([&] { (void)user.get_fenced_lock(name).try_acquire(); });
    EXPECT_EQ(refused.reason, errc::server_refused);
    EXPECT_NE(refused.message.find(counter), std::string::npos) << refused.message;
    EXPECT_EQ(server.run("GET", counter).text, "not a number");
    server.run("DEL", counter);
    auto const timeouts = "{" + name + "}:timeout";
    server.run("SET", timeouts, "somebody's data");
    auto const unseen = outcome_of([&] { (void)user.get_permit_semaphore(name).inspect(); });
    EXPECT_EQ(unseen.reason, errc::wrong_type);
    EXPECT_NE(unseen.message.find(timeouts), std::string::npos) << unseen.message;
    server.run("DEL", timeouts);
}

TEST_F(wrong_type_test, under_a_held_lock_is_a_loss) {
    hold mine = lock.acquire();
    server.run("SET", name, "somebody's data");
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    auto const ended = outcome_of([&] { mine.release(); });
    EXPECT_EQ(ended.reason, errc::lease_lost) << ended;
    EXPECT_EQ(server.run("GET", name).text, "somebody's data");
    server.run("DEL", name);
}

TEST_F(wrong_type_test, under_a_waiter_ends_the_wait_with_the_error) {
    hold_as_stranger(server, name, 2s);
    auto waiter = in_thread([&] { return outcome_of([&] { (void)lock.acquire({.wait = 20s}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    server.run("SET", name, "somebody's data");
    EXPECT_EQ(waiter.get(), errc::wrong_type);
    server.run("DEL", name);
}

} // namespace
} // namespace redlatch::test
