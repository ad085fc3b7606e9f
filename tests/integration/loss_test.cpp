// A hold that is lost: it says so before the key can expire, and it never comes back.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/both_faces.hpp"
#include "support/child_process.hpp"
#include "support/sanitized.hpp"

#include <atomic>
#include <csignal>
#include <fstream>

namespace redlatch::test {
namespace {

class loss_test : public with_server {
protected:
    byte_proxy proxy{server.address()};
    config settings() const {
        config result = quick(proxy.uri());
        result.lock_watchdog_timeout = 1500ms;
        result.validity_margin = 200ms;
        return result;
    }
    /// Who is told of a loss has a second until the key can expire: enough on a loaded machine too.
    config with_wide_margin() const {
        config result = settings();
        result.lock_watchdog_timeout = 3s;
        result.validity_margin = 1s;
        return result;
    }
};

TEST_F(loss_test, is_told_before_the_key_can_expire_when_the_server_falls_silent) {
    client user(with_wide_margin());
    event_log events(user);
    std::vector<hold> mine;
    std::atomic<int> told{0};
    std::atomic<int> too_late{0};
    for (int i = 0; i < 10; ++i) mine.push_back(user.get_lock(name + "-" + std::to_string(i)).acquire());
    auto const on_loss = [&](std::string const& lock_name) {
        if (pttl(server, lock_name) < 0) ++too_late;
        ++told;
    };
    std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> callbacks;
    for (auto const& one : mine)
        callbacks.push_back(std::make_unique<std::stop_callback<std::function<void()>>>(
            one.lost(), [&, lock_name = one.lock_name()] { on_loss(lock_name); }));
    auto const renewals = user.stats().renewals;
    ASSERT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 2; }));
    proxy.hold(direction::to_server);
    EXPECT_TRUE(wait_until([&] { return told == 10; }));
    EXPECT_EQ(too_late, 0) << "the key had gone already";
    for (auto const& one : mine) {
        EXPECT_EQ(one.status(), hold_status::lost);
        EXPECT_TRUE(wait_until([&] { return events.count(event::kind::hold_lost, one.lock_name()) == 1; }));
        EXPECT_LE(events.count(event::kind::hold_suspect, one.lock_name()), 1U) << "it comes before the loss, and once";
    }
    EXPECT_GE(events.count(event::kind::hold_suspect), 1U) << "suspect comes before lost";
    EXPECT_EQ(user.stats().lost, 10U);
    // Late renewals arrive now: they must not keep what is lost.
    proxy.pass(direction::to_server);
    for (auto const& one : mine) EXPECT_TRUE(wait_until([&] { return !exists(one.lock_name()); }));
    for (auto const& one : mine) EXPECT_EQ(one.status(), hold_status::lost) << "lost is final";
    expect_idle(user);
    expect_clean(server);
}

TEST_F(loss_test, has_happened_also_for_a_token_that_is_asked_for_afterwards) {
    client user(settings());
    event_log events(user);
    hold const mine = user.get_lock(name).acquire();
    server.run("DEL", name);
    ASSERT_TRUE(events.wait_for(event::kind::hold_lost, name));
    EXPECT_TRUE(mine.lost().stop_requested());
}

TEST_F(loss_test, does_not_come_of_a_silent_control_connection_which_is_replaced_while_there_is_time_to_renew) {
    config patient = settings();
    patient.timeout = 30s; // of calls; renewals are not given so much
    patient.lock_watchdog_timeout = 3s;
    client user(patient);
    hold mine = user.get_lock(name).acquire();
    auto const at_first = mine.valid_until();
    auto const trap = proxy.hold_reply(a_script(locking::scripts::lock_renew));
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(wait_until([&] { return !mine || mine.valid_until() > at_first; }));
    EXPECT_TRUE(mine) << "renewed on a new connection";
    EXPECT_EQ(user.stats().lost, 0U);
    mine.release();
}

TEST_F(loss_test, is_told_before_the_key_can_expire_when_replies_are_lost) {
    client user(with_wide_margin());
    hold mine = user.get_lock(name).acquire({.lease = 3s});
    std::atomic<std::int64_t> left{-3};
    std::stop_callback const callback(mine.lost(), [&] { left = pttl(server, name); });
    EXPECT_TRUE(wait_until([&] { return left != -3; }));
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 1200);
}

