// The checker of observers of elections: histories that it must reject, and those that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact leads(moment when, std::string owner, bool yes = true, int process = 1) {
    return {.what = kind::in_key, .when = when, .process = process, .lock = 0, .owner = std::move(owner), .yes = yes};
}
fact watches(moment when, std::string known, moment until = never) {
    return {.what = kind::watches,
            .when = when,
            .process = 0,
            .worker = 0,
            .lock = 0,
            .owner = std::move(known),
            .until = until};
}
fact asks(moment when) {
    auto one = watches(when, {});
    one.yes = true;
    return one;
}
fact sees(moment when, std::string owner, answer said = answer::done) {
    return {.what = kind::sees_leader,
            .when = when,
            .process = 0,
            .worker = 0,
            .lock = 0,
            .owner = std::move(owner),
            .said = said};
}
fact about(moment when, kind what, int process = -1) {
    return {.what = what, .when = when, .process = process};
}
fact looked(moment when) {
    return {.what = kind::probe, .when = when, .lock = 0};
}

bool rejects(history const& all) {
    return check_observers(all, {.judged = true, .patience = 1s, .longest_lease = 3s}).has_value();
}

TEST(observers_checker, rejects_a_leader_who_did_not_lead) {
    EXPECT_FALSE(rejects({leads(1ms, "a"), asks(2ms), sees(3ms, "a")}));
    EXPECT_TRUE(rejects({leads(1ms, "a"), asks(2ms), sees(3ms, "b")}));
    EXPECT_TRUE(rejects({leads(1ms, "a"), asks(2ms), sees(3ms, "")}));
    EXPECT_FALSE(rejects({leads(1ms, "a"), asks(2ms), leads(3ms, "a", false), sees(4ms, "")}));
    EXPECT_FALSE(rejects({leads(1ms, "a"), asks(2ms), leads(3ms, "a", false), sees(4ms, "a")})) << "it did then";
    EXPECT_TRUE(rejects({leads(1ms, "a"), leads(2ms, "a", false), asks(3ms), sees(4ms, "a")}));
    EXPECT_TRUE(rejects({sees(1ms, "")})) << "nobody has asked";
}

TEST(observers_checker, rejects_a_change_that_is_none) {
    EXPECT_TRUE(rejects({leads(1ms, "a"), watches(2ms, "a"), sees(3ms, "a")}));
    EXPECT_FALSE(rejects({leads(1ms, "a"), watches(2ms, ""), sees(3ms, "a")}));
}

TEST(observers_checker, rejects_a_wait_beyond_its_deadline) {
    EXPECT_TRUE(rejects({watches(1ms, "", 10ms), sees(40ms, "", answer::timed_out)}));
    EXPECT_FALSE(rejects({watches(1ms, "", 10ms), sees(20ms, "", answer::timed_out)}));
    EXPECT_FALSE(rejects({watches(1ms, "", 10ms), about(2ms, kind::stopped, 0), about(39ms, kind::went_on, 0),
                          sees(40ms, "", answer::timed_out)}));
}

TEST(observers_checker, rejects_an_observer_that_is_not_told) {
    history const all{about(0ms, kind::quiet), watches(1ms, ""), leads(2ms, "a"), looked(900ms), looked(1100ms)};
    EXPECT_TRUE(rejects(all));
    EXPECT_FALSE(rejects({all.begin(), all.end() - 1}));
    EXPECT_FALSE(rejects({all.begin() + 1, all.end()})) << "something is wrong yet";
    auto gone = all;
    gone.insert(gone.begin() + 2, about(2ms, kind::left, 0));
    EXPECT_FALSE(rejects(gone)) << "its process has died";
    history expired{about(0ms, kind::quiet), leads(1ms, "a"), watches(2ms, "a"), leads(3ms, "a", false, -1)};
    expired.push_back(looked(2s));
    EXPECT_FALSE(rejects(expired)) << "it sleeps until the lease that it saw has run out";
    expired.push_back(looked(5s));
    EXPECT_TRUE(rejects(expired));
    history late{about(0ms, kind::quiet), leads(1ms, "a"), watches(2s, ""), looked(2100ms)};
    EXPECT_FALSE(rejects(late)) << "it has only begun to wait";
}

TEST(observers_checker, believes_what_a_former_master_has_said) {
    fact said{.what = kind::outdated, .when = 3ms, .process = 0, .lock = 0, .owner = "b"};
    EXPECT_FALSE(rejects({leads(1ms, "a"), asks(2ms), said, sees(4ms, "b")}));
    said.process = 1;
    EXPECT_TRUE(rejects({leads(1ms, "a"), asks(2ms), said, sees(4ms, "b")})) << "to another process";
}

} // namespace
} // namespace redlatch::sim
