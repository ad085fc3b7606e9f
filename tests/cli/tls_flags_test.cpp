// The flags of the tool for TLS.
#include "support/tls_server.hpp"
#include "tool.hpp"

#include <string>

namespace redlatch::test {
namespace {

struct tls_flags : tool_test {};

TEST_F(tls_flags, name_the_authorities_and_the_certificate) {
    if (!test_server_has_tls()) GTEST_SKIP() << "this server has no TLS";
    tls_server const encrypted({}, {"--tls-auth-clients", "yes"});
    auto const uri = encrypted.uri();
    auto const papers = encrypted.authority().issue({.name = "worker"});
    auto const certificate = encrypted.file("worker.pem", papers.certificate_pem());
    auto const key = encrypted.file("worker.key", papers.key_pem());
    auto const stranger = run({"ping", "--server", uri, "--certificate-file", certificate, "--key-file", key});
    EXPECT_EQ(stranger.status, 69);
    EXPECT_NE(stranger.errors.find("certificate"), std::string::npos) << stranger.errors;
    EXPECT_EQ(run({"ping", "--server", uri, "--ca-file", encrypted.ca_file()}).status, 69);
    auto const done = run({"ping", "--server", uri, "--ca-file", encrypted.ca_file(), "--certificate-file", certificate,
                           "--key-file", key});
    EXPECT_EQ(done.status, 0) << done.errors;
    auto const plain = run({"ping", "--server", server.uri(), "--ca-file", encrypted.ca_file()});
    EXPECT_EQ(plain.status, 64);
    EXPECT_NE(plain.errors.find("it has options for TLS, but the address"), std::string::npos) << plain.errors;
}

} // namespace
} // namespace redlatch::test
