#include "locking/local_handoff.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>
#include <ostream>

namespace redlatch::locking {

void PrintTo(local_handoff::release what, std::ostream* out) {
    constexpr char const* names[] = {"to the head", "to the first", "to the server"};
    *out << names[static_cast<int>(what)];
}

namespace {

using namespace std::chrono_literals;
using release = local_handoff::release;
using scripted::at;

/// A window that is over before or after barging, as a test wants it.
constexpr local_handoff::settings barging{true, base::milliseconds(5), false};
constexpr local_handoff::settings strictly{true, base::milliseconds(5), true};

TEST(local_handoff, is_first_come_first_served_where_it_is_strict) {
    local_handoff handoff;
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(handoff.on_release(strictly, at(1us * i)), release::to_the_head) << i;
        EXPECT_FALSE(handoff.may_retake(at(1us * i))) << i;
    }
}

TEST(local_handoff, lets_the_first_of_two_have_it_and_wakes_the_head_once) {
    local_handoff handoff;
    EXPECT_FALSE(handoff.may_retake(at(0s))) << "nothing was released yet";
    EXPECT_EQ(handoff.on_release(barging, at(0s)), release::to_the_first);
    EXPECT_TRUE(handoff.wakes_head());
    EXPECT_TRUE(handoff.may_retake(at(1us)));
    handoff.retaken();
    EXPECT_EQ(handoff.on_release(barging, at(2us)), release::to_the_first);
    EXPECT_FALSE(handoff.wakes_head()) << "it is on its way";
}

TEST(local_handoff, is_taken_again_sixteen_times_and_not_seventeen) {
    local_handoff handoff;
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(handoff.on_release(barging, at(0s)), release::to_the_first) << i;
        ASSERT_TRUE(handoff.may_retake(at(0s))) << i;
        handoff.retaken();
    }
    EXPECT_FALSE(handoff.may_retake(at(0s)));
    EXPECT_EQ(handoff.on_release(barging, at(0s)), release::to_the_head);
}

TEST(local_handoff, is_taken_again_within_twenty_five_microseconds_of_the_first_release) {
    local_handoff handoff;
    EXPECT_EQ(handoff.on_release(barging, at(10us)), release::to_the_first);
    EXPECT_TRUE(handoff.may_retake(at(35us) - 1ns));
    EXPECT_FALSE(handoff.may_retake(at(35us)));
    handoff.retaken();
    EXPECT_EQ(handoff.on_release(barging, at(30us)), release::to_the_first) << "the bound is not moved on";
    EXPECT_FALSE(handoff.may_retake(at(35us)));
    EXPECT_EQ(handoff.on_release(barging, at(35us)), release::to_the_head);
    EXPECT_FALSE(handoff.may_retake(at(35us)));
}

TEST(local_handoff, is_for_the_head_up_to_the_last_nanosecond_and_from_then_on) {
    for (auto const& [when, expected] :
         {std::pair{at(25us) - 1ns, release::to_the_first}, std::pair{at(25us), release::to_the_head}}) {
        local_handoff handoff;
        handoff.on_release(barging, at(0s));
        handoff.retaken();
        EXPECT_EQ(handoff.on_release(barging, when), expected);
    }
}

TEST(local_handoff, is_for_the_head_once_the_head_has_come_too_late) {
    local_handoff handoff;
    handoff.on_release(barging, at(0s));
    handoff.retaken();
    handoff.head_came_too_late();
    EXPECT_EQ(handoff.on_release(barging, at(1us)), release::to_the_head);
}

TEST(local_handoff, begins_barging_anew_with_another_holder) {
    local_handoff handoff;
    for (int round = 0; round < 3; ++round) {
        auto const from = at(100us * round);
        for (int i = 0; i < 16; ++i) {
            EXPECT_EQ(handoff.on_release(barging, from), release::to_the_first) << round << ' ' << i;
            EXPECT_EQ(handoff.wakes_head(), i == 0) << round << ' ' << i;
            handoff.retaken();
        }
        handoff.head_came_too_late();
        EXPECT_EQ(handoff.on_release(barging, from), release::to_the_head) << round;
        handoff.end_barging(); // as whoever grants it does; once more changes nothing
    }
}

TEST(local_handoff, may_not_be_taken_again_by_the_former_holder_when_the_head_has_come) {
    local_handoff handoff;
    handoff.on_release(barging, at(0s));
    handoff.end_barging();
    EXPECT_FALSE(handoff.may_retake(at(1us)));
}

// --- the window for other processes

TEST(local_handoff, goes_to_the_server_when_the_window_is_over_counted_from_the_first_time) {
    for (auto const& how : {barging, strictly}) {
        local_handoff handoff;
        EXPECT_NE(handoff.on_release(how, at(1s)), release::to_the_server);
        EXPECT_NE(handoff.on_release(how, at(1s + 5ms) - 1ns), release::to_the_server);
        EXPECT_FALSE(handoff.time_is_over());
        EXPECT_EQ(handoff.on_release(how, at(1s + 5ms)), release::to_the_server);
        EXPECT_TRUE(handoff.time_is_over());
        EXPECT_FALSE(handoff.may_retake(at(1s + 5ms))) << "what is released on the server is nobody's here";
    }
}

TEST(local_handoff, leaves_it_to_the_server_although_the_head_has_come) {
    local_handoff handoff;
    handoff.on_release(barging, at(0s));
    handoff.head_came_too_late();
    EXPECT_EQ(handoff.on_release(barging, at(5ms)), release::to_the_server);
}

TEST(local_handoff, does_not_lengthen_the_window_with_every_other_holder) {
    local_handoff handoff;
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(handoff.on_release(strictly, at(100us * i)), release::to_the_head) << i;
        handoff.end_barging();
    }
    EXPECT_EQ(handoff.on_release(strictly, at(5ms)), release::to_the_server);
}

TEST(local_handoff, has_a_window_as_long_as_it_is_set) {
    local_handoff handoff;
    local_handoff::settings const longer{true, base::milliseconds(200), true};
    handoff.on_release(longer, at(0s));
    EXPECT_EQ(handoff.on_release(longer, at(199ms)), release::to_the_head);
    EXPECT_EQ(handoff.on_release(longer, at(200ms)), release::to_the_server);
}

TEST(local_handoff, begins_anew_when_it_was_released_on_the_server_or_lost) {
    local_handoff handoff;
    handoff.on_release(barging, at(0s));
    handoff.retaken();
    handoff.head_came_too_late();
    handoff.on_release(barging, at(5ms));
    handoff.reset();
    EXPECT_FALSE(handoff.time_is_over());
    EXPECT_FALSE(handoff.may_retake(at(5ms)));
    EXPECT_EQ(handoff.on_release(barging, at(6ms)), release::to_the_first);
    EXPECT_TRUE(handoff.wakes_head());
    EXPECT_NE(handoff.on_release(barging, at(11ms) - 1ns), release::to_the_server);
    EXPECT_EQ(handoff.on_release(barging, at(11ms)), release::to_the_server);
}

} // namespace
} // namespace redlatch::locking
