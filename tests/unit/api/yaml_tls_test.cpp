// The keys for TLS of a YAML document.
#include "io/tls/setting_names.hpp"
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>
#include <redlatch/log.hpp>

#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

tls_options of(std::string const& in_server, std::string const& at_top = {}) {
    return config::from_yaml(at_top + "\nsingleServerConfig:\n  address: rediss://host:1\n" + in_server).tls;
}

std::string refusal_of(std::string const& in_server, std::string const& at_top = {}) {
    return test::refusal([&] { of(in_server, at_top); });
}

TEST(yaml_tls, stores_of_redisson) {
    tls_options const expected{.ca_file = "/etc/trust.p12",
                               .ca_password = "changeit",
                               .certificate_file = "/etc/own store.p12",
                               .key_password = "secret"};
    EXPECT_EQ(
        of("  sslTruststore: file:/etc/trust.p12\n  sslTruststorePassword: changeit\n"
           "  sslKeystore: file:///etc/own%20store.p12\n  sslKeystorePassword: secret\n  sslKeystoreType: PKCS12"),
        expected);
    EXPECT_EQ(of("", "sslTruststore: /etc/trust.p12\nsslTruststorePassword: changeit\nsslKeystore: /etc/own store.p12\n"
                     "sslKeystorePassword: secret"),
              expected);
    EXPECT_THAT(refusal_of("  sslTruststore: classpath:trust.p12"), HasSubstr("line 4: sslTruststore: needs a file"));
    EXPECT_THAT(refusal_of("  sslKeystore: https://host/own.p12"), HasSubstr("line 4: sslKeystore: needs a file"));
    EXPECT_THAT(refusal_of("  sslKeystorePassword: secret"),
                HasSubstr("line 4: sslKeystorePassword needs sslKeystore"));
    EXPECT_THAT(refusal_of("  sslKeystoreType: JKS"), HasSubstr("must be PKCS12 or PEM"));
}

TEST(yaml_tls, files_in_pem) {
    EXPECT_EQ(of("  tlsCaFile: /ca.pem\n  tlsCaFolder: /ca\n  tlsCertificateFile: /own.pem\n  tlsKeyFile: /own.key\n"
                 "  tlsKeyPassword: secret\n  tlsServerName: redis.example"),
              (tls_options{.ca_file = "/ca.pem",
                           .ca_folder = "/ca",
                           .certificate_file = "/own.pem",
                           .key_file = "/own.key",
                           .key_password = "secret",
                           .server_name = "redis.example"}));
}

TEST(yaml_tls, has_the_keys_that_messages_tell_people_to_set) {
    namespace setting = io::tls_setting;
    for (auto const named : {setting::ca_file, setting::ca_folder, setting::certificate_file, setting::key_file,
                             setting::key_password, setting::minimum_version, setting::server_name, setting::ciphers}) {
        constexpr std::string_view before = "(in YAML ";
        auto const begins = named.find(before);
        ASSERT_NE(begins, std::string_view::npos) << named;
        std::string const key(named.substr(begins + before.size(), named.size() - begins - before.size() - 1));
        EXPECT_THAT(refusal_of("  " + key + ": TLSv1.2\n  nothing: 1"),
                    AllOf(HasSubstr("nothing"), Not(HasSubstr(key + ":"))));
    }
}

TEST(yaml_tls, of_sentinels_where_it_is_not_that_of_the_servers) {
    std::string const servers = "sentinelServersConfig: {masterName: m, sentinelAddresses: ['rediss://a:1']}\n";
    auto const settings = config::from_yaml(
        servers
        + "redlatch: {serversUseTls: false, sentinelTlsCaFile: /ca.pem, sentinelTlsCaFolder: /ca, "
          "sentinelTlsCertificateFile: /own.pem, sentinelTlsKeyFile: 'file:/own.key', sentinelTlsKeyPassword: secret, "
          "sentinelTlsServerName: watch, sentinelTlsVerification: CA_ONLY}");
    EXPECT_EQ(settings.topology.servers_use_tls, false);
    EXPECT_EQ(settings.tls, tls_options());
    EXPECT_EQ(settings.topology.sentinel_tls, (tls_options{.ca_file = "/ca.pem",
                                                           .ca_folder = "/ca",
                                                           .certificate_file = "/own.pem",
                                                           .key_file = "/own.key",
                                                           .key_password = "secret",
                                                           .server_name = "watch",
                                                           .verification = tls_verification::ca_only}));
    EXPECT_EQ(config::from_yaml(servers).topology.sentinel_tls, std::nullopt);
    EXPECT_THAT(test::refusal([&] { config::from_yaml(servers + "redlatch: {sentinelTlsKeyFile: /own.key}"); }),
                HasSubstr("sentinelTlsCertificateFile"));
    EXPECT_THAT(test::refusal([&] { config::from_yaml(servers + "redlatch: {sentinelTlsVerification: SOME}"); }),
                HasSubstr("must be STRICT, CA_ONLY or NONE"));
}

