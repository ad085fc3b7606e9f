// Our end of a TLS connection against OpenSSL's, without a socket.
#include "conversation.hpp"
#include "scripted/refusal.hpp"

#include <gmock/gmock.h>

namespace redlatch::io {
namespace {

using test::certificate_text;
using test::conversation;
using test::tls_peer_server;
using test::tls_world;
using ::testing::AllOf;
using ::testing::HasSubstr;
using progress = tls_session::progress;
using condition = tls_session::condition;

class each_version : public ::testing::TestWithParam<int> {
protected:
    tls_world world;
    tls_peer_server server{world.authority.issue(), {.newest = GetParam(), .oldest = GetParam()}};
    std::shared_ptr<tls_client> client = world.client();
};

TEST_P(each_version, a_handshake_in_one_piece) {
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done) << both.mine().problem();
    both.say("PING\r\n");
    EXPECT_EQ(both.peer().text(), "PING\r\n");
    EXPECT_EQ(both.read(both.peer().say("+PONG\r\n")), "+PONG\r\n");
    EXPECT_EQ(both.then, condition::fine);
}

TEST_P(each_version, every_byte_alone) {
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(1), progress::done) << both.mine().problem();
    auto bytes = both.peer().say("+PONG\r\n");
    bytes += both.peer().say(":1\r\n");
    EXPECT_EQ(both.read(bytes, 1), "+PONG\r\n:1\r\n");
    EXPECT_EQ(both.then, condition::fine);
}

TEST_P(each_version, a_handshake_that_is_cut_off_is_neither_done_nor_failed) {
    std::string hello;
    conversation whole(*client, server);
    whole.mine().shake_hands({}, hello);
    auto const flight = whole.peer().take(hello).size();
    ASSERT_GT(flight, 100U);
    for (std::size_t length = 0; length < flight; length += 7) {
        conversation cut(*client, server);
        std::string first;
        ASSERT_EQ(cut.mine().shake_hands({}, first), progress::more);
        std::string more;
        auto const answer = cut.peer().take(first);
        if (length >= answer.size()) break; // signatures differ in length
        EXPECT_EQ(cut.mine().shake_hands(std::string_view(answer).substr(0, length), more), progress::more) << length;
    }
}

TEST_P(each_version, megabytes_in_both_directions) {
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    std::string big(std::size_t{1} << 20, 'x');
    for (std::size_t i = 0; i < big.size(); i += 97) big[i] = static_cast<char>(i);
    both.say(big);
    EXPECT_TRUE(both.peer().text() == big);
    EXPECT_TRUE(both.read(both.peer().say(big)) == big);
    EXPECT_EQ(both.then, condition::fine);
}

TEST_P(each_version, close_notify_ends_it_behind_what_was_said_before) {
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    auto const last_words = both.peer().say("-ERR bye\r\n");
    EXPECT_EQ(both.read(last_words + both.peer().close()), "-ERR bye\r\n");
    EXPECT_EQ(both.then, condition::ended);
}

TEST_P(each_version, close_notify_within_the_handshake_breaks_it) {
    conversation both(*client, server);
    std::string hello;
    ASSERT_EQ(both.mine().shake_hands({}, hello), progress::more);
    using namespace std::string_view_literals;
    EXPECT_EQ(both.mine().shake_hands("\x15\x03\x03\0\x02\x01\0"sv, hello), progress::failed);
    EXPECT_EQ(both.mine().reason(), errc::disconnected);
    EXPECT_EQ(both.mine().problem(), "broke the TLS connection");
}

TEST_P(each_version, a_changed_byte_breaks_it) {
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    EXPECT_EQ(both.read({}), "");
    auto bytes = both.peer().say("+PONG\r\n");
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    EXPECT_EQ(both.read(bytes), "");
    EXPECT_EQ(both.then, condition::broken);
    EXPECT_EQ(both.mine().reason(), errc::disconnected);
    EXPECT_THAT(both.mine().problem(), HasSubstr("broke the TLS connection"));
}

TEST_P(each_version, a_session_is_resumed_with_a_new_connection) {
    for (bool const expected : {false, true, true}) {
        conversation both(*client, server);
        ASSERT_EQ(both.shake_hands(), progress::done) << both.mine().problem();
        EXPECT_EQ(both.mine().resumed(), expected);
        EXPECT_EQ(both.read(both.peer().say("+OK\r\n")), "+OK\r\n"); // the ticket too
    }
}

TEST_P(each_version, replaced_authorities_are_read_again_and_nothing_is_resumed) {
    {
        conversation both(*client, server);
        ASSERT_EQ(both.shake_hands(), progress::done);
        both.read(both.peer().say("+OK\r\n"));
    }
    world.file("ca.pem", test::certificate_authority("another authority").pem());
    conversation both(*client, server);
    EXPECT_EQ(both.shake_hands(), progress::failed);
    EXPECT_FALSE(both.mine().resumed());
    EXPECT_THAT(both.mine().problem(), HasSubstr("authority that is not trusted here ('test authority')"));
}

