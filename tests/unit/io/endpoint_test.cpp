#include "io/endpoint.hpp"

#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

TEST(endpoint, takes_the_fields_where_the_address_says_nothing) {
    auto const where =
        resolve_endpoint({.address = "redis://host:7", .username = "alice", .password = "secret", .database = 3});
    EXPECT_FALSE(where.local);
    EXPECT_FALSE(where.unix_socket);
    EXPECT_EQ(where.host_or_path, "host");
    EXPECT_EQ(where.port, 7);
    EXPECT_EQ(where.username, "alice");
    EXPECT_EQ(where.password, "secret");
    EXPECT_EQ(where.database, 3);
}

TEST(endpoint, lets_the_address_win_over_the_fields) {
    auto const where = resolve_endpoint(
        {.address = "unix://bob:other@/s?db=0", .username = "alice", .password = "secret", .database = 3});
    EXPECT_TRUE(where.unix_socket);
    EXPECT_EQ(where.host_or_path, "/s");
    EXPECT_EQ(where.username, "bob");
    EXPECT_EQ(where.password, "other");
    EXPECT_EQ(where.database, 0);
}

TEST(endpoint, of_the_embedded_default_is_local) {
    auto const where = resolve_endpoint(config::local());
    EXPECT_TRUE(where.local);
    EXPECT_TRUE(where.unix_socket);
    EXPECT_EQ(where.host_or_path, "");
}

TEST(endpoint, displays_as_an_address_without_password) {
    EXPECT_EQ(resolve_endpoint({.address = "valkey://a:b@host/1"}).display(), "redis://host:6379");
    EXPECT_EQ(resolve_endpoint({.address = "redis://[fe80::1%25eth0]"}).display(), "redis://[fe80::1%25eth0]:6379");
    EXPECT_EQ(resolve_endpoint({.address = "unix:///a%20b"}).display(), "unix:///a%20b");
    EXPECT_EQ(resolve_endpoint({.address = "local:"}).display(), "local:");
}

} // namespace
} // namespace redlatch::io
