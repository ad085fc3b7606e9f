// A user who has no rights to one key: what that costs the locks that he has rights to.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <redlatch/log.hpp>

namespace redlatch::test {
namespace {

constexpr auto watchdog = 1500ms;

class key_refusal_test : public with_server {
protected:
    key_refusal_test() { server.run("ACL", "SETUSER", "restricted", "reset", "on", ">secret", "~*", "&*", "+@all"); }
    config settings() const {
        config result = quick(server.uri());
        result.username = "restricted";
        result.password = "secret";
        result.lock_watchdog_timeout = watchdog;
        return result;
    }
    void allow_only(std::string const& pattern) const {
        server.run("ACL", "SETUSER", "restricted", "resetkeys", "~" + pattern);
    }
};

TEST_F(key_refusal_test, a_key_that_cannot_be_renewed_costs_no_other_lock) {
    client user(settings());
    event_log const told(user);
    std::vector<hold> good;
    for (int i = 0; i < 9; ++i) good.push_back(user.get_lock("good-" + std::to_string(i)).acquire());
    hold const bad = user.get_lock("bad").acquire();
    allow_only("good-*");
    EXPECT_TRUE(told.wait_for(event::kind::hold_lost, "bad")) << "within its lease";
    EXPECT_TRUE(stays([&] { return std::all_of(good.begin(), good.end(), [](hold const& one) { return bool(one); }); },
                      2 * watchdog));
    EXPECT_EQ(user.stats().lost, 1U);
    for (auto& one : good) one.release();
}

TEST_F(key_refusal_test, a_key_that_may_be_renewed_again_in_time_is_kept) {
    auto patient = settings();
    patient.lock_watchdog_timeout = 4s;
    client user(patient);
    hold const good = user.get_lock("good").acquire();
    hold const bad = user.get_lock("bad").acquire();
    std::atomic<int> refusals{0};
    set_log_sink(
        [&](log_level, std::string_view line) {
            if (line.find("bad") != std::string_view::npos && line.find("cannot be renewed") != std::string_view::npos)
                ++refusals;
        },
        log_level::warning);
    allow_only("good");
    EXPECT_TRUE(wait_until([&] { return refusals > 0; }));
    allow_only("*");
    EXPECT_TRUE(stays([&] { return bool(good) && bool(bad); }, 6s)) << user.stats().renewals;
    EXPECT_EQ(refusals, 1) << "told once";
    set_log_sink({});
}

TEST_F(key_refusal_test, a_key_that_is_refused_switches_plain_commands_off_for_no_other) {
    client user(settings());
    hold mine = user.get_lock("bad").acquire();
    allow_only("good");
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::server_refused);
    EXPECT_EQ(outcome_of([&] { (void)user.get_lock("bad").try_acquire(); }).reason, errc::server_refused);
    server.run("CONFIG", "RESETSTAT");
    user.get_lock("good").acquire().release();
    auto const used = server.run("INFO", "commandstats").text;
    EXPECT_NE(used.find("cmdstat_restore:calls=1"), std::string::npos) << used;
    EXPECT_NE(used.find("cmdstat_hdel:calls=1"), std::string::npos) << used;
}

/// Who may write the key and not read it can take its lock plainly, once.
TEST_F(key_refusal_test, a_key_that_could_not_be_renewed_is_refused_the_next_time_and_no_other_is) {
    if (server.run("ACL", "SETUSER", "restricted", "resetkeys", "~good", "%W~bad").is_error())
        GTEST_SKIP() << "this server has one right for reading and writing keys";
    auto patient = settings(); // the refusal of the first renewal arrives before the lease is over
    patient.lock_watchdog_timeout = 4s;
    client user(patient);
    hold const good = user.get_lock("good").acquire();
    event_log const told(user);
    {
        hold const bad = user.get_lock("bad").acquire();
        EXPECT_TRUE(told.wait_for(event::kind::hold_lost, "bad"));
    }
    EXPECT_EQ(outcome_of([&] { (void)user.get_lock("bad").acquire({.wait = 1s}); }).reason, errc::server_refused);
    EXPECT_TRUE(good);
}

} // namespace
} // namespace redlatch::test
