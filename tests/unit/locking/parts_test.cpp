// Locks that are parts of one key: records, what an owner may ask for beside what it holds, renewal.
#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using kind = lock_table::beginning::kind;
using part_names = std::vector<std::string>;

struct client_parts : client_locks {
    record_ptr of(part_names const& parts, std::string const& group = "seats") {
        return table.records.get(group, faster_multi_recipe, parts);
    }
    tenure_ptr hold(record_ptr const& lock, std::uint64_t owner, base::instant now) {
        auto const one = table.open(lock, owner);
        take(one, now);
        return one;
    }
    lock_table::beginning begin(record_ptr const& lock, std::uint64_t owner, base::instant now) {
        return table.begin(lock, owner, {0, 30s, true, false}, now, woken);
    }
};

TEST(parts, make_a_record_of_their_own) {
    client_parts all;
    auto const both = all.of({"a", "b"});
    EXPECT_EQ(all.of({"a", "b"}), both);
    EXPECT_NE(all.of({"a"}), both);
    EXPECT_NE(all.of({"a", "b"}, "another"), both);
    EXPECT_EQ(both->name, "seats");
    EXPECT_THAT(both->context("uuid:1", 1ms).parts, ::testing::ElementsAre("a", "b"));
    EXPECT_TRUE(all.record->parts().empty());
}

TEST(parts, that_an_owner_holds_are_refused_to_it_by_another_lock) {
    client_parts all;
    auto const some = all.of({"b", "c"});
    auto const held = all.hold(some, ann, at(0s));
    for (auto const& overlapping :
         {part_names{"c"}, part_names{"a", "b"}, part_names{"a", "b", "c", "d"}, part_names{"c", "d"}}) {
        auto const lock = all.of(overlapping);
        auto const refused = all.begin(lock, ann, at(1s));
        EXPECT_EQ(refused.what, kind::overlap);
        EXPECT_EQ(refused.tenure, held);
        EXPECT_TRUE(lock->tenures.empty());
        EXPECT_EQ(all.begin(lock, bob, at(1s)).what, kind::fresh) << "it waits";
    }
    EXPECT_FALSE(held->in_operation);
    EXPECT_EQ(all.begin(some, ann, at(1s)).what, kind::reentry);
}

TEST(parts, that_an_owner_does_not_hold_are_for_it_to_ask_for) {
    client_parts all;
    auto const held = all.hold(all.of({"b", "d"}), ann, at(0s));
    for (auto const& lock : {all.of({"a"}), all.of({"a", "c", "e"}), all.of({"b"}, "another group")})
        EXPECT_EQ(all.begin(lock, ann, at(1s)).what, kind::fresh);
    auto const other = all.of({"b"});
    EXPECT_EQ(all.begin(other, ann, held->validity()).what, kind::fresh) << "that hold is over";
}

TEST(parts, that_were_given_back_are_free_for_their_owner) {
    client_parts all;
    auto const held = all.hold(all.of({"a", "b"}), ann, at(0s));
    auto const beside = all.hold(all.of({"x"}), ann, at(0s));
    EXPECT_EQ(all.begin(all.of({"b", "c"}), ann, at(1s)).what, kind::overlap);
    all.release(held, held->levels[0].number, at(1s));
    all.table.end_release(all.woken);
    EXPECT_EQ(all.begin(all.of({"b", "c"}), ann, at(1s)).what, kind::fresh);
    EXPECT_EQ(all.begin(all.of({"x", "y"}), ann, at(1s)).what, kind::overlap) << "that one still is not";
}

TEST(parts, that_were_lost_are_for_their_owner_to_ask_for_again) {
    client_parts all;
    auto const held = all.hold(all.of({"a", "b"}), ann, at(0s));
    all.lose(held, at(1s));
    EXPECT_EQ(all.begin(all.of({"b", "c"}), ann, at(1s)).what, kind::fresh) << "although nobody has given it back yet";
}

TEST(parts, are_renewed_together_up_to_as_many_as_locks_are) {
    client_parts all;
    part_names many;
    for (int i = 100; i < 160; ++i) many.push_back(std::to_string(i));
    auto const first = all.hold(all.of(many), ann, at(0s));
    auto const second = all.hold(all.of({"a"}), bob, at(0s));
    for (auto& one : many) one = "x" + one;
    auto const third = all.hold(all.of(many), cid, at(0s));
    auto const fourth = all.hold(all.of({"b"}), 4, at(0s));
    std::vector<renewal_batch> out;
    renewal_batches batches(100, out);
    for (auto const& one : {first, second, third, fourth}) batches.add(one);
    batches.finish();
    ASSERT_EQ(out.size(), 2U);
    EXPECT_THAT(out[0], ::testing::ElementsAre(first, second, third)) << "121 parts";
    EXPECT_THAT(out[1], ::testing::ElementsAre(fourth));
}

} // namespace
} // namespace redlatch::locking
