#include "embedded/held_locks.hpp"

#include <gmock/gmock.h>

namespace redlatch::embedded {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char const* info = "# Server\r\nredis_version:7.0.15\r\nprocess_id:12\r\n\r\n# Keyspace\r\n"
                             "db0:keys=3,expires=3,avg_ttl=100\r\ndb11:keys=40,expires=0,avg_ttl=0\r\n";

TEST(server_info, is_found_by_the_whole_key) {
    EXPECT_EQ(info_value(info, "redis_version"), "7.0.15");
    EXPECT_EQ(info_value(info, "process_id"), "12");
    EXPECT_EQ(info_value(info, "process"), "");
    EXPECT_EQ(info_value(info, "id"), "");
    EXPECT_EQ(info_value("", "id"), "");
    EXPECT_EQ(info_value("id:no line end", "id"), "no line end");
}

TEST(server_info, names_databases_and_counts_keys) {
    auto const all = parse_keyspace(info);
    EXPECT_THAT(all.databases, ElementsAre(0, 11));
    EXPECT_EQ(all.keys, 43);
}

TEST(server_info, that_is_odd_counts_nothing) {
    for (char const* const odd :
         {"", "db:keys=1", "dbx:keys=1", "db0", "db0:expires=1", "db99999999999:keys=1", "adb0:keys=1"})
        EXPECT_THAT(parse_keyspace(odd).databases, IsEmpty()) << odd;
}

TEST(held_locks, are_hashes_with_a_field_of_a_holder_of_any_kind) {
    std::string const owner = "0b5a3c9e-6f0e-4a4e-9a57-0d3c1f7a2b11:42";
    std::string const value = "AAAAAAAAAAAAAAAAAAAAAA:";
    for (auto const& field : {owner, std::string("client:7"), owner + ":write", owner + ":me", owner + ":a:b 7",
                              owner + ":", value + owner + ":expire_time", value + owner + ":lock_count"})
        EXPECT_TRUE(is_owner_field(field)) << field;
    for (auto const* field : {"", ":", "mode", ":7", "client:", "client:x", "client:7:write", "7",
                              "0b5a3c9e-6f0e-4a4e-9a57-0d3c1f7a2b11", "0b5a3c9e-6f0e-4a4e-9a57-0d3c1f7a2b11:x:write"})
        EXPECT_FALSE(is_owner_field(field)) << field;
}

} // namespace
} // namespace redlatch::embedded
