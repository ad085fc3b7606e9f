// One latch for both languages: whoever counts it down lets the waiters of both go on.
#include "counter_test.hpp"

#include <cstdio>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// Through the asynchronous face in that variant.
void pass(count_down_latch& gate) {
    wait_options const options{.wait = patience};
    if (!asynchronously()) return gate.wait(options);
    ended<>([&](completion_ptr<>& done) { return gate.start_wait(options, done); }).must_succeed();
}

class shared_latch : public counter_test {
protected:
    count_down_latch of(client& user) const { return user.get_count_down_latch(name, {.exactly_once = GetParam()}); }

    std::string in_java(std::string const& command, java_peer::words arguments = {}) const {
        arguments.insert(arguments.begin(), name);
        return ask_java("latch/" + command, arguments);
    }
    void expect_both_see(std::int64_t count) {
        EXPECT_EQ(ours.count(), count);
        EXPECT_EQ(in_java("getCount"), std::to_string(count));
        EXPECT_EQ(exists(name), count > 0);
    }
    java_peer::ticket java_waits(std::string const& thread) const {
        return counter_test::java_waits(channel, thread, "latch/await", {name});
    }
    std::future<long long> cpp_waits(client& user) const {
        return counter_test::cpp_waits(channel, [gate = of(user)]() mutable { pass(gate); });
    }

    std::string const channel = "redisson_countdownlatch__channel__{" + name + "}";
    count_down_latch ours = of(cpp);
};

INSTANTIATE_TEST_SUITE_P(of, shared_latch, ::testing::Bool(), request_form);

TEST_P(shared_latch, has_the_same_count_on_both_sides) {
    EXPECT_TRUE(ours.try_set_count(3));
    EXPECT_EQ(in_java("trySetCount", {"9"}), "false");
    expect_both_see(3);
    in_java("countDown");
    expect_both_see(2);
    EXPECT_TRUE(ours.count_down());
    expect_both_see(1);
    in_java("countDown");
    expect_both_see(0);
    EXPECT_FALSE(ours.count_down());
    in_java("countDown");
    expect_both_see(0);

    EXPECT_EQ(in_java("trySetCount", {"2"}), "true");
    EXPECT_FALSE(ours.try_set_count(9));
    expect_both_see(2);
    EXPECT_TRUE(ours.remove());
    expect_both_see(0);
    EXPECT_FALSE(ours.remove());
    EXPECT_TRUE(ours.try_set_count(2));
    EXPECT_GT(std::stoll(in_java("delete")), 0);
    expect_both_see(0);
    EXPECT_EQ(in_java("delete"), "-1");
}

TEST_P(shared_latch, holds_nobody_up_that_is_not_set) {
    EXPECT_GT(std::stoll(in_java("await")), 0);
    EXPECT_EQ(in_java("await", {"5000"}), "true");
    ours.wait({.wait = 0s});
    EXPECT_TRUE(ours.try_wait());
}

TEST_P(shared_latch, lets_a_waiter_of_either_side_go_when_its_time_is_over) {
    EXPECT_TRUE(ours.try_set_count(1));
    EXPECT_EQ(in_java("await", {"200"}), "false");
    ours.remove();
    in_java("trySetCount", {"1"});
    std::error_code ec;
    ours.wait({.wait = 1s}, ec);
    EXPECT_EQ(ec, errc::timed_out);
    expect_both_see(1);
}

TEST_P(shared_latch, lets_java_go_on_in_milliseconds_when_ours_counts_it_down) {
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        EXPECT_TRUE(ours.try_set_count(2));
        auto const waits = java_waits("a");
        EXPECT_TRUE(ours.count_down());
        EXPECT_TRUE(still_waits(waits));
        auto const opened = wall_microseconds();
        EXPECT_TRUE(ours.count_down());
        wake.add(end_of(waits) - opened);
    }
    std::printf("C++ counted down -> Java goes on: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
}

TEST_P(shared_latch, lets_ours_go_on_in_milliseconds_when_java_counts_it_down) {
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        in_java("trySetCount", {"2"});
        auto waits = cpp_waits(cpp);
        in_java("countDown");
        EXPECT_TRUE(still_waits(waits));
        auto const opened = std::stoll(in_java("countDown"));
        wake.add(waits.get() - opened);
    }
    std::printf("Java counted down -> C++ goes on: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
}

