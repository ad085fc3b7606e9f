// Permits with ids and leases, taken and released by both languages.
#include "contest.hpp"
#include "counter_test.hpp"
#include "support/lock_helpers.hpp"

#include <cstdio>
#include <sstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// Through the asynchronous face in that variant.
permits take_leased(permit_semaphore& from, leased_permit_options options = {}) {
    if (!options.wait) options.wait = patience;
    if (!asynchronously()) return from.acquire(options);
    return answered<permits>([&](completion_ptr<permits>& done) { return from.start_acquire(options, done); });
}

class shared_permits : public counter_test {
protected:
    permit_semaphore of(client& user) const { return user.get_permit_semaphore(name, {.exactly_once = GetParam()}); }

    std::string in_java(std::string const& command, java_peer::words arguments = {}) const {
        arguments.insert(arguments.begin(), name);
        return ask_java("permits/" + command, arguments);
    }
    std::vector<std::string> java_takes(int count, int lease_ms) const {
        std::vector<std::string> ids;
        std::istringstream words(in_java("acquire", {std::to_string(count), std::to_string(lease_ms)}));
        for (std::string id; std::getline(words, id, ',');) ids.push_back(id);
        return ids;
    }
    static std::string joined(std::vector<std::string> const& ids) {
        std::string out;
        for (auto const& id : ids) out += (out.empty() ? "" : ",") + id;
        return out;
    }
    void expect_both_see(std::int64_t available, std::int64_t acquired) {
        EXPECT_EQ(ours.available_permits(), available);
        EXPECT_EQ(in_java("availablePermits"), std::to_string(available));
        EXPECT_EQ(ours.acquired_permits(), acquired);
        EXPECT_EQ(in_java("acquiredPermits"), std::to_string(acquired));
        EXPECT_EQ(ours.get_permits(), available + acquired);
        EXPECT_EQ(in_java("getPermits"), std::to_string(available + acquired));
    }
    /// Who waits has asked, subscribed, and asked again: each script looks at the number.
    void SetUp() override {
        counter_test::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) server().run("DEL", timeouts);
    }
    java_peer::ticket java_waits(std::string const& thread, int count = 1) const {
        return counter_test::java_waits(channel, thread, "permits/acquireTimed", {name, std::to_string(count)});
    }
    std::future<long long> cpp_waits(client& user, int count = 1) const {
        return counter_test::cpp_waits(
            channel, [from = of(user), count]() mutable { (void)take_leased(from, {.permits = count}).detach(); });
    }

    std::string const channel = "redisson_sc:{" + name + "}";
    std::string const timeouts = "{" + name + "}:timeout";
    permit_semaphore ours = of(cpp);
};

INSTANTIATE_TEST_SUITE_P(of, shared_permits, ::testing::Bool(), request_form);

