// What hosted services take away: commands that are renamed or unknown. Each is survived, or named to whoever needs it.
#include "integration/fixture.hpp"
#include "support/every_use.hpp"

#include <redlatch/fair_lock.hpp>
#include <redlatch/read_write_lock.hpp>
#include <redlatch/semaphore.hpp>

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

class a_server_without : public ::testing::TestWithParam<std::string> {
protected:
    redis_server server{{.arguments = {"--rename-command", GetParam(), ""}}};

    config settings() const {
        auto made = quick(server.uri());
        made.lock_watchdog_timeout = 900ms;
        made.commands = command_set::automatic;
        return made;
    }
};

auto const name_of_command = [](auto const& one) { return one.param; };

class a_server_without_what_may_be_missing : public a_server_without {};
INSTANTIATE_TEST_SUITE_P(command, a_server_without_what_may_be_missing,
                         ::testing::Values("CLIENT", "CONFIG", "DBSIZE", "HELLO", "INFO", "PUBSUB", "RESTORE", "SCRIPT",
                                           "WAIT"),
                         name_of_command);

TEST_P(a_server_without_what_may_be_missing, has_locks_and_synchronizers_of_all_types) {
    for (auto const& one : uses_of_all_types()) {
        server.run("FLUSHALL");
        client user(settings());
        client other(settings());
        auto const end = outcome_of([&] { one.use(user, other); });
        EXPECT_EQ(end.reason, errc{}) << one.type << ": " << end.message;
    }
}

class a_server_without_scripts : public a_server_without {};
INSTANTIATE_TEST_SUITE_P(command, a_server_without_scripts, ::testing::Values("EVAL", "EVALSHA"), name_of_command);

TEST_P(a_server_without_scripts, has_free_locks_with_a_lease_of_their_own) {
    client user(settings());
    auto lock = user.get_lock(unique_name());
    EXPECT_EQ(outcome_of([&] { lock.acquire({.lease = 60s}).release(); }).reason, errc{});
    expect_idle(user);
}

TEST_P(a_server_without_scripts, names_the_command_to_whoever_needs_it) {
    client user(settings());
    client other(settings());
    auto const name = unique_name();
    hold held = user.get_lock(name).acquire({.lease = 60s, .owner = owner()});
    auto const told = [&](auto const& call) {
        auto const end = outcome_of(call);
        EXPECT_EQ(end.reason, errc::server_refused) << end;
        EXPECT_THAT(end.message, HasSubstr(GetParam()));
        EXPECT_THAT(end.message, HasSubstr(name));
    };
    told([&] { other.get_lock(name).acquire({.wait = 60s, .owner = owner()}).release(); });
    told([&] { user.get_fair_lock(name + ":fair").acquire({.wait = 60s}).release(); });
    told([&] { user.get_read_write_lock(name + ":rw").read_lock().acquire({.wait = 60s}).release(); });
    told([&] { user.get_semaphore(name + ":permits").acquire({.wait = 60s}); });
    held.release();
}

} // namespace
} // namespace redlatch::test