TEST_P(shared_latch, opens_for_all_waiters_when_both_sides_have_counted_it_down_together) {
    constexpr int threads = 4;
    constexpr int each = 5;
    client other{as_variant(config{.address = server().uri()})};
    for (bool const java_is_last : {true, false}) {
        EXPECT_TRUE(ours.try_set_count(2 * threads * each + 1));
        auto const first_java = java_waits("a");
        auto const second_java = java_waits("b");
        auto first_cpp = cpp_waits(cpp);
        auto second_cpp = cpp_waits(other);

        std::vector<java_peer::ticket> tickets;
        for (int count = 0; count < threads * each; ++count)
            tickets.push_back(java().start("c" + std::to_string(count % threads), "latch/countDown", {name}));
        {
            std::vector<std::jthread> workers;
            for (int thread = 0; thread < threads; ++thread)
                workers.emplace_back([gate = of(thread == 0 ? other : cpp)]() mutable {
                    for (int count = 0; count < each; ++count) EXPECT_TRUE(gate.count_down());
                });
        }
        for (auto const ticket : tickets) EXPECT_TRUE(java().end_of(ticket).ok);
        expect_both_see(1);
        EXPECT_TRUE(still_waits(first_java));
        EXPECT_TRUE(still_waits(first_cpp));

        auto const opened = wall_microseconds();
        if (java_is_last)
            in_java("countDown");
        else
            EXPECT_TRUE(ours.count_down());
        EXPECT_LT(end_of(first_java) - opened, woken_by_message);
        EXPECT_LT(end_of(second_java) - opened, woken_by_message);
        EXPECT_LT(first_cpp.get() - opened, woken_by_message);
        EXPECT_LT(second_cpp.get() - opened, woken_by_message);
        expect_both_see(0);
    }
}

TEST_P(shared_latch, lets_waiters_of_both_sides_go_on_when_ours_is_removed) {
    in_java("trySetCount", {"5"});
    client other{as_variant(config{.address = server().uri()})};
    auto const theirs = java_waits("a");
    auto mine = cpp_waits(other);
    auto const removed = wall_microseconds();
    EXPECT_TRUE(ours.remove());
    EXPECT_LT(end_of(theirs) - removed, woken_by_message);
    EXPECT_LT(mine.get() - removed, woken_by_message);
}

/// Java's own waiters go on waiting then: its message says that there is a new count.
TEST_P(shared_latch, lets_ours_go_on_when_java_deletes_it) {
    EXPECT_TRUE(ours.try_set_count(5));
    auto mine = cpp_waits(cpp);
    auto const deleted = std::stoll(in_java("delete"));
    EXPECT_GT(deleted, 0);
    EXPECT_LT(mine.get() - deleted, woken_by_message);
}

TEST_P(shared_latch, holds_waiters_up_again_when_the_other_side_has_set_it_again) {
    client other{as_variant(config{.address = server().uri()})};
    EXPECT_TRUE(ours.try_set_count(1));
    for (int round = 0; round < 3; ++round) {
        auto const theirs = java_waits("a");
        auto mine = cpp_waits(other);
        auto opened = wall_microseconds();
        EXPECT_TRUE(ours.count_down());
        EXPECT_LT(end_of(theirs) - opened, woken_by_message);
        EXPECT_LT(mine.get() - opened, woken_by_message);

        in_java("trySetCount", {"1"});
        auto const theirs_again = java_waits("a");
        auto mine_again = cpp_waits(other);
        opened = std::stoll(in_java("countDown"));
        EXPECT_LT(end_of(theirs_again) - opened, woken_by_message);
        EXPECT_LT(mine_again.get() - opened, woken_by_message);
        EXPECT_TRUE(ours.try_set_count(1));
    }
}

TEST_P(shared_latch, looks_the_same_whoever_uses_it) {
    using steps = std::vector<std::function<void()>>;
    auto const count_down = [&] { ours.count_down(); };
    auto const by_cpp = trace(name, channel,
                              steps{[&] { EXPECT_TRUE(ours.try_set_count(3)); }, count_down, count_down, count_down,
                                    count_down, [&] { ours.try_set_count(1); }});
    ours.remove();
    auto const java_counts_down = [&] { in_java("countDown"); };
    auto const by_java = trace(name, channel,
                               steps{[&] { in_java("trySetCount", {"3"}); }, java_counts_down, java_counts_down,
                                     java_counts_down, java_counts_down, [&] { in_java("trySetCount", {"1"}); }});
    EXPECT_EQ(by_cpp, by_java);
    std::vector<std::string> const expected{"3", "2", "1", "none", "none", "1", "message 1", "message 0", "message 1"};
    EXPECT_EQ(by_cpp, expected);
}

TEST_P(shared_latch, has_one_channel_for_both_sides_whatever_its_name) {
    for (std::string const key : counter_names) {
        SCOPED_TRACE(key);
        auto const heard_on = "redisson_countdownlatch__channel__{" + key + "}";
        auto shared = cpp.get_count_down_latch(key, {.exactly_once = GetParam()});
        for (bool const java_opens : {true, false}) {
            EXPECT_TRUE(shared.try_set_count(1));
            auto const theirs = counter_test::java_waits(heard_on, "a", "latch/await", {key});
            auto mine = counter_test::cpp_waits(heard_on, [&] { pass(shared); });
            EXPECT_EQ(listeners(heard_on), 2);
            auto const opened = wall_microseconds();
            if (java_opens)
                ask_java("latch/countDown", {key});
            else
                EXPECT_TRUE(shared.count_down());
            EXPECT_LT(end_of(theirs) - opened, woken_by_message);
            EXPECT_LT(mine.get() - opened, woken_by_message);
        }
    }
}

} // namespace
} // namespace redlatch::test
