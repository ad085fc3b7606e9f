#include "api/lock_rule.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::detail {
namespace {

std::string const uuid = "0e1f2a3b-0000-4000-8000-0123456789ab";

lock_owner holder_with(std::string id, std::int64_t count = 1) {
    lock_owner one;
    one.owner = std::move(id);
    one.count = count;
    return one;
}

std::string foreign(std::vector<lock_owner> const& owners) {
    return foreign_field_among(owners);
}

TEST(lock_rule, is_content_with_holders_of_all_kinds) {
    for (std::string const rest : {":71", ":0", ":-71", ":71:write", ":71:a candidate", ":18446744073709551615"})
        EXPECT_TRUE(is_owner_id(uuid + rest)) << rest;
    EXPECT_EQ(foreign({holder_with(uuid + ":71"), holder_with(uuid + ":72:write", 3)}), "");
}

TEST(lock_rule, knows_the_rest_of_a_minimum_hold_by_the_number_0) {
    for (std::string const rest : {":0", ":0:write", ":0:a candidate"}) EXPECT_TRUE(is_released(uuid + rest)) << rest;
    for (std::string const rest : {":7", ":-0", ":70", ":7:0", ""}) EXPECT_FALSE(is_released(uuid + rest)) << rest;
    EXPECT_FALSE(is_released("session:0"));
}

TEST(lock_rule, names_what_is_no_holder) {
    for (auto const& id : {std::string("name"), std::string("session:7"), uuid, uuid + ":", uuid + ":x",
                           uuid + ":7more", uuid + ":-", uuid + ":7-1", uuid + "a:7", " " + uuid + ":7",
                           std::string("0e1f2a3b-0000-4000-8000-0123456789ag:7"), std::string()}) {
        EXPECT_FALSE(is_owner_id(id)) << id;
        EXPECT_EQ(foreign({holder_with(uuid + ":71"), holder_with(id)}), id.empty() ? "''" : id);
    }
    for (std::int64_t const count : {0, -5}) EXPECT_EQ(foreign({holder_with(uuid + ":7", count)}), uuid + ":7");
    EXPECT_EQ(foreign({}), "mode") << "there is no other field that is no holder";
}

} // namespace
} // namespace redlatch::detail