TEST_F(loss_test, a_suspect_hold_recovers) {
    config patient = settings();
    patient.lock_watchdog_timeout = 6s;
    patient.timeout = 500ms;
    client user(patient);
    event_log events(user);
    hold mine = user.get_lock(name).acquire();
    proxy.hold(direction::to_server);
    EXPECT_TRUE(events.wait_for(event::kind::hold_suspect, name));
    EXPECT_EQ(mine.status(), hold_status::suspect);
    EXPECT_TRUE(mine) << "suspect is still valid";
    mine.ensure_held();
    proxy.pass(direction::to_server);
    EXPECT_TRUE(events.wait_for(event::kind::hold_recovered, name));
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    mine.release();
    expect_idle(user);
}

TEST_F(loss_test, validity_never_reaches_beyond_the_key) {
    client user(settings());
    for (int i = 0; i < 20; ++i) {
        hold const mine = user.get_lock(name).acquire({.lease = 5s});
        auto const left = std::chrono::milliseconds(pttl(server, name));
        // The clock is read after the key's: what is left by then is less than `left`.
        EXPECT_LE(mine.valid_until() - lease_clock::now(), left);
    }
}

TEST_F(loss_test, a_slow_callback_delays_neither_renewals_nor_status) {
    client user(settings());
    std::promise<void> go_on;
    auto const blocked = go_on.get_future().share();
    hold first = user.get_lock("first").acquire();
    hold second = user.get_lock("second").acquire();
    auto const second_lost = second.lost();
    std::atomic<bool> in_callback{false};
    std::stop_callback const callback(first.lost(), [&] {
        in_callback = true;
        blocked.wait();
    });
    server.run("DEL", "first");
    ASSERT_TRUE(wait_until([&] { return in_callback.load(); }));
    EXPECT_TRUE(stays([&] { return bool(second) && exists("second"); }, 2500ms));
    server.run("DEL", "second");
    EXPECT_TRUE(wait_until([&] { return second.status() == hold_status::lost; }));
    EXPECT_FALSE(second_lost.stop_requested()) << "notifications wait for each other";
    go_on.set_value();
    EXPECT_TRUE(wait_until([&] { return second_lost.stop_requested(); }));
}

