// Rights that are used only now and then, and that all goes on without: the log names them when the server refuses one.
#include "integration/fixture.hpp"
#include "integration/log_lines.hpp"

namespace redlatch::test {
namespace {

class spare_rights_test : public with_server {
protected:
    config without(std::string const& right, std::string address) const {
        EXPECT_EQ(
            server.run("ACL", "SETUSER", "locks", "reset", "on", ">secret", "~*", "&*", "+@all", "-" + right).text,
            "OK");
        auto settings = quick(std::move(address));
        settings.username = "locks";
        settings.password = "secret";
        return settings;
    }
    int naming(std::string const& command) const {
        return logged.count("does not let this user run '" + command + "'");
    }
    log_lines const logged;
};

TEST_F(spare_rights_test, to_end_a_broken_connection_is_named_once) {
    byte_proxy proxy(server.address());
    client user(without("client|kill", proxy.uri()));
    for (int broken = 1; broken <= 2; ++broken) {
        auto const trap = proxy.hold_reply(an_acquisition());
        auto waiting = std::async(std::launch::async, [&] { user.get_lock(name).acquire({.wait = 10s}).release(); });
        ASSERT_TRUE(trap.wait());
        trap.cut_client();
        waiting.get();
    }
    EXPECT_EQ(naming("client|kill"), 1);
}

TEST_F(spare_rights_test, to_ping_is_named_by_an_idle_connection) {
    auto settings = without("ping", server.uri());
    settings.ping_interval = 20ms;
    client user(settings);
    user.get_lock(name).acquire().release();
    EXPECT_TRUE(wait_until([&] { return naming("ping") == 1; }));
    server.run("ACL", "LOG", "RESET");
    EXPECT_TRUE(wait_until([&] { return !server.run("ACL", "LOG").items.empty(); })) << "the next one";
    user.get_lock(name).acquire().release(); // behind it
    EXPECT_EQ(naming("ping"), 1);
}

TEST_F(spare_rights_test, to_unsubscribe_is_named_when_nobody_waits_any_more) {
    client user(without("unsubscribe", server.uri()));
    hold_as_stranger(server, name, 1h);
    EXPECT_FALSE(user.get_lock(name).try_acquire({.wait = 100ms}));
    EXPECT_TRUE(wait_until([&] { return naming("unsubscribe") == 1; }));
}

} // namespace
} // namespace redlatch::test
