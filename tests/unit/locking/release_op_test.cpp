// The table of release_op.hpp, row by row.
#include "locking/release_op.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

struct release_op_test : ::testing::Test {
    using act = release_op::act;
    using effect = release_op::effect;
    using form = release_op::form;
    using outcome = release_op::outcome;
    using kind = release_answer::kind;
    using verdict = connection::verdict;

    static constexpr release_op::commands plain{.plain = true, .script_known = false};
    static constexpr release_op::commands scripts{.plain = false, .script_known = true};
    static constexpr release_op::commands unknown_scripts{.plain = false, .script_known = false};
    static constexpr base::milliseconds valid_for{100};

    static release_op::action answered(release_op& one, release_answer const& answer, bool repeated = false,
                                       base::instant now = at(0ms)) {
        return one.on_release_answer(answer, repeated, false, 1, now, at(valid_for));
    }
};

TEST_F(release_op_test, writes_the_count_where_other_levels_stay) {
    release_op one({.last = false, .unattended = true});
    auto const first = one.start(plain);
    EXPECT_EQ(first.what, act::call);
    EXPECT_EQ(first.how, form::count);
    EXPECT_EQ(one.result(), outcome::pending);
    auto const end = one.on_count_answer(count_answer::written);
    EXPECT_EQ(end.what, act::finish);
    EXPECT_EQ(end.then, effect::confirmed);
    EXPECT_EQ(one.result(), outcome::released);
}

TEST_F(release_op_test, loses_all_levels_where_the_count_belongs_to_nobody) {
    release_op one({.last = false});
    one.start(plain);
    EXPECT_EQ(one.on_count_answer(count_answer::not_held).then, effect::lost);
    EXPECT_EQ(one.result(), outcome::lost);
}

TEST_F(release_op_test, says_that_an_answer_to_the_count_is_not_understood) {
    release_op one({.last = false});
    one.start(plain);
    EXPECT_EQ(one.on_count_answer(count_answer::not_understood).then, effect::none);
    EXPECT_EQ(one.result(), outcome::bad_reply);
}

TEST_F(release_op_test, takes_the_local_count_for_the_truth_where_no_answer_comes) {
    release_op one({.last = false});
    one.start(plain);
    auto const end = one.on_no_answer();
    EXPECT_EQ(end.what, act::finish);
    EXPECT_EQ(end.then, effect::none);
    EXPECT_EQ(one.result(), outcome::released);
}

TEST_F(release_op_test, sends_the_last_release_as_the_server_takes_it) {
    for (bool const unattended : {false, true}) {
        EXPECT_EQ(release_op({.unattended = unattended}).start(plain).how, form::plain);
        EXPECT_EQ(release_op({.unattended = unattended}).start(scripts).how, form::script);
    }
    EXPECT_EQ(release_op({}).start(unknown_scripts).how, form::script);
    EXPECT_EQ(release_op({.unattended = true}).start(unknown_scripts).how, form::script_text)
        << "nobody is there to send the text when the server asks for it";
}

TEST_F(release_op_test, ends_with_the_answer_that_it_released) {
    for (auto const what : {kind::released, kind::released_silently}) {
        release_op one({});
        one.start(plain);
        EXPECT_TRUE(one.is_plain());
        auto const end = answered(one, {what});
        EXPECT_EQ(end.what, act::finish);
        EXPECT_EQ(end.then, effect::released);
        EXPECT_FALSE(end.tell_head) << "its attempt is right behind the release";
        EXPECT_EQ(one.result(), outcome::released);
    }
}

TEST_F(release_op_test, that_found_nothing_has_lost_the_lock) {
    release_op one({});
    one.start(scripts);
    EXPECT_FALSE(one.is_plain());
    auto const end = answered(one, {kind::not_held});
    EXPECT_EQ(end.then, effect::lost);
    EXPECT_FALSE(end.tell_head);
    EXPECT_EQ(one.result(), outcome::lost);
}