TEST_P(shared_permits, are_the_same_on_both_sides_and_released_by_either) {
    EXPECT_TRUE(ours.try_set_permits(5));
    EXPECT_EQ(in_java("trySetPermits", {"9"}), "false");
    expect_both_see(5, 0);
    auto const theirs = java_takes(2, 60'000);
    ASSERT_EQ(theirs.size(), 2U);
    expect_both_see(3, 2);
    auto const mine = take_leased(ours, {.permits = 3, .lease = 60s}).detach();
    expect_both_see(0, 5);
    EXPECT_EQ(in_java("tryAcquire"), "none");
    EXPECT_FALSE(ours.try_acquire());

    ours.release(theirs);
    expect_both_see(2, 3);
    in_java("release", {mine[0]});
    expect_both_see(3, 2);
    in_java("release", {joined({mine[1], mine[2]})});
    expect_both_see(5, 0);
    EXPECT_EQ(in_java("tryRelease", {mine[0]}), "false");
    EXPECT_FALSE(ours.try_release(theirs[0]));
    expect_both_see(5, 0);
}

TEST_P(shared_permits, have_leases_that_both_sides_see_and_change) {
    EXPECT_EQ(in_java("trySetPermits", {"2"}), "true");
    auto const theirs = java_takes(1, 60'000).front();
    auto const seen_here = ours.lease_of(theirs);
    ASSERT_TRUE(seen_here);
    EXPECT_GT(*seen_here, 50s);
    EXPECT_LE(*seen_here, 60s);
    auto const mine = take_leased(ours).detach().front();
    EXPECT_EQ(in_java("getLeaseTime", {mine}), "-1") << "for ever";
    EXPECT_EQ(in_java("updateLeaseTime", {mine, "600000"}), "true");
    EXPECT_GT(*ours.lease_of(mine), 590s);
    EXPECT_TRUE(ours.update_lease(theirs, std::nullopt));
    EXPECT_EQ(in_java("getLeaseTime", {theirs}), "-1");
    EXPECT_TRUE(ours.update_lease(theirs, 300s));
    auto const seen_there = std::stoll(in_java("getLeaseTime", {theirs}));
    EXPECT_GT(seen_there, 290'000);
    EXPECT_LE(seen_there, 300'000);
    expect_both_see(0, 2);
}

TEST_P(shared_permits, come_back_to_both_sides_when_their_leases_end) {
    EXPECT_TRUE(ours.try_set_permits(2));
    java_takes(1, 200);
    (void)take_leased(ours, {.lease = 200ms}).detach();
    permits const again = take_leased(ours, {.permits = 2}); // nobody releases
    EXPECT_TRUE(again);
    auto const ids = again.ids();
    EXPECT_TRUE(ours.update_lease(ids[0], 200ms));
    EXPECT_TRUE(ours.update_lease(ids[1], 200ms));
    EXPECT_EQ(java_takes(2, 0).size(), 2U) << "Java waits until then";
    expect_both_see(0, 2);
}

TEST_P(shared_permits, wake_waiters_of_the_other_side) {
    EXPECT_TRUE(ours.try_set_permits(1));
    permits mine = take_leased(ours);
    auto const theirs = java_waits("a");
    auto const released = wall_microseconds();
    mine.release();
    EXPECT_LT(end_of(theirs) - released, woken_by_message);
    expect_both_see(0, 1);

    auto waiter = cpp_waits(cpp);
    auto const id = server().run("ZRANGE", timeouts, "0", "-1").items.at(0).text;
    std::string shown;
    for (char const byte : id) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
        shown += digits;
    }
    auto const released_there = std::stoll(in_java("release", {shown}));
    EXPECT_LT(waiter.get() - released_there, woken_by_message);
    expect_both_see(0, 1);
}

TEST_P(shared_permits, of_which_there_is_one_let_in_one_at_a_time_and_starve_neither_side) {
    EXPECT_TRUE(ours.try_set_permits(1));
    expect_one_at_a_time_and_a_tenth_each(up_to_three(
        [&] { return contest(server(), java(), "permits/contest", name, {200}, [&] { return take_leased(ours); }); }));
}

TEST_P(shared_permits, of_which_there_are_two_let_two_in_and_starve_neither_side) {
    EXPECT_TRUE(ours.try_set_permits(2));
    auto const end = up_to_three([&] {
        return contest(server(), java(), "permits/contest", name, {200, 3}, [&] { return take_leased(ours); });
    });
    EXPECT_EQ(end.most_inside, 2);
    expect_a_tenth_each(end);
}

TEST_P(shared_permits, wake_waiters_when_the_other_side_sets_or_adds) {
    auto theirs = java_waits("a");
    auto changed = wall_microseconds();
    ours.set_permits(1);
    EXPECT_LT(end_of(theirs) - changed, woken_by_message);
    theirs = java_waits("a", 2);
    changed = wall_microseconds();
    ours.add_permits(2);
    EXPECT_LT(end_of(theirs) - changed, woken_by_message);
    auto mine = cpp_waits(cpp);
    changed = wall_microseconds();
    in_java("addPermits", {"1"});
    EXPECT_LT(mine.get() - changed, woken_by_message);
    mine = cpp_waits(cpp);
    changed = wall_microseconds();
    in_java("setPermits", {"5"});
    EXPECT_LT(mine.get() - changed, woken_by_message);
    expect_both_see(0, 5);
    ours.set_permits(2);
    expect_both_see(-3, 5);
    EXPECT_EQ(in_java("delete"), "true");
    expect_both_see(0, 0);
}

TEST_P(shared_permits, look_the_same_whoever_uses_them) {
    using steps = std::vector<std::function<void()>>;
    std::vector<std::string> ids;
    auto const form = [&] {
        auto const taken = server().run("ZRANGE", timeouts, "0", "-1", "WITHSCORES").items;
        std::string out;
        for (std::size_t i = 0; i + 1 < taken.size(); i += 2)
            out += " " + std::to_string(taken[i].text.size()) + " bytes until " + taken[i + 1].text;
        return out;
    };
    std::string by_cpp_form;
    auto const by_cpp = trace(name, channel,
                              steps{[&] { EXPECT_TRUE(ours.try_set_permits(5)); },
                                    [&] {
                                        ids = take_leased(ours, {.permits = 3}).detach();
                                        by_cpp_form = form();
                                    },
                                    [&] { ours.release(ids[0]); }, [&] { ours.add_permits(3); },
                                    [&] { ours.set_permits(10); }, [&] { ours.set_permits(9); }});
    ours.remove();
    std::string by_java_form;
    auto const by_java = trace(name, channel,
                               steps{[&] { in_java("trySetPermits", {"5"}); },
                                     [&] {
                                         ids = java_takes(3, 0);
                                         by_java_form = form();
                                     },
                                     [&] { in_java("release", {ids[0]}); }, [&] { in_java("addPermits", {"3"}); },
                                     [&] { in_java("setPermits", {"10"}); }, [&] { in_java("setPermits", {"9"}); }});
    EXPECT_EQ(by_cpp_form, by_java_form);
    auto const numbers = [](std::vector<std::string> lines) {
        lines.resize(6);
        return lines;
    };
    EXPECT_EQ(numbers(by_cpp), numbers(by_java));
    std::vector<std::string> const expected{"5", "2", "3", "6", "8", "7"};
    EXPECT_EQ(numbers(by_cpp), expected);
    std::vector<std::string> const told(by_cpp.begin() + 6, by_cpp.end());
    std::vector<std::string> const available{"message 5", "message 3", "message 6", "message 8"};
    EXPECT_EQ(told, available) << "how many can be taken, where there are more than before";
}

TEST_P(shared_permits, have_the_same_keys_whatever_the_name) {
    for (std::string const key : counter_names) {
        SCOPED_TRACE(key);
        auto shared = cpp.get_permit_semaphore(key, {.exactly_once = GetParam()});
        server().run("DEL", key);
        EXPECT_TRUE(shared.try_set_permits(2));
        auto const mine = take_leased(shared, {.lease = 60s}).detach().front();
        auto const theirs = ask_java("permits/acquire", {key, "1", "60000"});
        EXPECT_EQ(ask_java("permits/tryRelease", {key, mine}), "true");
        shared.release(theirs);
        EXPECT_EQ(shared.available_permits(), 2);
        EXPECT_TRUE(shared.remove());
        EXPECT_EQ(ask_java("permits/getPermits", {key}), "0");
    }
}

} // namespace
} // namespace redlatch::test
