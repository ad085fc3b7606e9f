#include "locking/held_tenures.hpp"
#include "locking/recipes/recipes.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using ::testing::ElementsAre;
using batch = lease_keeper::batch;

record_settings const no_settings{};

TEST(renewal_batches, hold_only_what_is_renewed_in_the_same_way) {
    renewal other_way = *reentrant_recipe.renew;
    recipe other_kind = reentrant_recipe;
    other_kind.renew = &other_way;
    held_tenures all;
    auto const first = all.watched(at(0s));
    all.record = all.make_record("rows", other_kind);
    auto const other = all.watched(at(0s));
    all.record = all.make_record("invoices", non_reentrant_recipe);
    auto const last = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew;
    EXPECT_THAT(sent, ElementsAre(batch{first, last}, batch{other}));
    EXPECT_EQ(&renewal_of(sent.at(0)), reentrant_recipe.renew);
    EXPECT_EQ(&renewal_of(sent.at(1)), &other_way);
}

TEST(renewal_batches, are_full_after_so_many_holds_of_one_renewal) {
    renewal other_way = *reentrant_recipe.renew;
    recipe other_kind = reentrant_recipe;
    other_kind.renew = &other_way;
    auto const one = std::make_shared<lock_record>("orders", reentrant_recipe, no_settings);
    auto const two = std::make_shared<lock_record>("rows", other_kind, no_settings);
    std::vector<renewal_batch> out;
    renewal_batches batches(2, out);
    auto const add = [&](record_ptr const& record, bool is_only_asked) {
        auto const tenure = std::make_shared<locking::tenure>();
        tenure->record = record;
        tenure->is_only_asked = is_only_asked;
        batches.add(tenure);
        return tenure;
    };
    EXPECT_FALSE(batches.renews());
    auto const question = add(one, true);
    EXPECT_FALSE(batches.renews()) << "a question prolongs nothing";
    auto const a = add(one, false);
    EXPECT_TRUE(batches.renews());
    auto const b = add(two, false);
    auto const c = add(one, false);
    EXPECT_THAT(out, ElementsAre(renewal_batch{a, c}));
    batches.finish();
    EXPECT_THAT(out, ElementsAre(renewal_batch{a, c}, renewal_batch{b}, renewal_batch{question}));
}

TEST(renewal_batches, have_one_slot_each_in_a_cluster) {
    std::vector<renewal_batch> out;
    renewal_batches batches(2, out, true);
    auto const add = [&](std::string const& name) {
        auto const tenure = std::make_shared<locking::tenure>();
        tenure->record = std::make_shared<lock_record>(name, reentrant_recipe, no_settings);
        batches.add(tenure);
        return tenure;
    };
    auto const a = add("{foo}1");
    auto const b = add("bar");
    auto const c = add("foo");
    EXPECT_THAT(out, ElementsAre(renewal_batch{a, c}));
    auto const d = add("{foo}2");
    batches.finish();
    EXPECT_THAT(out, ElementsAre(renewal_batch{a, c}, renewal_batch{b}, renewal_batch{d}))
        << "bar has the smaller slot";
}

TEST(renewal_batches, have_one_lock_delay_each) {
    std::vector<renewal_batch> out;
    renewal_batches batches(10, out);
    auto const record = std::make_shared<lock_record>("orders", reentrant_recipe, no_settings);
    auto const add = [&](base::milliseconds delay) {
        auto const tenure = std::make_shared<locking::tenure>();
        tenure->record = record;
        tenure->have_extras().lock_delay = delay;
        batches.add(tenure);
        return tenure;
    };
    auto const a = add(0s);
    auto const b = add(15s);
    auto const c = add(0s);
    batches.finish();
    EXPECT_THAT(out, ElementsAre(renewal_batch{a, c}, renewal_batch{b}));
}

TEST(renewal_batches, leave_alone_whose_renewal_was_refused) {
    std::vector<renewal_batch> out;
    renewal_batches batches(10, out);
    auto const add = [&](bool refused) {
        auto const tenure = std::make_shared<locking::tenure>();
        tenure->record = std::make_shared<lock_record>("orders", reentrant_recipe, no_settings);
        tenure->refused_alone = refused;
        batches.add(tenure);
        return tenure;
    };
    auto const first = add(true);
    auto const other = add(false);
    auto const last = add(true);
    EXPECT_THAT(out, ElementsAre(renewal_batch{first}, renewal_batch{last}));
    batches.finish();
    EXPECT_THAT(out, ElementsAre(renewal_batch{first}, renewal_batch{last}, renewal_batch{other}));
}

} // namespace
} // namespace redlatch::locking