TEST_F(loss_test, each_level_of_a_lost_lock_says_so_and_the_next_acquisition_is_a_fresh_one) {
    client user(settings());
    auto lock = user.get_lock(name);
    hold first = lock.acquire();
    hold second = lock.acquire();
    auto const old_owner = first.owner_id();
    server.run("DEL", name);
    EXPECT_TRUE(wait_until([&] { return first.lost().stop_requested() && second.lost().stop_requested(); }));
    EXPECT_EQ(lock.hold_count(), 0);
    hold const third = lock.acquire({.wait = 5s});
    EXPECT_NE(third.owner_id(), old_owner);
    EXPECT_EQ(outcome_of([&] { first.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { second.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(third);
    EXPECT_TRUE(exists(name));
}

class other_process_test : public with_server {
protected:
    child_options holder(std::string const& lease_ms, words environment = {}, std::string const& watchdog_ms = "1000") {
        return {.arguments = {REDLATCH_HOLDER_PROGRAM, server.uri(), name, watchdog_ms, lease_ms},
                .environment = std::move(environment)};
    }
    /// The rest of the next line that starts with `word`; lines before it are skipped.
    static std::string expect_line(child_process& process, std::string const& word) {
        while (auto const line = process.read_line()) {
            if (line->starts_with(word)) return line->substr(std::min(line->size(), word.size() + 1));
            if (line->starts_with("error")) ADD_FAILURE() << *line;
        }
        ADD_FAILURE() << "never said " << word << "; " << process.error_text();
        return {};
    }
    static std::string ask(child_process& process, std::string const& question, std::string const& answer) {
        process.write(question + "\n");
        return expect_line(process, answer);
    }
};

// Redisson's testAutoExpire, with a crash in place of a shutdown.
TEST_F(other_process_test, a_killed_holder_frees_the_lock_within_its_lease) {
    client user(quick(server.uri()));
    child_process process(holder("0"));
    expect_line(process, "held");
    auto waiter = in_thread([&] { user.get_lock(name).acquire({.wait = 20s}).release(); });
    EXPECT_TRUE(stays([&] { return !is_ready(waiter); }, 1500ms)) << "renewed while it lives";
    process.signal(SIGKILL);
    auto const start = test_clock::now();
    waiter.get();
    EXPECT_LE(since(start), 1000ms + 500ms);
}

TEST_F(other_process_test, a_holder_stopped_beyond_its_lease_knows_at_once_and_does_no_harm) {
    client user(quick(server.uri()));
    child_process process(holder("0"));
    auto const old_owner = expect_line(process, "held");
    process.signal(SIGSTOP);
    hold mine = user.get_lock(name).acquire({.wait = 20s});
    auto const ours = holders(server, name);
    process.write("status\n"); // the first thing it does when it wakes
    process.signal(SIGCONT);
    EXPECT_EQ(expect_line(process, "status"), "lost") << "decided from the clock, not by a thread that must run first";
    process.write("release\n");
    EXPECT_NE(expect_line(process, "failed"), "");
    EXPECT_TRUE(stays([&] { return holders(server, name) == ours && bool(mine); }, 1500ms))
        << "neither a late renewal nor a late release touches the new holder";
    mine.release();
    auto const next = ask(process, "acquire", "held");
    EXPECT_NE(next, old_owner);
    EXPECT_EQ(ask(process, "release", "released"), "");
}

TEST_F(other_process_test, a_holder_stopped_for_less_than_its_lease_goes_on) {
    child_process process(holder("0", {}, "3000"));
    expect_line(process, "held");
    process.signal(SIGSTOP);
    EXPECT_TRUE(wait_until([&] { return pttl(server, name) < 1500; }));
    process.signal(SIGCONT);
    EXPECT_TRUE(wait_until([&] { return pttl(server, name) > 2500; })) << "renewed at once";
    // The server has renewed it; the answer may still be on its way.
    EXPECT_TRUE(wait_until([&] { return ask(process, "status", "status") == "held"; }));
    EXPECT_EQ(ask(process, "release", "released"), "");
}

bool const can_preload = !is_sanitized();

class clock_jump_test : public other_process_test, public ::testing::WithParamInterface<char const*> {
protected:
    temporary_folder folder;
    std::filesystem::path const setting = folder.path() / "faketime";
    void set_clock(std::string const& offset) const {
        std::ofstream(setting.string() + ".new") << offset << "\n";
        std::filesystem::rename(setting.string() + ".new", setting);
    }
    static std::string library() {
        for (auto const* path :
             {"/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
              "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1"})
            if (std::filesystem::exists(path)) return path;
        return {};
    }
};

TEST_P(clock_jump_test, of_the_wall_clock_changes_nothing) {
    if (!can_preload) GTEST_SKIP() << "a sanitizer wants to be preloaded first";
    if (library().empty()) GTEST_SKIP() << "libfaketime is missing: apt-get install faketime";
    set_clock("+0");
    child_process process(
        holder("0", {"LD_PRELOAD=" + library(), "FAKETIME_TIMESTAMP_FILE=" + setting.string(), "FAKETIME_NO_CACHE=1",
                     "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1"}));
    expect_line(process, "held");
    auto const before = std::stoll(ask(process, "wall", "wall"));
    set_clock(GetParam());
    auto const after = std::stoll(ask(process, "wall", "wall"));
    ASSERT_GT(std::abs(after - before), 3'000'000) << "the clock of the process has jumped";
    EXPECT_TRUE(stays([&] { return exists(name); }, 2500ms)) << "renewal goes on";
    EXPECT_EQ(ask(process, "status", "status"), "held");
    EXPECT_LE(pttl(server, name), 1000) << "no lease on the wire is longer for it";
    EXPECT_EQ(ask(process, "release", "released"), "");
    auto const again = ask(process, "acquire", "held");
    EXPECT_TRUE(stays([&] { return exists(name); }, 1500ms));
    EXPECT_EQ(ask(process, "release", "released"), "");
    EXPECT_FALSE(exists(name));
}

INSTANTIATE_TEST_SUITE_P(jump, clock_jump_test, ::testing::Values("+1d", "-1d"),
                         [](auto const& which) { return which.param[0] == '+' ? "forward" : "back"; });

} // namespace
} // namespace redlatch::test
