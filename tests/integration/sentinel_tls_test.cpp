// Sentinels and their master with TLS: both, one of the two, each with an authority of its own.
#include "integration/fixture.hpp"
#include "support/child_process.hpp"
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
    void start_sentinel(std::uint16_t watched, bool with_tls, certificate_authority const* authority) {
        auto const papers = (authority != nullptr ? *authority : master().authority()).issue();
        std::ofstream file(folder_.path() / "sentinel.conf");
        file << (authority != nullptr ? "port 0\ntls-port " : "tls-port 0\nport ") << port_.number()
             << "\nbind 127.0.0.1\ndir " << folder_.path().string() << "\ntls-replication " << (with_tls ? "yes" : "no")
             << "\ntls-auth-clients no\ntls-ca-cert-file " << master().ca_file() << "\ntls-cert-file "
             << master().file("sentinel.pem", papers.certificate_pem()) << "\ntls-key-file "
             << master().file("sentinel.key", papers.key_pem()) << "\nsentinel monitor orders 127.0.0.1 " << watched
             << " 1\n";
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