TEST(yaml_tls, verification) {
    EXPECT_EQ(of("").verification, tls_verification::strict);
    EXPECT_EQ(of("  sslVerificationMode: STRICT").verification, tls_verification::strict);
    EXPECT_EQ(of("  sslVerificationMode: CA_ONLY").verification, tls_verification::ca_only);
    EXPECT_EQ(of("  sslVerificationMode: NONE").verification, tls_verification::none);
    EXPECT_EQ(of("  sslEnableEndpointIdentification: true").verification, tls_verification::strict);
    EXPECT_EQ(of("  sslEnableEndpointIdentification: false").verification, tls_verification::ca_only);
    EXPECT_EQ(of("  sslVerificationMode: STRICT\n  sslEnableEndpointIdentification: false").verification,
              tls_verification::strict);
    EXPECT_THAT(refusal_of("  sslVerificationMode: SOME"), HasSubstr("must be STRICT, CA_ONLY or NONE"));
    EXPECT_THAT(refusal_of("  sslEnableEndpointIdentification: perhaps"), HasSubstr("must be true or false"));
}

TEST(yaml_tls, versions) {
    EXPECT_EQ(of("  sslProtocols: [TLSv1.1, TLSv1.2, TLSv1.3]").minimum_version, tls_version::tls_1_2);
    EXPECT_EQ(of("  sslProtocols: [TLSv1.3]").minimum_version, tls_version::tls_1_3);
    EXPECT_EQ(of("  sslProtocols: TLSv1.3").minimum_version, tls_version::tls_1_3);
    EXPECT_THAT(refusal_of("  sslProtocols: [TLSv1, TLSv1.1]"), HasSubstr("must have TLSv1.2 or TLSv1.3"));
}

TEST(yaml_tls, ciphers) {
    std::vector<std::string> const named{"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"};
    EXPECT_EQ(of("  sslCiphers: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]").ciphers, named);
    EXPECT_TRUE(of("  sslCiphers: null").ciphers.empty());
    EXPECT_THAT(refusal_of("  sslCiphers: TLS_AES_128_GCM_SHA256"), HasSubstr("must be a list of ciphers"));
    EXPECT_THAT(refusal_of("  sslCiphers: [[x]]"), HasSubstr("must be a list of ciphers"));
    EXPECT_THAT(refusal_of("  sslCiphers: ['']"), HasSubstr("has an empty name"));
}

TEST(yaml_tls, what_cannot_be_honoured_is_an_error_where_tls_is_used) {
    for (std::string const key : {"sslTrustManagerFactory: !<x.Y> {}", "sslKeyManagerFactory: !<x.Y> {}"}) {
        EXPECT_THAT(refusal_of("  " + key), HasSubstr("cannot be honoured")) << key;
        EXPECT_THAT(refusal_of("", key), HasSubstr("cannot be honoured")) << key;
        EXPECT_NO_THROW(config::from_yaml("singleServerConfig:\n  address: redis://host\n  " + key)) << key;
    }
    EXPECT_NO_THROW(of("  sslProvider: OPENSSL\n  sslKeyManagerFactory: null"));
}

TEST(yaml_tls, options_need_an_address_with_tls) {
    EXPECT_THAT(
        test::refusal([] { config::from_yaml("singleServerConfig: {address: 'redis://h', tlsCaFile: /ca.pem}"); }),
        HasSubstr("does not use it; write rediss://"));
    EXPECT_NO_THROW(config::from_yaml("singleServerConfig: {address: 'redis://h', sslVerificationMode: STRICT}"));
}

/// Redisson takes no notice of its own, and such files are used; whoever reads the log is told.
TEST(yaml_tls, options_of_redisson_have_no_effect_without_it) {
    std::vector<std::string> warnings;
    set_log_sink([&](log_level, std::string_view line) { warnings.emplace_back(line); }, log_level::warning);
    constexpr char const* stores = "sslTruststore: /t.p12, sslTruststorePassword: x, sslProtocols: [TLSv1.3]";
    for (std::string const section :
         {"singleServerConfig: {address: 'redis://h', ", "clusterServersConfig: {nodeAddresses: ['redis://h:1'], ",
          "sentinelServersConfig: {masterName: m, sentinelAddresses: 'redis://h:1', "}) {
        warnings.clear();
        EXPECT_EQ(config::from_yaml(section + stores + "}").tls, tls_options{}) << section;
        EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("line 1: sslTruststore"), HasSubstr("no effect"))))
            << section;
    }
    EXPECT_EQ(config::from_yaml("sslKeystorePassword: x\nsingleServerConfig: {address: 'redis://h'}").tls,
              tls_options{});
    set_log_sink({});
    std::string const sentinels = "sentinelServersConfig: {masterName: m, sentinelAddresses: 'redis://h:1', ";
    EXPECT_EQ(config::from_yaml(sentinels + stores + "}\nredlatch: {serversUseTls: true}").tls.ca_file, "/t.p12");
    EXPECT_EQ(config::from_yaml(sentinels + stores + "}\nredlatch: {serversUseTls: false}").tls, tls_options{});
    for (std::string const scheme : {"rediss-cluster", "valkeys-cluster", "REDISS"})
        EXPECT_EQ(config::from_yaml("singleServerConfig: {address: '" + scheme + "://h', " + stores + "}").tls.ca_file,
                  "/t.p12")
            << scheme;
}

} // namespace
} // namespace redlatch
