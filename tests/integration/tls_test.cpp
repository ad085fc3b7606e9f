// Locks over TLS, with a real server and certificates made here; and what is said when there is no trust.
#include "integration/fixture.hpp"
#include "io/connector.hpp"
#include "support/both_faces.hpp"
#include "support/tls_server.hpp"

#include <gmock/gmock.h>
#include <thread>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class tls_test : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
    }
    std::string const name = unique_name();

    static config trusting(tls_server const& server) {
        auto settings = quick(server.uri());
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.tls.ca_file = server.ca_file();
        return settings;
    }
    /// What a client's constructor says, at once: nothing of this gets better by trying again.
    static outcome refused(config const& settings) {
        auto const what = outcome_of([&] { client{settings}; });
        EXPECT_THAT(what.message, Not(HasSubstr("attempts)")));
        return what;
    }
};

TEST_F(tls_test, a_lock_is_taken_waited_for_and_released) {
    tls_server server;
    client mine(trusting(server));
    client other(trusting(server));
    auto hold = mine.get_lock(name).acquire();
    EXPECT_EQ(holders(server.server(), name).size(), 1U);
    auto waiting = in_thread([&] { return other.get_lock(name).acquire({.wait = patience}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1 && other.stats().subscriptions == 1; }));
    hold.release();
    waiting.get().release();
    EXPECT_FALSE(server.server().run("EXISTS", name).integer);
    expect_idle(mine);
    expect_idle(other);
}

TEST_F(tls_test, a_name_of_the_certificate_will_do) {
    tls_server const server;
    auto settings = trusting(server);
    settings.address = "valkeys://localhost:" + std::to_string(server.port());
    client mine(settings);
    mine.get_lock(name).acquire().release();
}

TEST_F(tls_test, a_hold_is_renewed) {
    tls_server server;
    auto settings = trusting(server);
    settings.lock_watchdog_timeout = 1500ms;
    client mine(settings);
    auto hold = mine.get_lock(name).acquire();
    ASSERT_TRUE(wait_until([&] { return mine.stats().renewals >= 4; }));
    EXPECT_TRUE(hold);
    EXPECT_GT(pttl(server.server(), name), 0);
    hold.release();
}

TEST_F(tls_test, many_threads_share_a_connection) {
    tls_server const server;
    client mine(trusting(server));
    int count = 0; // guarded by the lock
    std::vector<std::future<void>> all;
    constexpr int threads = 16;
    constexpr int rounds = 40;
    for (int i = 0; i < threads; ++i)
        all.push_back(in_thread([&, i] {
            for (int round = 0; round < rounds; ++round) {
                auto shared = mine.get_lock(name).acquire({.wait = patience});
                ++count;
                shared.release();
                mine.get_lock(name + std::to_string(i)).acquire().release();
            }
        }));
    for (auto& one : all) one.get();
    EXPECT_EQ(count, threads * rounds);
    expect_idle(mine);
}

