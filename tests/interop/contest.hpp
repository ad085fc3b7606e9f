// A contest of both languages for a section: one thread of each side goes in and out as often as it gets in.
#pragma once

#include "interop_test.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace redlatch::test {

/// Of both sides together. All entries that are counted are of the time in which both contended.
struct contest_end {
    std::int64_t most_inside = 0;
    std::int64_t ours = 0;
    std::int64_t theirs = 0;
};

/// What each does inside, and before it asks again: for less time, so that the other one waits and has to be woken. Without the
/// pause, whatever the work, Java got 10 to 72 % where processes take turns (the re-entrant, non-reentrant and fenced lock,
/// elections), half of fair locks, and 0.5 to 10 % of what knows neither turns nor a queue (write locks, values of a group,
/// permits): whoever has just released asks again before a message has woken anybody. Of spin locks it was 0.2 to 95 %.
inline constexpr std::chrono::milliseconds contest_work{5};
inline constexpr std::chrono::milliseconds contest_pause{3};

/// The steps are described in Contest.java, which runs as `command`. `enter()` gets us in, and out with release().
template <class Enter>
contest_end contest(redis_server const& server, java_peer& java, std::string const& command, std::string const& name,
                    std::int64_t entries, Enter enter) {
    raw_client redis = server.admin();
    auto const begun = name + ":begun";
    auto const inside = name + ":inside";
    auto const entered = name + ":entries";
    redis.command("DEL", begun, inside, entered);
    auto first = enter();
    auto const microseconds = [](auto time) { return std::to_string(std::chrono::microseconds(time).count()); };
    auto const java_side = java.start(
        "a", command, {name, name, std::to_string(entries), microseconds(contest_work), microseconds(contest_pause)});
    EXPECT_TRUE(wait_until([&] { return redis.command("EXISTS", begun).integer == 1; }));
    first.release();

    contest_end end;
    for (std::int64_t entry = 0; entry < entries;) {
        auto mine = enter();
        end.most_inside = std::max<std::int64_t>(end.most_inside, redis.command("INCR", inside).integer);
        entry = redis.command("INCR", entered).integer;
        if (entry <= entries) ++end.ours;
        std::this_thread::sleep_for(contest_work); // sleeps because work takes time
        redis.command("DECR", inside);
        mine.release();
        std::this_thread::sleep_for(contest_pause); // sleeps because other work does too
    }
    auto const answer = java.end_of(java_side, std::chrono::minutes(1));
    EXPECT_TRUE(answer.ok) << answer.exception_class << ": " << answer.value;
    long long most = 0;
    long long theirs = 0;
    EXPECT_EQ(std::sscanf(answer.value.c_str(), "%lld,%lld", &most, &theirs), 2);
    end.most_inside = std::max<std::int64_t>(end.most_inside, most);
    end.theirs = theirs;
    EXPECT_EQ(end.ours + end.theirs, entries);
    std::printf("of %d entries C++ had %d, Java %d\n", int(entries), int(end.ours), int(end.theirs));
    return end;
}

/// Never two inside, and sometimes one of each side.
inline void expect_both_got_in(contest_end const& end) {
    EXPECT_EQ(end.most_inside, 1);
    EXPECT_GT(end.ours, 0);
    EXPECT_GT(end.theirs, 0);
}

/// And neither side is left behind: Java had 28 to 53 % on a machine with other work. A JVM that gets no processor asks seldom.
inline void expect_a_tenth_for_each_side(contest_end const& end) {
    expect_both_got_in(end);
    EXPECT_GE(10 * end.ours, end.ours + end.theirs);
    EXPECT_GE(10 * end.theirs, end.ours + end.theirs);
}

} // namespace redlatch::test
