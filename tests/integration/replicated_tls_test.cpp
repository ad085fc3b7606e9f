// Servers that replicate a master, without Sentinels, with TLS only, among each other too.
#include "integration/fixture.hpp"
#include "support/tls_server.hpp"

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

class replicated_tls_test : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
        first = std::make_unique<tls_server>();
        second = first->start_replica();
        settings = quick("");
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.tls.ca_file = first->ca_file();
        settings.topology.mode = server_mode::replicated;
        settings.topology.scan_interval = 200ms;
        settings.topology.nodes = {second->uri(), first->uri()};
    }
    /// On which server this client takes the lock.
    void expect_lock_on(client& user, tls_server& which) const {
        hold const mine = user.get_lock(name).acquire({.wait = 2 * patience});
        EXPECT_EQ(which.server().run("EXISTS", name).integer, 1);
    }

    std::string const name = unique_name();
    std::unique_ptr<tls_server> first;
    std::unique_ptr<tls_server> second;
    config settings;
};

TEST_F(replicated_tls_test, the_master_is_found_and_a_promotion_is_followed) {
    client user(settings);
    event_log const events(user);
    expect_lock_on(user, *first);
    hold mine = user.get_lock("kept").acquire();
    ASSERT_TRUE(wait_until([&] { return first->server().has_replicated(); }));
    second->server().run("REPLICAOF", "NO", "ONE");
    first->server().run("REPLICAOF", "127.0.0.1", std::to_string(second->port()));
    ASSERT_TRUE(wait_until([&] { return user.stats().reconnects > 0; }));
    expect_lock_on(user, *second);
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(holders(second->server(), "kept").count(mine.owner_id()), 1U);
    mine.release();
    EXPECT_EQ(second->server().run("EXISTS", "kept").integer, 0);
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
}

TEST_F(replicated_tls_test, servers_that_are_not_trusted_are_an_error_that_names_them) {
    settings.retry_attempts = 0;
    settings.tls.ca_file = first->file("stranger.pem", certificate_authority("a stranger").pem());
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::server_refused) << failed;
    EXPECT_THAT(failed.message, HasSubstr(first->uri()));
    EXPECT_THAT(failed.message, HasSubstr("authority that is not trusted here ('test authority')"));
}

} // namespace
} // namespace redlatch::test
