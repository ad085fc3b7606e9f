#include "locking/recipes/recipes.hpp"
#include "locking/record_index.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::locking {
namespace {

struct names_in_use {
    record_index index{record_settings()};
    std::map<std::pair<std::string, recipe const*>, record_ptr> used;

    std::set<record_ptr> visited() const {
        std::set<record_ptr> all;
        index.for_each([&](record_ptr const& one) { EXPECT_TRUE(all.insert(one).second) << "visited twice"; });
        return all;
    }
};

TEST(record_index, knows_what_is_used_whatever_comes_and_goes) {
    names_in_use all;
    std::minstd_rand random(1);
    std::size_t most = 0;
    for (int step = 0; step < 40'000; ++step) {
        auto const name = "order " + std::to_string(random() % 3'000);
        auto const& kind = random() % 2 == 0 ? reentrant_recipe : fair_recipe;
        // In the second half most of them are given up.
        bool const keep = random() % 8 < (step < 20'000 ? 5U : 2U);
        auto const known = all.used.find({name, &kind});
        auto const found = all.index.find(name, kind);
        ASSERT_EQ(found, known == all.used.end() ? nullptr : known->second) << name;
        if (!keep) {
            if (known != all.used.end()) all.used.erase(known);
            continue;
        }
        auto const record = all.index.get(name, kind);
        ASSERT_EQ(record->name, name);
        ASSERT_EQ(record->how, &kind);
        ASSERT_TRUE(!found || record == found);
        all.used[{name, &kind}] = record;
        most = std::max(most, all.used.size());
        ASSERT_LE(all.index.size(), 2 * most + 64);
    }
    auto const seen = all.visited();
    EXPECT_EQ(seen.size(), all.used.size());
    for (auto const& [id, record] : all.used) EXPECT_TRUE(seen.contains(record)) << id.first;
}

TEST(record_index, gives_memory_back_when_names_are_not_used_any_more) {
    names_in_use all;
    for (int i = 0; i < 10'000; ++i) {
        auto record = all.index.get("order " + std::to_string(i), reentrant_recipe);
        all.used[{record->name, &reentrant_recipe}] = record;
    }
    EXPECT_EQ(all.index.size(), 10'000U);
    all.used.clear();
    EXPECT_TRUE(all.visited().empty());
    for (int i = 0; i < 20'000; ++i) all.index.get("invoice " + std::to_string(i), reentrant_recipe);
    EXPECT_LE(all.index.size(), 64U);
}

TEST(record_index, has_a_record_for_each_set_of_parts) {
    names_in_use all;
    auto const both = all.index.get("group", faster_multi_recipe, {"a", "b"});
    auto const one = all.index.get("group", faster_multi_recipe, {"a"});
    EXPECT_NE(both, one);
    EXPECT_EQ(all.index.find("group", faster_multi_recipe, {"a", "b"}), both);
    EXPECT_EQ(all.index.find("group", faster_multi_recipe, {"b"}), nullptr);
    EXPECT_EQ(all.index.find("group", faster_multi_recipe), nullptr);
}

} // namespace
} // namespace redlatch::locking
