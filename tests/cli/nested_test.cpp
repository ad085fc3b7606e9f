// A redlatch run within the command of another one.
#include "holder_watch.hpp"
#include "tool.hpp"

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class nested_run : public tool_test {
protected:
    /// `run NAME -- redlatch ARGUMENTS`.
    static words around(std::string const& name, words arguments) {
        words result{"run", name, "--", the_tool()};
        result.insert(result.end(), arguments.begin(), arguments.end());
        return result;
    }
};

TEST_F(nested_run, of_the_same_lock_is_refused_instead_of_waiting_for_itself) {
    for (auto const& inner : {words{"run", "job", "--", "true"}, words{"hold", "job"}}) {
        auto const result = run(around("job", inner));
        EXPECT_EQ(result.status, 64) << inner.front();
        EXPECT_NE(result.errors.find("'job' is held by the redlatch run around this command"), std::string::npos)
            << result.errors;
    }
}

TEST_F(nested_run, of_the_outermost_lock_is_refused_too) {
    auto const result = run(around("job", around("other", {"run", "job", "--", "true"})));
    EXPECT_EQ(result.status, 64);
    EXPECT_NE(result.errors.find("'job' is held by the redlatch run around"), std::string::npos) << result.errors;
}

TEST_F(nested_run, that_does_not_wait_for_ever_is_busy_and_says_by_whom) {
    for (auto const& inner :
         {words{"run", "job", "--no-wait", "--", "true"}, words{"run", "job", "--wait", "1s", "--", "true"}}) {
        auto const result = run(around("job", inner));
        EXPECT_EQ(result.status, 75);
        EXPECT_NE(result.errors.find("the redlatch run around this command holds it"), std::string::npos)
            << result.errors;
    }
}

TEST_F(nested_run, of_another_lock_or_on_another_server_runs) {
    EXPECT_EQ(run(around("job", {"run", "other", "--", "sh", "-c", "exit 3"})).status, 3);
    redis_server const elsewhere;
    EXPECT_EQ(run(around("job", {"run", "job", "--server", elsewhere.uri(), "--", "sh", "-c", "exit 4"})).status, 4);
}

TEST_F(nested_run, waits_for_somebody_else_although_the_lock_around_it_has_that_name) {
    redis_server const elsewhere;
    hold_as_stranger(elsewhere, "job", 1h);
    auto const tool = start(around("job", {"run", "job", "--server", elsewhere.uri(), "--", "echo", "ran"}));
    EXPECT_FALSE(tool->wait(300ms)) << "a stranger will release it";
    release_as_stranger(elsewhere, "job");
    EXPECT_EQ(finish(*tool).output, "ran\n");
}

TEST(owners_around_a_process, are_found_among_the_holders_of_a_lock) {
    lock_info lock;
    lock.owners = {{"a:1", "a", "1", 1}, {"b:22", "b", "22", 1}};
    using cli::held_by_one_of;
    EXPECT_TRUE(held_by_one_of("b:22", lock));
    EXPECT_TRUE(held_by_one_of("x:9 a:1", lock));
    EXPECT_TRUE(held_by_one_of("a:1 x:9", lock));
    EXPECT_FALSE(held_by_one_of("b:2 a:11", lock)) << "the whole owner counts";
    EXPECT_FALSE(held_by_one_of("", lock));
    EXPECT_FALSE(held_by_one_of(" ", lock));
}

} // namespace
} // namespace redlatch::test
