#include "io/server_uri.hpp"
#include "io/uri_text.hpp"
#include "scripted/refusal.hpp"

#include <gmock/gmock.h>
#include <ostream>
#include <string>

namespace redlatch::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of(std::string const& uri) {
    return test::refusal([&] { parse_server_uri(uri); });
}

struct accepted {
    std::string uri;
    server_uri::kind type;
    std::string host_or_path;
    int port = 0;
    std::optional<std::string> username{};
    std::optional<std::string> password{};
    std::optional<int> database{};
    bool tls = false;

    friend std::ostream& operator<<(std::ostream& out, accepted const& one) { return out << one.uri; }
};

class accepted_uri : public ::testing::TestWithParam<accepted> {};

TEST_P(accepted_uri, means_what_it_says) {
    auto const& expected = GetParam();
    auto const actual = parse_server_uri(expected.uri);
    EXPECT_EQ(actual.type, expected.type);
    EXPECT_EQ(actual.host_or_path, expected.host_or_path);
    EXPECT_EQ(actual.port, expected.port);
    EXPECT_EQ(actual.tls, expected.tls);
    EXPECT_EQ(actual.username, expected.username);
    EXPECT_EQ(actual.password, expected.password);
    EXPECT_EQ(actual.database, expected.database);
}

constexpr auto tcp = server_uri::kind::tcp;
constexpr auto unix_socket = server_uri::kind::unix_socket;
constexpr auto none = std::nullopt;

INSTANTIATE_TEST_SUITE_P(
    server_uri, accepted_uri,
    ::testing::Values(accepted{"redis://127.0.0.1:6379", tcp, "127.0.0.1", 6379},
                      accepted{"redis://host", tcp, "host", 6379}, accepted{"REDIS://host/", tcp, "host", 6379},
                      accepted{"valkey://host:1", tcp, "host", 1},
                      accepted{"rediss://host", tcp, "host", 6379, none, none, none, true},
                      accepted{"valkeys://:pw@host:1/2", tcp, "host", 1, none, "pw", 2, true},
                      accepted{"redis://host:65535/0", tcp, "host", 65535, none, none, 0},
                      accepted{"redis://my_service.name-1:7/15", tcp, "my_service.name-1", 7, none, none, 15},
                      accepted{"redis://host?db=3", tcp, "host", 6379, none, none, 3},
                      accepted{"redis://host/?db=3", tcp, "host", 6379, none, none, 3},
                      accepted{"redis://:secret@host", tcp, "host", 6379, none, "secret"},
                      accepted{"redis://alice:secret@host/2", tcp, "host", 6379, "alice", "secret", 2},
                      accepted{"redis://alice:@host", tcp, "host", 6379, "alice"},
                      accepted{"redis://a%3Ab:p%40%2f%25@host", tcp, "host", 6379, "a:b", "p@/%"},
                      accepted{"redis://alice:p@ss:word@host", tcp, "host", 6379, "alice", "p@ss:word"},
                      accepted{"redis://[::1]", tcp, "::1", 6379},
                      accepted{"redis://:x@[2001:db8::7]:99/1", tcp, "2001:db8::7", 99, none, "x", 1},
                      accepted{"redis://[fe80::1%25eth0]:5", tcp, "fe80::1%eth0", 5},
                      accepted{"unix:///run/redis.sock", unix_socket, "/run/redis.sock"},
                      accepted{"unix:///run/user@1000/a%20b.sock?db=4", unix_socket, "/run/user@1000/a b.sock", 0, none,
                               none, 4},
                      accepted{"redis+uds:///s", unix_socket, "/s"}, accepted{"valkey+uds:///s", unix_socket, "/s"},
                      accepted{"unix://alice:secret@/s", unix_socket, "/s", 0, "alice", "secret"},
                      accepted{"local:", server_uri::kind::local, ""}));

struct refused {
    std::string uri;
    std::string because;

    friend std::ostream& operator<<(std::ostream& out, refused const& one) { return out << printable(one.uri, 40); }
};

class refused_uri : public ::testing::TestWithParam<refused> {};

