// User and password that change: asked for at each connect, and again before they expire.
#include "integration/fixture.hpp"
#include "integration/log_lines.hpp"
#include "integration/vault.hpp"

#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

class credentials_test : public with_server {
protected:
    credentials_test() {
        EXPECT_EQ(server.run("ACL", "SETUSER", "locks", "on", ">first", "~*", "&*", "+@all").text, "OK");
    }

    config asking() const {
        config settings = quick(server.uri());
        settings.timeout = 10s; // a slow machine is no lost connection
        settings.credentials = source.source();
        return settings;
    }

    /// The server takes the new password only; connections that are there stay.
    void change_password(std::string const& password) {
        EXPECT_EQ(server.run("ACL", "SETUSER", "locks", "resetpass", ">" + password).text, "OK");
    }

    std::vector<std::string> connections() const {
        std::vector<std::string> ids;
        std::istringstream lines(server.run("CLIENT", "LIST").text);
        for (std::string line; std::getline(lines, line);)
            if (line.find(" user=locks ") != std::string::npos) ids.push_back(line.substr(3, line.find(' ') - 3));
        return ids;
    }
    void kill_connections() const {
        for (auto const& id : connections()) server.run("CLIENT", "KILL", "ID", id);
    }

    /// A figure of the server's statistics of a command.
    std::int64_t figure(std::string const& command, std::string const& key) const {
        auto const text = server.run("INFO", "commandstats").text;
        auto const line = text.find("cmdstat_" + command + ":");
        auto const at = text.find(key + "=", line);
        return line == std::string::npos ? 0 : std::stoll(text.substr(at + key.size() + 1));
    }
    std::int64_t calls_of(std::string const& command) const { return figure(command, "calls"); }

    vault const source;
};

TEST_F(credentials_test, are_asked_for_at_each_connect) {
    client user(asking());
    EXPECT_EQ(source.asked(), 1);
    EXPECT_EQ(connections().size(), 1U) << "it is the user that was named";
    auto lock = user.get_lock(name);
    lock.acquire({.wait = 10s}).release();

    change_password("second");
    source.set_password("second");
    kill_connections();
    lock.acquire({.wait = 20s}).release();
    EXPECT_GE(source.asked(), 2);
}

TEST_F(credentials_test, that_the_server_refuses_are_a_clear_error) {
    source.set_password("wrong");
    auto const refused = outcome_of([&] { client user(asking()); });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    EXPECT_NE(refused.message.find("refused user name or password"), std::string::npos) << refused;
}

TEST_F(credentials_test, that_cannot_be_had_are_a_failed_attempt_to_connect) {
    source.fail(100);
    auto settings = asking();
    settings.retry_attempts = 2;
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::disconnected) << failed;
    EXPECT_NE(failed.message.find("config::credentials has failed: the vault is sealed"), std::string::npos) << failed;
    EXPECT_EQ(failed.message.find("no credentials for the server " + server.uri()), 0U) << failed;
    EXPECT_EQ(failed.message.find("check the address"), std::string::npos) << failed;
    EXPECT_EQ(source.asked(), 3) << "once for each attempt";

    source.fail(2);
    client user(settings);
    user.get_lock(name).acquire({.wait = 10s}).release();
    EXPECT_EQ(source.asked(), 6);
}

TEST_F(credentials_test, that_cannot_be_had_later_are_asked_for_again) {
    client user(asking());
    auto lock = user.get_lock(name);
    lock.acquire({.wait = 10s}).release();
    source.fail(3);
    kill_connections();
    lock.acquire({.wait = 20s}).release();
    EXPECT_GE(source.asked(), 5);
}

TEST_F(credentials_test, are_said_anew_on_a_connection_before_they_expire) {
    source.set_validity(2s);
    client user(asking());
    event_log const log(user);
    user.start();
    auto const before = connections();
    ASSERT_EQ(before.size(), 1U);
    EXPECT_TRUE(wait_until([&] { return calls_of("auth") >= 2; }));
    server.run("ACL", "SETUSER", "locks", ">second");
    source.set_password("second");
    auto const asked = source.asked();
    ASSERT_TRUE(wait_until([&] { return source.asked() >= asked + 2; })) << "the first of these has been answered";
    server.run("ACL", "SETUSER", "locks", "<first");
    auto const auths = calls_of("auth");
    EXPECT_TRUE(wait_until([&] { return calls_of("auth") >= auths + 2; })) << "with the new password too";
    EXPECT_EQ(figure("auth", "failed_calls"), 0);
    user.get_lock(name).acquire({.wait = 10s}).release();
    EXPECT_EQ(log.count(event::kind::disconnected), 0U);
    EXPECT_EQ(connections(), before);
}

