#include "base/random.hpp"
#include "locking/tenure_timers.hpp"
#include "scripted/virtual_time.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(tenure_timers, have_the_earliest_first) {
    tenure_timers timers;
    EXPECT_EQ(timers.next(), base::never);
    auto const one = std::make_shared<tenure>();
    auto const two = std::make_shared<tenure>();
    timers.set(*one, at(5ms));
    timers.set(*two, at(3ms));
    EXPECT_EQ(timers.next(), at(3ms));
    EXPECT_EQ(&timers.first(), two.get());
    timers.set(*two, at(9ms));
    EXPECT_EQ(&timers.first(), one.get()) << "later than before";
    timers.set(*two, at(1ms));
    EXPECT_EQ(&timers.first(), two.get()) << "earlier than before";
}

TEST(tenure_timers, are_cancelled_once) {
    tenure_timers timers;
    auto const one = std::make_shared<tenure>();
    timers.set(*one, at(5ms));
    EXPECT_TRUE(timers.cancel(*one));
    EXPECT_FALSE(timers.cancel(*one));
    EXPECT_TRUE(timers.empty());
    timers.set(*one, at(6ms));
    EXPECT_EQ(timers.next(), at(6ms));
}

TEST(tenure_timers, pass_on_to_another_tenure_with_their_time) {
    tenure_timers timers;
    auto const one = std::make_shared<tenure>();
    auto const two = std::make_shared<tenure>();
    auto const next = std::make_shared<tenure>();
    timers.set(*one, at(5ms));
    timers.set(*two, at(3ms));
    timers.pass_on(*two, *next);
    EXPECT_FALSE(tenure_timers::has(*two));
    EXPECT_EQ(&timers.first(), next.get());
    EXPECT_EQ(timers.next(), at(3ms));
    EXPECT_EQ(timers.size(), 2U);
}

/// Beside a map, through all sizes up to some hundred: each branch is the last one of the heap at some time.
TEST(tenure_timers, are_in_order_whatever_is_set_and_cancelled) {
    base::random_source random(7);
    tenure_timers timers;
    std::vector<tenure_ptr> all; // outlive their timers
    auto const make = [&] { return all.emplace_back(std::make_shared<tenure>()).get(); };
    std::map<tenure*, base::instant> model;
    std::size_t largest = 0;
    auto const any = [&] { return std::next(model.begin(), random.up_to(std::ssize(model) - 1))->first; };
    for (int step = 0; step < 20'000; ++step) {
        bool const grows = (step / 500) % 2 == 0;
        auto const when = at(base::milliseconds(random.up_to(200)));
        if (auto const what = random.up_to(9); model.empty() || (what < 3 && grows)) {
            auto* const fresh = make();
            timers.set(*fresh, when);
            model[fresh] = when;
        } else if (what < 3) {
            auto* const gone = any();
            EXPECT_TRUE(timers.cancel(*gone));
            model.erase(gone);
        } else if (what == 3) {
            auto* const from = any();
            auto* const to = make();
            timers.pass_on(*from, *to);
            model[to] = model[from];
            model.erase(from);
        } else {
            auto* const moved = any();
            timers.set(*moved, when);
            model[moved] = when;
        }
        largest = std::max(largest, model.size());
        ASSERT_EQ(timers.size(), model.size());
        for (std::size_t i = 0; i < timers.size(); ++i) {
            auto const& [its_time, whose] = timers.all()[i];
            ASSERT_EQ(whose->timer_index, i);
            ASSERT_EQ(its_time, model.at(whose));
            ASSERT_LE(timers.next(), its_time);
        }
    }
    EXPECT_GT(largest, 50U) << "it was large enough to say something";
    for (auto last = timers.next(); !timers.empty(); last = timers.next()) {
        timers.cancel(timers.first());
        ASSERT_LE(last, timers.next());
    }
}

} // namespace
} // namespace redlatch::locking
