// Rights that are used only now and then, and that all goes on without: the log names them when the server refuses one.
#include "integration/fixture.hpp"

#include <redlatch/log.hpp>

namespace redlatch::test {
namespace {

/// What the library logs while it lives.
class log_lines {
public:
    log_lines() {
        set_log_sink(
            [kept = kept_](log_level, std::string_view line) {
                std::lock_guard const guard(kept->mutex);
                kept->lines.emplace_back(line);
            },
            log_level::info);
    }
    log_lines(log_lines const&) = delete;
    log_lines& operator=(log_lines const&) = delete;
    ~log_lines() { set_log_sink({}); }

    int naming(std::string const& command) const {
        std::lock_guard const guard(kept_->mutex);
        return static_cast<int>(std::count_if(kept_->lines.begin(), kept_->lines.end(), [&](std::string const& line) {
            return line.find("does not let this user run '" + command + "'") != std::string::npos;
        }));
    }

private:
    struct state {
        std::mutex mutex;
        std::vector<std::string> lines;
    };
    std::shared_ptr<state> const kept_ = std::make_shared<state>();
};

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
    log_lines logged;
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
    EXPECT_EQ(logged.naming("client|kill"), 1);
}

TEST_F(spare_rights_test, to_ping_is_named_by_an_idle_connection) {
    auto settings = without("ping", server.uri());
    settings.ping_interval = 20ms;
    client user(settings);
    user.get_lock(name).acquire().release();
    EXPECT_TRUE(wait_until([&] { return logged.naming("ping") == 1; }));
    server.run("ACL", "LOG", "RESET");
    EXPECT_TRUE(wait_until([&] { return !server.run("ACL", "LOG").items.empty(); })) << "the next one";
    user.get_lock(name).acquire().release(); // behind it
    EXPECT_EQ(logged.naming("ping"), 1);
}

TEST_F(spare_rights_test, to_unsubscribe_is_named_when_nobody_waits_any_more) {
    client user(without("unsubscribe", server.uri()));
    hold_as_stranger(server, name, 1h);
    EXPECT_FALSE(user.get_lock(name).try_acquire({.wait = 100ms}));
    EXPECT_TRUE(wait_until([&] { return logged.naming("unsubscribe") == 1; }));
}

} // namespace
} // namespace redlatch::test
