#include "api/joint_answers.hpp"

#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::detail {
namespace {

using ::testing::ElementsAre;

/// Three members that answer when the test says so.
class joint_answers_test : public ::testing::Test {
protected:
    std::shared_ptr<joint_answers<int>> work =
        std::make_shared<joint_answers<int>>(std::vector<std::string>{"lock 'a'", "lock 'b'", "lock 'c'"}, "looking");
    std::vector<completion_ptr<int>> asked{};

    void begin() {
        work->begin([this](std::size_t, completion_ptr<int>& done) {
            asked.push_back(std::move(done));
            return std::nullopt;
        });
    }
    void answer(std::size_t member, int value) { asked[member].release()->complete(outcome(), value); }
    void fail(std::size_t member, errc why) {
        asked[member].release()->complete(outcome(why, "of " + std::to_string(member)), 0);
    }
};

TEST_F(joint_answers_test, ask_all_at_the_same_time_and_end_with_the_last_answer) {
    begin();
    ASSERT_EQ(asked.size(), 3U);
    answer(2, 30);
    answer(0, 10);
    EXPECT_FALSE(work->ended());
    answer(1, 20);
    ASSERT_TRUE(work->ended());
    EXPECT_FALSE(work->result().failed());
    EXPECT_THAT(work->take(), ElementsAre(10, 20, 30)) << "in the order of the members";
}

TEST_F(joint_answers_test, end_with_the_first_failure_in_the_order_of_the_members) {
    begin();
    fail(2, errc::wrong_type);
    fail(1, errc::server_refused);
    EXPECT_FALSE(work->ended()) << "the others are asked all the same";
    answer(0, 10);
    EXPECT_EQ(work->result().code(), errc::server_refused);
    EXPECT_EQ(work->result().message(), "of 1");
}

TEST_F(joint_answers_test, take_an_answer_that_is_there_at_once) {
    work->begin([this](std::size_t member, completion_ptr<int>& done) -> std::optional<outcome> {
        if (member == 1) return outcome(errc::closed, "its client is closed");
        asked.push_back(std::move(done));
        return std::nullopt;
    });
    ASSERT_EQ(asked.size(), 2U);
    answer(0, 10);
    answer(1, 30);
    EXPECT_EQ(work->result().code(), errc::closed);
}

TEST_F(joint_answers_test, name_who_has_not_answered_in_time) {
    begin();
    answer(0, 10);
    answer(2, 30);
    work->end_early(errc::timed_out);
    EXPECT_EQ(work->result().code(), errc::disconnected);
    EXPECT_EQ(work->result().message(), "looking: the server of lock 'b' did not answer in time");
    answer(1, 20); // too late, and harmless
}

TEST_F(joint_answers_test, know_at_the_end_of_their_time_who_has_failed) {
    begin();
    fail(1, errc::wrong_type);
    answer(0, 10);
    work->end_early(errc::timed_out);
    EXPECT_EQ(work->result().code(), errc::wrong_type);
    answer(2, 30);
}

TEST_F(joint_answers_test, ask_nobody_when_they_have_ended_before) {
    work->end_early(errc::cancelled);
    begin();
    EXPECT_TRUE(asked.empty());
    EXPECT_EQ(work->result().code(), errc::cancelled);
    EXPECT_EQ(work->result().message(), "looking: the wait was cancelled");
}

TEST_F(joint_answers_test, end_where_the_loop_of_a_member_goes) {
    begin();
    answer(0, 10);
    answer(1, 20);
    asked[2].reset(); // discarded
    EXPECT_EQ(work->result().code(), errc::closed);
}

} // namespace
} // namespace redlatch::detail
