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

} // namespace
} // namespace redlatch::embedded
