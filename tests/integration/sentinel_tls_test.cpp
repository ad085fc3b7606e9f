// A Sentinel and its master that speak TLS only.
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
        auto const papers = master_->authority().issue();
        std::ofstream file(folder_.path() / "sentinel.conf");
        file << "port 0\ntls-port " << port_.number() << "\nbind 127.0.0.1\ndir " << folder_.path().string()
             << "\ntls-replication yes\ntls-auth-clients no\ntls-ca-cert-file " << master_->ca_file()
             << "\ntls-cert-file " << master_->file("sentinel.pem", papers.certificate_pem()) << "\ntls-key-file "
             << master_->file("sentinel.key", papers.key_pem()) << "\nsentinel monitor orders 127.0.0.1 "
             << master_->port() << " 1\n";
        file.close();
        char const* const named = std::getenv("REDLATCH_TEST_SERVER");
        std::string const program = named != nullptr && *named != '\0' ? named : "redis-server";
        sentinel_ = std::make_unique<child_process>(
            child_options{.arguments = {program, (folder_.path() / "sentinel.conf").string(), "--sentinel"},
                          .output_file = folder_.path() / "sentinel.log"});
        settings = quick("rediss-sentinel://127.0.0.1:" + std::to_string(port_.number()) + "#orders");
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.retry_attempts = 100; // until the Sentinel has started
        settings.tls.ca_file = master_->ca_file();
    }

    std::string const name = unique_name();
    config settings;
    tls_server& master() { return *master_; }

private:
    temporary_folder folder_;
    reserved_port port_;
    std::unique_ptr<tls_server> master_;
    std::unique_ptr<child_process> sentinel_;
};

TEST_F(sentinel_tls_test, the_master_is_found_and_used_with_the_certificates_of_both) {
    client user(settings);
    hold const mine = user.get_lock(name).acquire();
    EXPECT_EQ(holders(master().server(), name).size(), 1U);
}

TEST_F(sentinel_tls_test, a_sentinel_that_is_not_trusted_is_an_error_that_names_it) {
    { client const started(settings); }
    settings.retry_attempts = 0;
    settings.tls.ca_file = master().file("stranger.pem", certificate_authority("a stranger").pem());
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, HasSubstr("the Sentinel rediss://127.0.0.1:"));
}

} // namespace
} // namespace redlatch::test