TEST_F(credentials_test, that_cannot_be_had_for_a_connection_that_lives_on_are_asked_for_again) {
    log_lines const logged;
    source.set_validity(2s);
    client user(asking());
    event_log const log(user);
    user.start();
    source.fail(1);
    EXPECT_TRUE(wait_until([&] { return logged.has("new credentials for a connection that lives on cannot be had"); }));
    auto const auths = calls_of("auth");
    EXPECT_TRUE(wait_until([&] { return calls_of("auth") > auths; }));
    EXPECT_EQ(log.count(event::kind::disconnected), 0U);
}

TEST_F(credentials_test, that_are_refused_later_are_asked_for_again) {
    log_lines const logged;
    source.set_validity(2s);
    client user(asking());
    user.start();
    source.set_password("wrong");
    auto const asked = source.asked();
    EXPECT_TRUE(wait_until([&] { return source.asked() >= asked + 2; }));
    EXPECT_TRUE(wait_until([&] { return logged.has("the server refused them (WRONGPASS"); }));
    user.get_lock(name).acquire({.wait = 10s}).release();
    source.set_password("first");
    auto const again = source.asked();
    EXPECT_TRUE(wait_until([&] { return source.asked() >= again + 2; }));
}

TEST_F(credentials_test, of_the_connection_for_messages_are_renewed_by_another_connection) {
    client holder(quick(server.uri()));
    auto held = holder.get_lock(name).acquire({.wait = 10s});
    source.set_validity(2s);
    client user(asking());
    event_log const log(user);
    auto waiting = in_thread([&] { return user.get_lock(name).acquire({.wait = 60s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    EXPECT_TRUE(log.wait_for(event::kind::reconnected));
    for (auto const& one : log.all()) {
        if (one.what != event::kind::disconnected) continue;
        EXPECT_NE(one.message.find("before the credentials expire"), std::string::npos) << one.message;
    }
    EXPECT_TRUE(wait_until([&] { return somebody_waits(name); }));
    held.release();
    waiting.get().release();
}

TEST_F(credentials_test, that_take_long_do_not_hold_up_renewals) {
    auto settings = asking();
    settings.lock_watchdog_timeout = 9s;
    settings.watched_holds = 0; // no connection for messages
    client user(settings);
    auto held = user.get_lock(name).acquire({.wait = 10s});
    ASSERT_TRUE(wait_until([&] { return connections().size() >= 2; })) << "renewals have a connection of their own";
    source.shut();
    auto const asked = source.asked();
    server.run("CLIENT", "KILL", "ID", connections().front());
    ASSERT_TRUE(wait_until([&] { return source.asked() > asked; }));
    auto const renewed = calls_of("evalsha") + calls_of("eval");
    EXPECT_TRUE(wait_until([&] { return calls_of("evalsha") + calls_of("eval") >= renewed + 2; }));
    EXPECT_EQ(held.status(), hold_status::held);
    source.open();
    held.release();
}

class password_file : public credentials_test {
protected:
    void write(std::string const& text, ::mode_t mode = 0600) const {
        std::ofstream(path()) << text;
        EXPECT_EQ(::chmod(path().c_str(), mode), 0);
    }
    std::string path() const { return (folder_.path() / "password").string(); }
    config reading() const {
        config settings = quick(server.uri());
        settings.username = "locks";
        settings.password_file = path();
        return settings;
    }

private:
    temporary_folder folder_;
};

TEST_F(password_file, is_read_at_each_connect) {
    write("first\n");
    client user(reading());
    auto lock = user.get_lock(name);
    lock.acquire({.wait = 10s}).release();
    change_password("second");
    write("second");
    kill_connections();
    lock.acquire({.wait = 20s}).release();
    EXPECT_FALSE(connections().empty());
}

TEST_F(password_file, that_cannot_be_read_is_a_failed_attempt_to_connect) {
    auto settings = reading();
    settings.retry_attempts = 0;
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::disconnected) << failed;
    EXPECT_NE(failed.message.find("the password file '" + path() + "' cannot be used: No such file"), std::string::npos)
        << failed;
}

} // namespace
} // namespace redlatch::test