TEST_P(refused_uri, is_refused_with_a_reason) {
    EXPECT_THAT(refusal_of(GetParam().uri), HasSubstr(GetParam().because));
}

INSTANTIATE_TEST_SUITE_P(
    server_uri, refused_uri,
    ::testing::Values(
        refused{"", "it is empty"}, refused{"host:6379", "needs a scheme"}, refused{"127.0.0.1", "needs a scheme"},
        refused{"redis:/host", "needs a scheme"}, refused{"http://host", "scheme is not known"},
        refused{"redis://", "names no host"}, refused{"redis://:6379", "names no host"},
        refused{"redis://:pw@", "names no host"}, refused{"redis:///0", "names no host"},
        refused{"redis://host:0", "from 1 to 65535"}, refused{"redis://host:65536", "from 1 to 65535"},
        refused{"redis://host:-1", "from 1 to 65535"}, refused{"redis://host:", "from 1 to 65535"},
        refused{"redis://host:63a", "from 1 to 65535"}, refused{"redis://host:99999999999999999999", "from 1 to 65535"},
        refused{"redis://::1:6379", "IPv6 address stands in brackets"}, refused{"redis://[::1", "not closed"},
        refused{"redis://[host]:1", "not an IPv6 address"}, refused{"redis://[::1]6379", "from 1 to 65535"},
        refused{"redis://[]", "not an IPv6 address"}, refused{"redis://ho*st", "no host name may have"},
        refused{"redis://" + std::string(254, 'h'), "longer than 253"}, refused{"redis://host/-1", "database"},
        refused{"redis://host/abc", "database"}, refused{"redis://host/99999999999", "database"},
        refused{"redis://host/1/2", "database"}, refused{"redis://host/1?db=1", "database twice"},
        refused{"redis://host?db=1&db=2", "database twice"}, refused{"redis://host?db=", "database"},
        refused{"redis://host?timeout=3", "not known"}, refused{"redis://user@host", "user:password"},
        refused{"redis://:p%zz@host", "%25"}, refused{"redis://:p%4@host", "%25"}, refused{"redis://:p%00@host", "NUL"},
        refused{"redis://:p#w@host", "%23"}, refused{"redis://:p/w@host", "%2F"}, refused{"redis://host/p@w", "%2F"},
        refused{"redis://:p?w@host", "%3F"}, refused{"redis://ho st", "control"},
        refused{std::string("redis://host\0", 13), "control"}, refused{"redis://host\n", "control"},
        refused{"redis://" + std::string(5000, 'h'), "4096"}, refused{"unix://run/redis.sock", "three slashes"},
        refused{"redis-cluster://u:pw@h1:1,u:pw@h2:2", "stand once, before the first host"},
        refused{"redis-sentinel://u:pw@h1:1,u:other@h2:2#m", "stand once, before the first host"},
        refused{"redis-cluster://h1:1,u:pw@h2:2", "stand once, before the first host"},
        refused{"rediss-cluster://:p,w@h1:1", "%2C"}, refused{"unix:run/redis.sock", "needs a scheme"},
        refused{"unix://", "whole path"}, refused{"unix:///run/", "folder"},
        refused{"unix:///" + std::string(107, 's'), "too long"}, refused{"local:/tmp", "nothing more"},
        refused{"local", "nothing more"}, refused{"LOCAL:", "nothing more"}));

TEST(masked_uri, hides_passwords_also_in_malformed_uris) {
    for (std::string const uri :
         {"redis://alice:hunter2@host", "redis://:hunter2@host/x", "redis://hunter2@host", "redis://a:b@hunter2@host:x",
          "redis://a:x/hunter2@host", "redis://a:x?hunter2@host", "redis://a:x#hunter2@host", "redis://alice:hunter2",
          "redis://host:hunter2/0", "a:hunter2@host", "redis://host?password=hunter2&db=x", "rediss://:hunter2@host:1",
          "http://a:hunter2@host", "redis://alice:hunter2@ho st", "redis://[::1]:hunter2", "unix://a:hunter2@run/x"}) {
        EXPECT_THAT(masked_uri(uri), Not(HasSubstr("hunter2"))) << uri;
        EXPECT_THAT(refusal_of(uri == "redis://alice:hunter2@host" || uri.ends_with(":1") ? uri + ":x" : uri),
                    Not(HasSubstr("hunter2")));
    }
    EXPECT_THAT(refusal_of("redis://:" + std::string(5000, 'p') + "@h"), Not(HasSubstr("pp")));
}

