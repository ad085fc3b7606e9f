// The files of TLS, and what is said when they cannot be used.
#include "conversation.hpp"
#include "io/tls/openssl_library.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

using test::conversation;
using test::tls_peer_server;
using test::tls_world;
using ::testing::AllOf;
using ::testing::HasSubstr;
using progress = tls_session::progress;

class tls_files : public ::testing::Test {
protected:
    tls_world world;
    test::identity_papers papers = world.authority.issue({.name = "client"});
    std::string certificate = world.file("client.pem", papers.certificate_pem());
    std::string key = world.file("client.key", papers.key_pem());

    std::string problem(tls_options const& options) {
        try {
            world.client(options)->begin();
        } catch (error const& refused) {
            EXPECT_EQ(refused.reason(), errc::bad_config);
            return refused.what();
        }
        return "usable";
    }
    progress against_server(tls_options const& options, std::string const& clients_of = {}) {
        tls_peer_server const server(world.authority.issue(), {.clients_of = clients_of});
        auto const client = io::make_tls_client(options, "localhost");
        conversation both(*client, server);
        auto const result = both.shake_hands();
        if (result == progress::done) both.read({});
        return both.then == tls_session::condition::fine ? result : progress::failed;
    }
};

TEST_F(tls_files, that_are_not_there) {
    auto const missing = (world.folder.path() / "missing").string();
    EXPECT_THAT(
        problem({.ca_file = missing}),
        AllOf(HasSubstr("the file of authorities '" + missing + "' cannot be read: "), HasSubstr("No such file")));
    EXPECT_THAT(problem({.ca_folder = missing}),
                HasSubstr("the folder of authorities '" + missing + "' cannot be read: "));
    EXPECT_THAT(problem({.certificate_file = missing}), HasSubstr("the certificate file '" + missing + "'"));
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = missing}),
                HasSubstr("the key file '" + missing + "'"));
}

TEST_F(tls_files, a_key_whose_rights_were_revoked) {
    ASSERT_EQ(::chmod(key.c_str(), 0), 0);
    bool const root = ::geteuid() == 0; // who may read everything
    if (root) {
        ASSERT_EQ(::chmod(world.folder.path().c_str(), 0755), 0);
        ASSERT_EQ(::seteuid(65534), 0);
    }
    auto const text = problem({.certificate_file = certificate, .key_file = key});
    if (root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    EXPECT_THAT(text, AllOf(HasSubstr("the key file '" + key + "' cannot be read: "), HasSubstr("Permission denied")));
}

TEST_F(tls_files, that_are_something_else) {
    auto const garbage = world.file("garbage", "no certificate\n");
    auto const der = world.file("der", std::string("\x30\x82\x01\x01", 4) + std::string(300, 'x'));
    auto const java = world.file("store.jks", std::string("\xfe\xed\xfe\xed\x00\x00\x00\x02", 8));
    EXPECT_THAT(problem({.ca_file = garbage}), HasSubstr("has no certificate in PEM or PKCS#12"));
    EXPECT_THAT(problem({.ca_file = der}), HasSubstr("is neither PEM nor PKCS#12"));
    EXPECT_THAT(problem({.ca_file = java}), AllOf(HasSubstr("is a Java keystore"), HasSubstr("-deststoretype PKCS12")));
    EXPECT_THAT(problem({.ca_file = world.folder.path().string()}), HasSubstr("it is not a regular file"));
    auto const endless = world.file("endless", "");
    ASSERT_EQ(::truncate(endless.c_str(), (16 << 20) + 1), 0);
    EXPECT_THAT(problem({.ca_file = endless}), HasSubstr("it is larger than 16 MiB"));
    EXPECT_THAT(problem({.certificate_file = garbage}), HasSubstr("has no certificate that can be used"));
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = garbage}),
                HasSubstr("has no private key in PEM"));
    EXPECT_THAT(problem({.certificate_file = certificate}), HasSubstr("has no private key in PEM"));
}

TEST_F(tls_files, that_are_refused_leave_no_error_to_whoever_uses_openssl_in_this_thread) {
    auto const text = world.file("text.pem", "no key");
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = text}), HasSubstr("no private key"));
    EXPECT_EQ(openssl().ERR_get_error(), 0UL);
}

TEST_F(tls_files, a_key_of_somebody_else) {
    auto const other = world.file("other.key", world.authority.issue().key_pem());
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = other}),
                HasSubstr("has another key than the one of the certificate in '" + certificate + "'"));
}

TEST_F(tls_files, a_key_with_a_password) {
    auto const locked = world.file("locked.key", papers.key_pem("secret"));
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = locked}), HasSubstr("its password is missing"));
    EXPECT_THAT(problem({.certificate_file = certificate, .key_file = locked, .key_password = "guess"}),
                HasSubstr("its password is wrong"));
    EXPECT_EQ(problem({.certificate_file = certificate, .key_file = locked, .key_password = "secret"}), "usable");
}

TEST_F(tls_files, certificate_and_key_in_one_file) {
    auto const both = world.file("both.pem", papers.certificate_pem() + papers.key_pem());
    EXPECT_EQ(against_server({.ca_file = world.ca_file, .certificate_file = both}, world.authority.pem()),
              progress::done);
}

TEST_F(tls_files, pkcs12) {
    auto const own = world.file("own.p12", papers.pkcs12("secret"));
    auto const trusted = world.file("trusted.p12", world.authority.pkcs12("changeit"));
    EXPECT_EQ(against_server(
                  {.ca_file = trusted, .ca_password = "changeit", .certificate_file = own, .key_password = "secret"},
                  world.authority.pem()),
              progress::done);
    EXPECT_THAT(problem({.ca_file = trusted, .ca_password = "guess"}),
                AllOf(HasSubstr("its password is missing or wrong"), HasSubstr("openssl pkcs12 -legacy")));
    EXPECT_THAT(problem({.certificate_file = own}), HasSubstr("its password is missing or wrong"));
}

TEST_F(tls_files, several_authorities_in_one_file) {
    auto const all = world.file("all.pem", test::certificate_authority("another").pem() + world.authority.pem());
    EXPECT_EQ(against_server({.ca_file = all}), progress::done);
}

TEST_F(tls_files, a_folder_of_authorities) {
    std::filesystem::create_directory(world.folder.path() / "folder");
    auto const folder = (world.folder.path() / "folder").string();
    EXPECT_EQ(against_server({.ca_folder = folder}), progress::failed);
    world.file("folder/ca.pem", world.authority.pem());
    ASSERT_EQ(std::system(("openssl rehash " + folder).c_str()), 0);
    EXPECT_EQ(against_server({.ca_folder = folder}), progress::done);
}

TEST_F(tls_files, a_replaced_certificate_is_shown_by_the_next_connection) {
    auto const client = world.client({.certificate_file = certificate, .key_file = key});
    tls_peer_server const server(world.authority.issue(), {.clients_of = world.authority.pem()});
    auto const shown = [&] {
        conversation both(*client, server);
        EXPECT_EQ(both.shake_hands(), progress::done) << both.mine().problem();
        both.read({});
        test::certificate const seen(SSL_get1_peer_certificate(both.peer().raw()));
        char name[64] = "";
        X509_NAME_get_text_by_NID(X509_get_subject_name(seen.get()), NID_commonName, name, sizeof name);
        return std::string(name);
    };
    EXPECT_EQ(shown(), "client");
    auto const renewed = world.authority.issue({.name = "renewed"});
    world.file("client.key", renewed.key_pem());
    world.file("client.pem", renewed.certificate_pem());
    EXPECT_EQ(shown(), "renewed");
}

} // namespace
} // namespace redlatch::io
