#include "api/group_view.hpp"
#include "locking/recipes/faster_multi.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

namespace redlatch::detail {
namespace {

using locking::faster_multi::field_of;

struct page {
    std::vector<resp::value> fields{};
    void add(std::string const& field, std::string const& value) {
        fields.push_back(scripted::string(field));
        fields.push_back(scripted::string(value));
    }
    void add_hold(std::string const& value, std::string const& owner, std::int64_t ends, int count = 1) {
        auto const field = field_of(value);
        add(field, owner);
        add_left(value, owner, ends, count);
    }
    void add_left(std::string const& value, std::string const& owner, std::int64_t ends, int count = 1) {
        add(field_of(value) + ":" + owner + ":expire_time", std::to_string(ends));
        add(field_of(value) + ":" + owner + ":lock_count", std::to_string(count));
    }
};

TEST(group_view, knows_a_group_by_the_form_of_its_fields) {
    page group;
    group.add_hold("a", "u:1", 10);
    EXPECT_TRUE(is_group(group.fields));
    page other;
    other.add("00000000-0000-4000-8000-000000000000:1", "1");
    EXPECT_FALSE(is_group(other.fields));
    page odd;
    odd.add(field_of("a"), "1");
    EXPECT_FALSE(is_group(odd.fields)) << "any hash may have a field of 22 characters";
    EXPECT_FALSE(is_group({}));
}

TEST(group_view, has_each_holder_once_with_its_last_lease_and_greatest_count) {
    page group;
    group.add_hold("a", "u:1", 1'500);
    group.add_hold("b", "u:1", 2'500, 2);
    group.add_hold("c", "u:2", 1'100);
    group.add_hold("c", "u:2", 1'100); // HSCAN may name a field twice
    auto const all = holders_in(group.fields, 1'000, {});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].owner_id, "u:1");
    EXPECT_EQ(all[0].count, 2);
    EXPECT_EQ(all[0].ends, 2'500);
    EXPECT_EQ(all[1].owner_id, "u:2");
    EXPECT_EQ(all[1].count, 1);
    EXPECT_EQ(all[1].ends, 1'100);
}

TEST(group_view, leaves_out_whose_leases_are_over_and_who_holds_other_values) {
    page group;
    group.add_hold("a", "u:1", 1'000);
    group.add_hold("b", "u:2", 1'001);
    group.add_left("b", "u:3", 5'000);
    auto const holders = [&](std::optional<std::int64_t> now, std::vector<std::string> const& values) {
        std::string ids;
        for (auto const& one : holders_in(group.fields, now, locking::faster_multi::fields_of(values)))
            ids += one.owner_id + " ";
        return ids;
    };
    EXPECT_EQ(holders(1'000, {}), "u:2 ");
    EXPECT_EQ(holders(999, {}), "u:1 u:2 ");
    EXPECT_EQ(holders(std::nullopt, {}), "u:1 u:2 ") << "this user may not ask for the time";
    EXPECT_EQ(holders(999, {"a", "c"}), "u:1 ");
    EXPECT_EQ(holders(1'000, {"a", "c"}), "");
}

TEST(group_view, counts_a_value_as_held_whose_lease_is_not_on_this_page) {
    page group;
    group.add(field_of("a"), "u:1");
    group.add_left("b", "u:2", 5'000);
    auto const all = holders_in(group.fields, 1'000, {});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].owner_id, "u:1");
    EXPECT_EQ(all[0].count, 1);
    EXPECT_EQ(all[0].ends, std::nullopt);
}

} // namespace
} // namespace redlatch::detail