TEST(server_uri, of_sentinels_names_them_and_their_master) {
    auto const uri = parse_server_uri("rediss-sentinel://alice:secret@a,b:5,[::1]:7/3#my%20master");
    EXPECT_EQ(uri.mode, server_mode::sentinel);
    EXPECT_TRUE(uri.tls);
    EXPECT_EQ(uri.host_or_path, "a");
    EXPECT_EQ(uri.port, 26379);
    ASSERT_EQ(uri.others.size(), 2U);
    EXPECT_EQ(uri.others[0].host, "b");
    EXPECT_EQ(uri.others[0].port, 5);
    EXPECT_EQ(uri.others[1].host, "::1");
    EXPECT_EQ(uri.others[1].port, 7);
    EXPECT_EQ(uri.master_name, "my master");
    EXPECT_EQ(uri.password, "secret");
    EXPECT_EQ(uri.database, 3);
}

TEST(server_uri, of_a_cluster_names_some_of_its_nodes) {
    auto const uri = parse_server_uri("valkey-cluster://a:1,b");
    EXPECT_EQ(uri.mode, server_mode::cluster);
    EXPECT_FALSE(uri.tls);
    EXPECT_EQ(uri.port, 1);
    ASSERT_EQ(uri.others.size(), 1U);
    EXPECT_EQ(uri.others[0].port, 6379);
}

TEST(server_uri, of_several_servers_says_that_one_of_them_is_the_master) {
    auto const uri = parse_server_uri("rediss-replicated://alice:pw@a:1,b/2");
    EXPECT_EQ(uri.mode, server_mode::replicated);
    EXPECT_TRUE(uri.tls);
    EXPECT_EQ(uri.username, "alice");
    ASSERT_EQ(uri.others.size(), 1U);
    EXPECT_EQ(uri.others[0].host, "b");
    EXPECT_EQ(uri.database, 2);
}

TEST(server_uri, of_several_servers_says_what_is_wrong_with_it) {
    EXPECT_THAT(refusal_of("redis-sentinel://host"), HasSubstr("#mymaster"));
    EXPECT_THAT(refusal_of("redis-sentinel://host/0#"), HasSubstr("#mymaster"));
    EXPECT_THAT(refusal_of("redis-cluster://host,"), HasSubstr("names no host"));
    EXPECT_THAT(refusal_of("redis-cluster://a,b:0"), HasSubstr("port must be a number"));
    EXPECT_THAT(refusal_of("redis-ring://a"), HasSubstr("scheme is not known"));
    EXPECT_THAT(refusal_of("redis://a,b"), HasSubstr("no host name may have"));
}

TEST(masked_uri, keeps_what_helps) {
    EXPECT_EQ(masked_uri("redis://alice:secret@host:1/2"), "redis://alice:***@host:1/2");
    EXPECT_EQ(masked_uri("redis://host:1/x?db=3"), "redis://host:1/x?db=3");
    EXPECT_EQ(masked_uri("redis://host:secret/2"), "redis://host:***/2");
    EXPECT_EQ(masked_uri("unix:///run/user@1000/s:x"), "unix:///run/user@1000/s:x");
    EXPECT_EQ(masked_uri("redis://ho\nst"), "redis://ho\\x0Ast");
}

TEST(percent_encoding, of_a_path_is_undone_by_decoding) {
    std::string every_byte;
    for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
    EXPECT_EQ(percent_decoded(percent_encoded_path(every_byte)), every_byte);
    EXPECT_EQ(percent_encoded_path("/run/a b?#%"), "/run/a%20b%3F%23%25");
}

} // namespace
} // namespace redlatch::io