TEST_F(tls_test, commands_of_several_records) {
    tls_server const server;
    client mine(trusting(server));
    std::vector<std::future<void>> all;
    for (char letter = 'a'; letter < 'i'; ++letter)
        all.push_back(in_thread([&, letter] {
            auto hold = mine.get_lock(std::string(60'000, letter)).acquire();
            EXPECT_TRUE(mine.get_lock(std::string(60'000, letter)).is_locked());
            hold.release();
        }));
    for (auto& one : all) one.get();
    expect_idle(mine);
}

TEST_F(tls_test, a_broken_connection_is_replaced) {
    tls_server server;
    client mine(trusting(server));
    auto hold = mine.get_lock(name).acquire();
    event_log const log(mine);
    for (int i = 0; i < 3; ++i) {
        server.server().run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        mine.get_lock(name + "other").acquire({.wait = patience}).release();
    }
    EXPECT_EQ(hold.status(), hold_status::held);
    hold.release();
}

TEST_F(tls_test, certificates_are_replaced_under_a_client) {
    tls_server server;
    client mine(trusting(server));
    mine.get_lock(name).acquire().release();
    server.replace_certificates();
    server.server().run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    mine.get_lock(name).acquire({.wait = patience}).release();
    EXPECT_TRUE(wait_until([&] { return mine.stats().reconnects >= 1; }));
}

TEST_F(tls_test, a_server_whose_new_certificate_is_not_trusted_is_not_reconnected_to) {
    tls_server server;
    auto settings = trusting(server);
    settings.tls.ca_file = server.file("fixed.pem", server.authority().pem());
    client mine(settings);
    mine.get_lock(name).acquire().release();
    server.replace_certificates();
    server.server().run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    auto const what = outcome_of([&] { mine.get_lock(name).acquire({.wait = 700ms}).release(); });
    EXPECT_EQ(what.reason, errc::disconnected);
    EXPECT_THAT(what.message, HasSubstr("authority that is not trusted here ('renewed authority')"));
    EXPECT_EQ(server.server().run("EXISTS", name).integer, 0);
}

TEST_F(tls_test, sessions_are_resumed) {
    for (std::string const version : {"TLSv1.2", "TLSv1.3"}) {
        tls_server const server({}, {"--tls-protocols", version});
        auto const where = io::resolve_endpoint(trusting(server));
        auto const shared = io::make_tls_client(trusting(server).tls, where.host_or_path);
        std::vector<bool> resumed;
        for (int i = 0; i < 3; ++i) {
            std::string problem;
            io::connector attempt(where, io::resolve(where, true, problem), {}, shared);
            ASSERT_TRUE(io::connect_blocking(attempt, lease_clock::now() + patience)) << attempt.problem();
            resumed.push_back(attempt.take_wire().resumed());
        }
        EXPECT_EQ(resumed, (std::vector<bool>{false, true, true})) << version;
    }
}

TEST_F(tls_test, clients_with_certificates) {
    tls_server const server({}, {"--tls-auth-clients", "yes"});
    auto settings = trusting(server);
    EXPECT_THAT(refused(settings).message, AllOf(HasSubstr("certificate"), HasSubstr("tls.certificate_file")));
    EXPECT_EQ(refused(settings).reason, errc::server_refused);

    auto const papers = server.authority().issue({.name = "worker"});
    settings.tls.certificate_file = server.file("worker.pem", papers.certificate_pem());
    settings.tls.key_file = server.file("worker.key", papers.key_pem("secret"));
    settings.tls.key_password = "secret";
    client{settings}.get_lock(name).acquire().release();

    auto const stranger = certificate_authority("strangers").issue();
    settings.tls.certificate_file = server.file("stranger.pem", stranger.certificate_pem());
    settings.tls.key_file = server.file("stranger.key", stranger.key_pem());
    settings.tls.key_password.clear();
    EXPECT_THAT(refused(settings).message,
                HasSubstr("does not accept our certificate (its authority is unknown there)"));
}

TEST_F(tls_test, another_authority_is_refused_at_once) {
    tls_server const server;
    auto settings = trusting(server);
    settings.tls.ca_file = server.file("other.pem", certificate_authority("another").pem());
    auto const what = refused(settings);
    EXPECT_EQ(what.reason, errc::server_refused);
    EXPECT_THAT(what.message, AllOf(HasSubstr("the server rediss://127.0.0.1:"),
                                    HasSubstr("authority that is not trusted here ('test authority')")));
    settings.tls.verification = tls_verification::none;
    client{settings}.get_lock(name).acquire().release();
}

TEST_F(tls_test, an_expired_certificate_is_refused_at_once) {
    certificate_text text;
    text.valid_from = std::chrono::hours(-48);
    text.valid_to = std::chrono::hours(-24);
    tls_server const server(text);
    auto const what = refused(trusting(server));
    EXPECT_EQ(what.reason, errc::server_refused);
    EXPECT_THAT(what.message, HasSubstr("has expired ('localhost', on 20"));
}

TEST_F(tls_test, another_host_is_refused_at_once) {
    certificate_text text;
    text.alternative_names = "DNS:redis.example";
    tls_server const server(text);
    auto settings = trusting(server);
    auto const what = refused(settings);
    EXPECT_EQ(what.reason, errc::server_refused);
    EXPECT_THAT(what.message, HasSubstr("has a certificate for redis.example, not for '127.0.0.1'"));
    settings.tls.server_name = "redis.example";
    client{settings}.get_lock(name).acquire().release();
    settings.tls.server_name.clear();
    settings.tls.verification = tls_verification::ca_only;
    client{settings}.get_lock(name).acquire().release();
}

TEST_F(tls_test, files_that_cannot_be_read_are_refused_at_once) {
    tls_server const server;
    auto settings = trusting(server);
    settings.tls.ca_file = "/nowhere/ca.pem";
    auto const what = refused(settings);
    EXPECT_EQ(what.reason, errc::bad_config);
    EXPECT_THAT(what.message, HasSubstr("the file of authorities '/nowhere/ca.pem' cannot be read: No such file"));
}

TEST_F(tls_test, a_server_that_is_too_old_is_refused_at_once) {
    tls_server const server({}, {"--tls-protocols", "TLSv1.1", "--tls-ciphers", "ALL:@SECLEVEL=0"});
    auto const what = refused(trusting(server));
    EXPECT_EQ(what.reason, errc::server_refused);
    EXPECT_THAT(what.message, HasSubstr("speaks only versions of TLS that are older"));
}

TEST_F(tls_test, plain_text_to_a_port_for_tls) {
    tls_server const server;
    auto settings = quick("redis://127.0.0.1:" + std::to_string(server.port()));
    settings.retry_attempts = 0;
    EXPECT_THAT(outcome_of([&] { client{settings}; }).message, HasSubstr("rediss://"));
}

TEST_F(tls_test, tls_to_a_server_without) {
    redis_server const server({.over = server_options::transport::tcp});
    auto settings = quick("rediss://127.0.0.1:" + std::to_string(server.address().port));
    settings.connect_timeout = 2s;
    settings.retry_attempts = 0;
    EXPECT_THAT(outcome_of([&] { client{settings}; }).message, HasSubstr("speak TLS on this port"));
}

/// A server that answers the first bytes of a connection with these, and closes it.
std::string says_of(std::string const& answer) {
    endpoint where;
    auto const listener = listen_on(where);
    auto const server = in_thread([&] {
        descriptor const accepted(::accept(listener.get(), nullptr, nullptr));
        char buffer[4096];
        EXPECT_GT(::recv(accepted.get(), buffer, sizeof buffer, 0), 0);
        EXPECT_EQ(::send(accepted.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(answer.size()));
    });
    auto settings = quick("rediss://127.0.0.1:" + std::to_string(where.port));
    settings.retry_attempts = 0;
    settings.connect_timeout = 30s; // the answer ends the handshake
    return outcome_of([&] { client{settings}; }).message;
}

TEST(tls_to_liars, are_told_apart) {
    EXPECT_THAT(says_of("-ERR unknown command\r\n"), HasSubstr("does not speak TLS on this port"));
    EXPECT_THAT(says_of(""), HasSubstr("during the TLS handshake"));
    EXPECT_THAT(says_of(std::string("\x16\x03\x03\x01\x00\x02", 6)),
                HasSubstr("during the TLS handshake")); // half a record
}

TEST(tls_to_liars, a_silent_server_is_given_up_in_time) {
    endpoint where;
    auto const listener = listen_on(where);
    auto settings = quick("rediss://127.0.0.1:" + std::to_string(where.port));
    settings.connect_timeout = 200ms;
    settings.retry_attempts = 0;
    auto const what = outcome_of([&] { client{settings}; });
    EXPECT_EQ(what.reason, errc::disconnected);
    EXPECT_THAT(what.message, HasSubstr("did not answer the TLS handshake in time"));
}

} // namespace
} // namespace redlatch::test