TEST_F(release_op_test, that_found_nothing_when_it_was_repeated_has_released_while_the_hold_was_valid) {
    for (bool const noted : {false, true}) {
        release_op one({});
        one.start(scripts);
        if (noted) one.note_repeated();
        auto const end = answered(one, {kind::not_held}, !noted);
        EXPECT_EQ(end.then, effect::released);
        EXPECT_TRUE(end.tell_head) << "its attempt went out behind the first copy";
        EXPECT_EQ(one.result(), outcome::released);
    }
    release_op late({});
    late.start(scripts);
    EXPECT_EQ(answered(late, {kind::not_held}, true, at(valid_for)).then, effect::lost)
        << "somebody else may have held it since";
    EXPECT_EQ(late.result(), outcome::lost);
}

TEST_F(release_op_test, tells_the_head_where_its_attempt_may_have_come_too_early) {
    release_op by_text({});
    by_text.start(scripts);
    EXPECT_TRUE(by_text.on_release_answer({kind::released}, false, true, 1, at(0ms), at(valid_for)).tell_head);
    release_op again({});
    again.start(plain);
    EXPECT_EQ(again.on_plain_refused(scripts).how, form::script);
    EXPECT_TRUE(answered(again, {kind::released}).tell_head);
    release_op paused({});
    paused.start(plain);
    paused.on_error(verdict::not_executed, at(0ms), at(10ms), at(50ms));
    paused.on_pause_over(plain);
    EXPECT_TRUE(answered(paused, {kind::released}).tell_head);
}

TEST_F(release_op_test, tells_a_head_that_yields_where_nobody_else_listens) {
    for (bool const must_yield : {false, true})
        for (std::int64_t const others : {0, 1}) {
            release_op one({.head_yields = must_yield});
            one.start(plain);
            auto const end = one.on_release_answer({kind::released}, false, false, others, at(0ms), at(valid_for));
            EXPECT_EQ(end.tell_head, must_yield && others == 0);
        }
}

TEST_F(release_op_test, leaves_to_the_reaper_what_nobody_can_tell) {
    release_op silent({});
    silent.start(plain);
    EXPECT_EQ(silent.on_no_answer().then, effect::reaped);
    EXPECT_EQ(silent.result(), outcome::unknown);
    release_op odd({});
    odd.start(plain);
    EXPECT_EQ(answered(odd, {kind::not_understood}).then, effect::reaped);
    EXPECT_EQ(odd.result(), outcome::unknown);
}

TEST_F(release_op_test, pauses_while_the_server_executes_nothing) {
    for (auto const what : {verdict::not_executed, verdict::read_only}) {
        release_op one({});
        one.start(plain);
        auto const pause = one.on_error(what, at(0ms), at(10ms), at(50ms));
        EXPECT_EQ(pause.what, act::pause);
        EXPECT_EQ(pause.until, at(10ms));
        EXPECT_EQ(one.on_pause_over(plain).how, form::plain);
        EXPECT_EQ(one.on_error(what, at(40ms), at(80ms), at(50ms)).until, at(50ms)) << "not beyond the deadline";
        EXPECT_EQ(one.on_pause_over(scripts).how, form::script) << "another connection takes other commands";
        EXPECT_EQ(one.on_error(what, at(50ms), at(90ms), at(50ms)).then, effect::reaped);
        EXPECT_EQ(one.result(), outcome::unknown);
    }
}

TEST_F(release_op_test, ends_with_what_the_server_refuses) {
    for (bool const last : {false, true})
        for (auto const what : {verdict::refused, verdict::no_script, verdict::wrong_type}) {
            release_op one({.last = last});
            one.start(plain);
            auto const end = one.on_error(what, at(0ms), at(0ms), at(50ms));
            EXPECT_EQ(end.what, act::finish);
            EXPECT_EQ(end.then, last ? effect::reaped : effect::none);
            EXPECT_EQ(one.result(), what == verdict::wrong_type ? outcome::wrong_type : outcome::refused);
        }
}

} // namespace
} // namespace redlatch::locking
