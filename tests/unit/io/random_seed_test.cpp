#include "io/random_seed.hpp"

#include <gmock/gmock.h>
#include <set>
#include <vector>

namespace redlatch::io {
namespace {

TEST(random_uuid, is_another_one_each_time_and_says_that_it_is_random) {
    auto const one = random_uuid();
    EXPECT_THAT(one, ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_NE(one, random_uuid());
    std::vector<std::set<char>> seen(one.size());
    for (int i = 0; i < 1'000; ++i) {
        auto const another = random_uuid();
        for (std::size_t at = 0; at < another.size(); ++at) seen[at].insert(another[at]);
    }
    for (std::size_t at = 0; at < one.size(); ++at) {
        auto const choice = one[at] == '-' || at == 14 ? 1U : at == 19 ? 4U : 16U;
        EXPECT_EQ(seen[at].size(), choice) << "at " << at;
    }
}

TEST(random_seed, is_another_one_each_time) {
    EXPECT_NE(random_seed(), random_seed());
}

} // namespace
} // namespace redlatch::io
