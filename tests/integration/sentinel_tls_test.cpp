// Sentinels and their master with TLS: both, one of the two, each with an authority of its own; a failover.
#include "integration/fixture.hpp"
#include "support/child_process.hpp"
#include "support/sentinel_set.hpp"
#include "support/tls_server.hpp"

#include <fstream>
#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

class sentinel_tls_test : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
        master_ = std::make_unique<tls_server>();
    }
    tls_server& master() { return *master_; }

    /// Watches `watched`, a port, and reaches it with TLS or without. Who connects to it trusts `authority`; null: plain text.
    /// `more`: further lines of its configuration.
    void start_sentinel(std::uint16_t watched, bool with_tls, certificate_authority const* authority,
                        std::string const& more = {}) {
        auto const papers = (authority != nullptr ? *authority : master().authority()).issue();
        std::ofstream file(folder_.path() / "sentinel.conf");
        file << (authority != nullptr ? "port 0\ntls-port " : "tls-port 0\nport ") << port_.number()
             << "\nbind 127.0.0.1\ndir " << folder_.path().string() << "\ntls-replication " << (with_tls ? "yes" : "no")
             << "\ntls-auth-clients no\ntls-ca-cert-file " << master().ca_file() << "\ntls-cert-file "
             << master().file("sentinel.pem", papers.certificate_pem()) << "\ntls-key-file "
             << master().file("sentinel.key", papers.key_pem()) << "\nsentinel monitor orders 127.0.0.1 " << watched
             << " 1\n"
             << more;
        file.close();
        char const* const named = std::getenv("REDLATCH_TEST_SERVER");
        std::string const program = named != nullptr && *named != '\0' ? named : "redis-server";
        sentinel_ = std::make_unique<child_process>(
            child_options{.arguments = {program, (folder_.path() / "sentinel.conf").string(), "--sentinel"},
                          .output_file = folder_.path() / "sentinel.log"});
        auto const scheme = authority != nullptr ? "rediss-sentinel" : "redis-sentinel";
        settings = quick(std::string(scheme) + "://127.0.0.1:" + std::to_string(port_.number()) + "#orders");
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.retry_attempts = 100; // until the Sentinel has started
    }
    void start_with_one_authority() {
        start_sentinel(master().port(), true, &master().authority());
        settings.tls.ca_file = master().ca_file();
    }
    /// Of the master that is watched, to this replica.
    void fail_over_to(tls_server const& replica) const {
        endpoint sentinel;
        sentinel.path = sentinel_socket();
        auto const ask = [&](char const* question) {
            return raw_client(sentinel).command("SENTINEL", question, "orders");
        };
        auto const begun = [&] { // it refuses until it has read what the replica says of itself
            auto const reply = ask("FAILOVER");
            return !reply.is_error() || reply.is_error_named("INPROG");
        };
        ASSERT_TRUE(wait_until(begun, sentinel_set::longest_failover)) << ask("FAILOVER").text;
        auto const done = [&] {
            auto const address = ask("GET-MASTER-ADDR-BY-NAME");
            return address.items.size() == 2 && address.items[1].text == std::to_string(replica.port());
        };
        ASSERT_TRUE(wait_until(done, sentinel_set::longest_failover));
    }
    bool is_waited_for(redis_server const& server) const {
        auto const reply = server.run("PUBSUB", "NUMSUB", channel_of(name));
        return reply.items.size() == 2 && reply.items[1].integer > 0;
    }
    /// Where it takes commands of the test.
    std::string sentinel_socket() const { return (folder_.path() / "sentinel.sock").string(); }

    void expect_held_on(redis_server& server) {
        client user(settings);
        hold const mine = user.get_lock(name).acquire();
        EXPECT_EQ(holders(server, name).size(), 1U);
    }

    std::string const name = unique_name();
    config settings;

private:
    temporary_folder folder_;
    reserved_port port_;
    std::unique_ptr<tls_server> master_;
    std::unique_ptr<child_process> sentinel_;
};

TEST_F(sentinel_tls_test, the_master_is_found_and_used_with_the_certificates_of_both) {
    start_with_one_authority();
    expect_held_on(master().server());
}

TEST_F(sentinel_tls_test, a_sentinel_that_is_not_trusted_is_an_error_that_names_it) {
    start_with_one_authority();
    { client const started(settings); }
    settings.retry_attempts = 0;
    settings.tls.ca_file = master().file("stranger.pem", certificate_authority("a stranger").pem());
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, HasSubstr("the Sentinel rediss://127.0.0.1:"));
}

TEST_F(sentinel_tls_test, a_master_with_tls_is_found_by_a_sentinel_without) {
    start_sentinel(master().port(), true, nullptr);
    settings.topology.servers_use_tls = true;
    settings.tls.ca_file = master().ca_file();
    expect_held_on(master().server());
}

TEST_F(sentinel_tls_test, a_master_without_tls_is_found_by_a_sentinel_with_it) {
    redis_server plain({.over = server_options::transport::tcp});
    start_sentinel(plain.address().port, false, &master().authority());
    settings.topology.servers_use_tls = false;
    settings.tls.ca_file = master().ca_file(); // that of the Sentinels, who have no other
    expect_held_on(plain);
}

TEST_F(sentinel_tls_test, a_hold_and_a_waiter_survive_a_failover) {
    auto const replica = master().start_replica();
    start_sentinel(master().port(), true, &master().authority(),
                   "unixsocket " + sentinel_socket() + "\nsentinel failover-timeout orders 5000\n"
                       + "sentinel known-replica orders 127.0.0.1 " + std::to_string(replica->port()) + "\n");
    settings.tls.ca_file = master().ca_file();
    client other(settings);
    settings.watched_holds = 0;                                          // who listens is the waiter
    settings.lock_watchdog_timeout = 2 * sentinel_set::longest_failover; // nobody renews before there is another master
    client user(settings);
    event_log const events(user);
    hold mine = user.get_lock(name).acquire();
    auto waiter =
        in_thread([&] { other.get_lock(name).acquire({.wait = 2 * sentinel_set::longest_failover}).release(); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(master().server()); }));
    ASSERT_TRUE(wait_until([&] { return master().server().has_replicated(); }));
    renewal_watch const lease(master().server(), name);
    fail_over_to(*replica);
    ASSERT_TRUE(wait_until([&] { return is_waited_for(replica->server()); }, sentinel_set::longest_failover));
    EXPECT_TRUE(wait_until([&] { return lease.is_renewed_on(replica->server()); }))
        << "it is not renewed on the new master";
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(holders(replica->server(), name).count(mine.owner_id()), 1U);
    EXPECT_FALSE(is_ready(waiter));
    mine.release();
    waiter.get();
    EXPECT_EQ(replica->server().run("EXISTS", name).integer, 0);
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
}

TEST_F(sentinel_tls_test, sentinels_may_have_another_authority_than_the_servers) {
    certificate_authority const other("the authority of Sentinels");
    start_sentinel(master().port(), true, &other);
    settings.tls.ca_file = master().ca_file();
    settings.topology.sentinel_tls = tls_options{.ca_file = master().file("other.pem", other.pem())};
    expect_held_on(master().server());
    settings.retry_attempts = 0;
    settings.topology.sentinel_tls.reset();
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, HasSubstr("the Sentinel rediss://127.0.0.1:"));
}

} // namespace
} // namespace redlatch::test
