// A renewal that the server does not allow, for one key or for all.
#include "locking/held_tenures.hpp"
#include "scripted/virtual_time.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using batch = lease_keeper::batch;

/// A server that refuses each call that names a forbidden key.
struct refusing_server : held_tenures {
    std::set<tenure_ptr> forbidden{};
    int calls = 0;
    std::vector<tenure_ptr> told{}; ///< of a refusal of one alone

    void ask(batch const& which, base::instant now) {
        ++calls;
        bool const refused =
            std::any_of(which.begin(), which.end(), [&](tenure_ptr const& one) { return forbidden.count(one) > 0; });
        lease_keeper::effects out;
        if (refused)
            keeper.on_refusal(which, now, out);
        else
            keeper.on_answer(which, {}, keeper.lease_of(which), now, out);
        told.insert(told.end(), out.refused.begin(), out.refused.end());
        for (auto const& next : out.renew) ask(next, now);
    }
    /// Everything that is due until then; true: nothing was lost but what is forbidden.
    bool run(base::instant from, base::instant until) {
        bool fair = true;
        for (auto now = from; now < until; now = std::max(keeper.next(), now + 1ms)) {
            auto const due = timer(now);
            for (auto const& one : due.lost) fair = fair && forbidden.count(one) > 0;
            for (auto const& one : due.renew) ask(one, now);
        }
        return fair;
    }
};

TEST(refused_renewal, of_one_key_costs_no_other_lock_its_renewal) {
    refusing_server all;
    std::vector<tenure_ptr> holds;
    for (int i = 0; i < 100; ++i) holds.push_back(all.watched(at(0s)));
    all.forbidden.insert(holds[37]);
    all.ask(all.timer(at(10s)).renew.at(0), at(10s));
    EXPECT_LE(all.calls, 2 * 7 + 1) << "halves of halves";
    EXPECT_THAT(all.told, ElementsAre(holds[37]));
    for (auto const& one : holds) EXPECT_EQ(ms(one->validity()), one == holds[37] ? 29'700 : 39'700);
    EXPECT_TRUE(all.run(at(10s), at(10min)));
    EXPECT_EQ(all.keeper.size(), 99U) << "that one is lost when its lease is over";
}

TEST(refused_renewal, is_tried_again_alone_until_it_is_allowed) {
    refusing_server all;
    auto const good = all.watched(at(0s));
    auto const bad = all.watched(at(0s));
    all.forbidden.insert(bad);
    all.ask(all.timer(at(10s)).renew.at(0), at(10s));
    auto const next = all.timer(bad->next_renewal).renew;
    EXPECT_THAT(next, ElementsAre(batch{bad})) << "by itself: no half of it can cost another one anything";
    EXPECT_GE(ms(bad->next_renewal), 13'000);
    EXPECT_LE(ms(bad->next_renewal), 13'750);
    all.ask(next.at(0), at(13'750ms));
    EXPECT_THAT(all.told, ElementsAre(bad)) << "once";
    all.forbidden.clear();
    EXPECT_TRUE(all.run(at(14s), at(60s)));
    EXPECT_TRUE(bad->holds(at(60s)));
    EXPECT_TRUE(good->holds(at(60s)));
    lease_keeper::effects out;
    all.keeper.verify_all(at(60s), out);
    EXPECT_EQ(out.renew.size(), 1U) << "with the others again";
}

TEST(refused_renewal, of_every_key_ends_when_each_was_refused_alone) {
    refusing_server all;
    for (int i = 0; i < 8; ++i) all.forbidden.insert(all.watched(at(0s)));
    all.ask(all.timer(at(10s)).renew.at(0), at(10s));
    EXPECT_EQ(all.calls, 15);
    EXPECT_EQ(all.told.size(), 8U);
}

TEST(refused_renewal, asks_no_more_for_what_is_not_held_any_more) {
    refusing_server all;
    auto const released = all.watched(at(0s));
    auto const held = all.watched(at(0s));
    auto const sent = all.timer(at(10s)).renew.at(0);
    all.keeper.forget(released);
    released->now_in = tenure::phase::releasing;
    lease_keeper::effects out;
    all.keeper.on_refusal(sent, at(11s), out);
    EXPECT_THAT(out.renew, ElementsAre(batch{held}));
    EXPECT_THAT(out.refused, IsEmpty()) << "the other one may have been the reason";
    out = {};
    all.keeper.on_refusal(sent, held->validity(), out);
    EXPECT_THAT(out.renew, IsEmpty());
    EXPECT_THAT(all.timer(held->validity()).lost, ElementsAre(held));
}

TEST(refused_renewal, stays_alone_in_the_hands_of_the_next_local_holder) {
    refusing_server all;
    auto const from = all.watched(at(0s));
    auto const other = all.watched(at(0s));
    all.forbidden.insert(from);
    all.ask(all.timer(at(10s)).renew.at(0), at(10s));
    auto const to = std::make_shared<tenure>();
    to->record = from->record;
    to->record->tenures.add(to);
    to->serial = from->serial;
    to->levels.push_back(from->levels[0]);
    to->now_in = tenure::phase::held;
    all.keeper.succeed(from, to);
    lease_keeper::effects out;
    all.keeper.verify_all(at(12s), out);
    EXPECT_THAT(out.renew, ::testing::UnorderedElementsAre(batch{to}, batch{other}));
}

} // namespace
} // namespace redlatch::locking