TEST_P(each_version, a_session_that_began_with_former_authorities_is_not_resumed) {
    conversation early(*client, server);
    world.file("ca.pem", world.authority.pem() + test::certificate_authority("another authority").pem());
    conversation const late(*client, server); // with those of now
    ASSERT_EQ(early.shake_hands(), progress::done);
    EXPECT_EQ(early.read(early.peer().say("+OK\r\n")), "+OK\r\n"); // and its ticket
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    EXPECT_FALSE(both.mine().resumed());
}

TEST_P(each_version, a_client_shows_its_certificate) {
    auto const papers = world.authority.issue({.name = "client"});
    tls_peer_server const strict(world.authority.issue(),
                                 {.newest = GetParam(), .oldest = GetParam(), .clients_of = world.authority.pem()});
    auto const certificate = world.file("client.pem", papers.certificate_pem());
    for (std::string const password : {"", "secret"}) {
        auto const mutual = world.client({.certificate_file = certificate,
                                          .key_file = world.file("client.key", papers.key_pem(password)),
                                          .key_password = password});
        conversation both(*mutual, strict);
        ASSERT_EQ(both.shake_hands(), progress::done) << both.mine().problem();
        both.say("PING\r\n");
        EXPECT_EQ(both.peer().text(), "PING\r\n");
    }
}

TEST_P(each_version, a_client_without_a_certificate_learns_that_it_needs_one) {
    tls_peer_server const strict(world.authority.issue(),
                                 {.newest = GetParam(), .oldest = GetParam(), .clients_of = world.authority.pem()});
    conversation both(*client, strict);
    if (both.shake_hands() == progress::done) { // 1.3: the server's verdict comes after
        both.read({});
        EXPECT_EQ(both.then, condition::broken);
    }
    EXPECT_EQ(both.mine().reason(), errc::server_refused);
    EXPECT_THAT(both.mine().problem(), HasSubstr("certificate"));
    EXPECT_THAT(both.mine().problem(), HasSubstr("tls.certificate_file"));
}

INSTANTIATE_TEST_SUITE_P(tls, each_version, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](auto const& version) { return version.param == TLS1_2_VERSION ? "tls_1_2" : "tls_1_3"; });

// --- who is trusted

std::string refusal(tls_world const& world, tls_peer_server const& server, std::string const& host = "localhost",
                    tls_options const& options = {}) {
    auto const client = world.client(options, host);
    conversation both(*client, server);
    if (both.shake_hands() != progress::failed) return "accepted";
    EXPECT_EQ(both.mine().reason(), errc::server_refused);
    return both.mine().problem();
}

TEST(tls_trust, another_authority) {
    tls_world const world;
    tls_peer_server const server(test::certificate_authority("somebody else").issue());
    EXPECT_THAT(refusal(world, server),
                AllOf(HasSubstr("authority that is not trusted here ('somebody else')"), HasSubstr("tls.ca_file")));
    EXPECT_THAT(refusal(world, server, "localhost", {.verification = tls_verification::ca_only}),
                HasSubstr("not trusted here"));
    EXPECT_EQ(refusal(world, server, "localhost", {.verification = tls_verification::none}), "accepted");
}

TEST(tls_trust, the_systems_authorities_do_not_know_ours) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue());
    auto const client = make_tls_client({}, "localhost");
    conversation both(*client, server);
    EXPECT_EQ(both.shake_hands(), progress::failed);
    EXPECT_THAT(both.mine().problem(), HasSubstr("authority that is not trusted here ('test authority')"));
}

TEST(tls_trust, an_expired_certificate) {
    using namespace std::chrono_literals;
    tls_world const world;
    certificate_text text;
    text.valid_from = -48h;
    text.valid_to = -24h;
    EXPECT_THAT(refusal(world, tls_peer_server(world.authority.issue(text))),
                AllOf(HasSubstr("has expired ('localhost', on 20"), HasSubstr("UTC")));
}

TEST(tls_trust, a_certificate_of_tomorrow) {
    using namespace std::chrono_literals;
    tls_world const world;
    certificate_text text;
    text.valid_from = 24h;
    text.valid_to = 48h;
    EXPECT_THAT(refusal(world, tls_peer_server(world.authority.issue(text))), HasSubstr("is not valid yet"));
}

TEST(tls_trust, the_names_of_a_certificate) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue(
        {.name = "a", .alternative_names = "DNS:a.example,DNS:*.b.example,IP:10.0.0.1,IP:fe80::1"}));
    EXPECT_EQ(refusal(world, server, "a.example"), "accepted");
    EXPECT_EQ(refusal(world, server, "a.example."), "accepted");
    EXPECT_EQ(refusal(world, server, "x.b.example"), "accepted");
    EXPECT_EQ(refusal(world, server, "10.0.0.1"), "accepted");
    EXPECT_EQ(refusal(world, server, "fe80::1%eth0"), "accepted");
    for (auto const* const other : {"b.example", "x.y.b.example", "a", "localhost", "10.0.0.2", "::1"})
        EXPECT_THAT(refusal(world, server, other),
                    HasSubstr("has a certificate for a.example, *.b.example, 10.0.0.1, fe80::1, not for '"
                              + std::string(other) + "'"));
    EXPECT_EQ(refusal(world, server, "localhost", {.server_name = "a.example"}), "accepted");
    EXPECT_EQ(refusal(world, server, "localhost", {.verification = tls_verification::ca_only}), "accepted");
}

