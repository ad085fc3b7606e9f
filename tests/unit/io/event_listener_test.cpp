// Who is told of events, and what happened before there was anybody.
#include "io/event_listener.hpp"

#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

event const news{event::kind::eviction_possible, {}, {}, "the server may remove locks"};

TEST(event_listener, keeps_what_happened_before_there_was_one) {
    event_listener slot;
    EXPECT_EQ(slot.get(), nullptr);
    EXPECT_TRUE(slot.keep(news));
    EXPECT_FALSE(slot.set({})) << "nobody to tell it to";
    auto const kept = slot.set([](event const&) {});
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->message, news.message);
    EXPECT_FALSE(slot.set([](event const&) {})) << "it has been told";
}

TEST(event_listener, keeps_nothing_for_one_that_is_there) {
    event_listener slot;
    int told = 0;
    slot.set([&](event const&) { ++told; });
    EXPECT_FALSE(slot.keep(news));
    (*slot.get())(news);
    EXPECT_EQ(told, 1);
}

TEST(event_listener, destroys_the_old_one_without_its_mutex) {
    struct asks_on_its_end {
        event_listener* slot;
        bool* asked;
        ~asks_on_its_end() { *asked = slot->get() != nullptr; }
    };
    event_listener slot;
    bool asked = false;
    slot.set([held = std::make_shared<asks_on_its_end>(asks_on_its_end{&slot, &asked})](event const&) {});
    asked = false;
    slot.set([](event const&) {});
    EXPECT_TRUE(asked);
}

} // namespace
} // namespace redlatch::io