TEST(tls_trust, a_wildcard_stands_for_a_whole_label) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue({.name = "a", .alternative_names = "DNS:x*.b.example"}));
    for (auto const* const other : {"xy.b.example", "x.b.example"})
        EXPECT_THAT(refusal(world, server, other), HasSubstr("has a certificate for x*.b.example, not for"));
}

TEST(tls_trust, the_server_is_told_the_name) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue());
    auto const client = world.client();
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    EXPECT_STREQ(SSL_get_servername(both.peer().raw(), TLSEXT_NAMETYPE_host_name), "localhost");
    auto const by_address = world.client({}, "127.0.0.1");
    conversation other(*by_address, server);
    ASSERT_EQ(other.shake_hands(), progress::done);
    EXPECT_EQ(SSL_get_servername(other.peer().raw(), TLSEXT_NAMETYPE_host_name), nullptr);
}

TEST(tls_trust, old_versions_are_refused) {
    tls_world const world;
    tls_peer_server const old(world.authority.issue(),
                              {.newest = TLS1_1_VERSION, .oldest = TLS1_VERSION, .ciphers = "ALL:@SECLEVEL=0"});
    EXPECT_THAT(refusal(world, old), HasSubstr("only versions of TLS that are older"));
    tls_peer_server const middle(world.authority.issue(), {.newest = TLS1_2_VERSION});
    EXPECT_THAT(refusal(world, middle, "localhost", {.minimum_version = tls_version::tls_1_3}),
                HasSubstr("only versions of TLS that are older"));
}

/// By the name that OpenSSL has for it.
std::string cipher_of(tls_world const& world, tls_peer_server const& server, std::vector<std::string> ciphers) {
    auto const client = world.client({.ciphers = std::move(ciphers)});
    conversation both(*client, server);
    return both.shake_hands() == progress::done ? SSL_get_cipher_name(both.peer().raw()) : "none";
}

TEST(tls_trust, ciphers_are_those_that_are_named) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue());
    std::string const newest = "TLS_CHACHA20_POLY1305_SHA256";
    EXPECT_EQ(cipher_of(world, server, {newest}), newest);
    EXPECT_EQ(cipher_of(world, server, {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", newest}), newest);
    tls_peer_server const older(world.authority.issue(), {.newest = TLS1_2_VERSION});
    for (std::string const name : {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"}) {
        EXPECT_EQ(cipher_of(world, server, {name}), "ECDHE-ECDSA-AES128-GCM-SHA256") << "TLS 1.3 is not spoken";
        EXPECT_EQ(cipher_of(world, older, {name, newest}), "ECDHE-ECDSA-AES128-GCM-SHA256");
    }
    EXPECT_EQ(cipher_of(world, older, {newest}), "none") << "TLS 1.2 is not spoken";
}

TEST(tls_trust, ciphers_that_do_not_exist_are_refused) {
    tls_world const world;
    for (std::string const name : {"TLS_NO_SUCH", "TLS_RSA_WITH_NOTHING", "nonsense", "HIGH:LOW"}) {
        auto const client = world.client({.ciphers = {name}});
        EXPECT_THAT(test::refusal([&] { client->begin(); }), HasSubstr("no cipher '" + name + "'")) << name;
    }
    auto const none_of_the_newest =
        world.client({.minimum_version = tls_version::tls_1_3, .ciphers = {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}});
    EXPECT_THAT(test::refusal([&] { none_of_the_newest->begin(); }),
                HasSubstr("none of the ciphers is one of TLS 1.3"));
}

TEST(tls_trust, a_server_without_tls) {
    tls_world const world;
    for (std::string const answer :
         {"-ERR unknown command\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n+OK\r\n"}) {
        auto const session = world.client()->begin();
        std::string out;
        ASSERT_EQ(session->shake_hands({}, out), progress::more);
        EXPECT_EQ(session->shake_hands(answer, out), progress::failed);
        EXPECT_EQ(session->reason(), errc::bad_reply);
        EXPECT_THAT(session->problem(), HasSubstr("does not speak TLS on this port"));
    }
}

TEST(tls_trust, renegotiation_is_refused) {
    tls_world const world;
    tls_peer_server const server(world.authority.issue(), {.newest = TLS1_2_VERSION});
    auto const client = world.client();
    conversation both(*client, server);
    ASSERT_EQ(both.shake_hands(), progress::done);
    both.read({});
    SSL_renegotiate(both.peer().raw());
    SSL_do_handshake(both.peer().raw());
    EXPECT_EQ(both.read(both.peer().take({})), "");
    std::string answer;
    both.mine().encrypt("PING\r\n", answer);
    both.peer().take(answer);
    EXPECT_TRUE(both.peer().failed()); // it was told no
    EXPECT_EQ(SSL_num_renegotiations(both.peer().raw()), 1);
    EXPECT_EQ(both.peer().text(), "");
}

} // namespace
} // namespace redlatch::io
