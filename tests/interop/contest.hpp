// A contest of both languages for a section: threads of each side go in and out as often as they get in.
#pragma once

#include "interop_test.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::test {

/// Of one thread. Entries that are counted are of the time in which all contended.
struct contest_part {
    std::int64_t most_inside = 0;
    std::int64_t entries = 0;
    // Of a Java thread that asks again what has failed (RetriedLock.java):
    std::int64_t refusals = 0;
    std::int64_t losses = 0; ///< of locks that it was inside with
};

/// Of both sides together.
struct contest_end {
    std::int64_t most_inside = 0;
    std::int64_t ours = 0;
    std::int64_t theirs = 0;
};

/// What each does inside. Then it asks again at once: the other one waits, and has to be woken.
inline constexpr std::chrono::milliseconds contest_work{5};
inline constexpr std::chrono::milliseconds no_pause{0};
/// Where nobody is woken, and where those that share a lock go in while others are inside: who wants it alone comes by chance.
inline constexpr std::chrono::milliseconds some_pause{3};

/// What all of them share; the counters and the steps are described in Contest.java. Begins with none.
class contest_of {
public:
    contest_of(redis_server const& server, std::string prefix, std::int64_t entries)
        : server_(server), prefix_(std::move(prefix)), wanted_(entries) {
        server_.run("DEL", counter("begun"), counter("inside"), counter("entries"));
    }

    /// A Java thread, which asks by `command` for `lock` from now on, and counts for `weight` while it is inside.
    java_peer::ticket begins(java_peer& java, std::string const& thread, std::string const& command,
                             std::string const& lock, std::int64_t weight = 1,
                             std::chrono::milliseconds pause = no_pause) {
        auto const microseconds = [](auto time) { return std::to_string(std::chrono::microseconds(time).count()); };
        auto const ticket = java.start(thread, command,
                                       {lock, prefix_, std::to_string(wanted_), microseconds(contest_work),
                                        microseconds(pause), std::to_string(weight)});
        ++begun_;
        EXPECT_TRUE(wait_until([&] { return server_.run("GET", counter("begun")).text == std::to_string(begun_); }));
        return ticket;
    }
    static contest_part end_of(java_peer& java, java_peer::ticket which) {
        return part_of(java.end_of(which, std::chrono::minutes(1)));
    }
    static contest_part part_of(java_peer::reply const& answer) {
        EXPECT_TRUE(answer.ok) << answer.exception_class << ": " << answer.value;
        long long most = 0;
        long long entries = 0;
        long long refusals = 0;
        long long losses = 0;
        EXPECT_GE(std::sscanf(answer.value.c_str(), "%lld,%lld,%lld,%lld", &most, &entries, &refusals, &losses), 2);
        return {most, entries, refusals, losses};
    }
    /// By all, so far.
    std::int64_t entries() const {
        return std::strtoll(server_.run("GET", counter("entries")).text.c_str(), nullptr, 10);
    }
    /// Who is inside, or on the way in, comes out again, and that is all.
    void end() const { server_.run("SET", counter("entries"), std::to_string(wanted_)); }

    /// This thread, until there were as many entries as wanted. `enter()` gets it in, and out with release().
    template <class Enter>
    contest_part take_part(Enter enter, std::int64_t weight = 1, std::chrono::milliseconds pause = no_pause) const {
        raw_client redis = server_.admin();
        contest_part mine;
        for (std::int64_t entry = 0; entry < wanted_;) {
            auto in = enter();
            auto const seen = redis.command("INCRBY", counter("inside"), std::to_string(weight)).integer;
            mine.most_inside = std::max<std::int64_t>(mine.most_inside, seen);
            entry = redis.command("INCR", counter("entries")).integer;
            if (entry <= wanted_) ++mine.entries;
            std::this_thread::sleep_for(contest_work); // sleeps because work takes time
            redis.command("DECRBY", counter("inside"), std::to_string(weight));
            in.release();
            if (pause > no_pause) std::this_thread::sleep_for(pause); // sleeps because other work does too
        }
        return mine;
    }

private:
    std::string counter(char const* which) const { return prefix_ + ":" + which; }

    redis_server const& server_;
    std::string prefix_;
    std::int64_t wanted_;
    int begun_ = 0;
};

/// Waits for all of them.
inline contest_end end_of_both(std::vector<std::future<contest_part>>& ours, java_peer& java,
                               std::vector<java_peer::ticket> const& theirs) {
    contest_end end;
    auto const add = [&end](contest_part const& part, std::int64_t& of_side) {
        of_side += part.entries;
        end.most_inside = std::max(end.most_inside, part.most_inside);
    };
    for (auto& one : ours) add(one.get(), end.ours);
    for (auto const one : theirs) add(contest_of::end_of(java, one), end.theirs);
    return end;
}

struct contest_size {
    std::int64_t entries;
    int threads_of_a_side = 2;
};

/// `enter()` gets us in, and out with release().
template <class Enter>
contest_end contest(redis_server const& server, java_peer& java, std::string const& command, std::string const& name,
                    contest_size size, Enter enter, std::chrono::milliseconds pause = no_pause) {
    contest_of all(server, name, size.entries);
    auto first = enter();
    std::vector<java_peer::ticket> theirs;
    for (int i = 0; i < size.threads_of_a_side; ++i)
        theirs.push_back(all.begins(java, "contender-" + std::to_string(i), command, name, 1, pause));
    first.release();
    std::vector<std::future<contest_part>> ours;
    for (int i = 0; i < size.threads_of_a_side; ++i)
        ours.push_back(std::async(std::launch::async, [&] { return all.take_part(enter, 1, pause); }));
    auto const end = end_of_both(ours, java, theirs);
    EXPECT_EQ(end.ours + end.theirs, size.entries);
    std::printf("of %d entries C++ had %d, Java %d\n", int(size.entries), int(end.ours), int(end.theirs));
    return end;
}

/// Of several contests, one after the other.
inline contest_end together(contest_end const& one, contest_end const& next) {
    return {std::max(one.most_inside, next.most_inside), one.ours + next.ours, one.theirs + next.theirs};
}

inline bool has_a_tenth_each(contest_end const& end) {
    return 10 * std::min(end.ours, end.theirs) >= end.ours + end.theirs;
}

/// Holds one contest, and where a side had less than a tenth up to two more, for the sum of them: on a machine with other work
/// a JVM may get no processor in the seconds that one takes. Who is starved is so in all of them.
template <class Contest> contest_end up_to_three(Contest hold_one) {
    auto sum = hold_one();
    for (int i = 0; i < 2 && !has_a_tenth_each(sum); ++i) sum = together(sum, hold_one());
    return sum;
}

/// Never two inside, and sometimes one of each side.
inline void expect_one_at_a_time_of_both_sides(contest_end const& end) {
    EXPECT_EQ(end.most_inside, 1);
    EXPECT_GT(end.ours, 0);
    EXPECT_GT(end.theirs, 0);
}

inline void expect_a_tenth_each(contest_end const& end) {
    EXPECT_TRUE(has_a_tenth_each(end)) << "C++ had " << end.ours << ", Java " << end.theirs;
}

/// And neither side is left behind: Java had 41 to 82 % on a machine with other work, of a red lock 25 to 31 %. A JVM that gets
/// no processor asks seldom.
inline void expect_one_at_a_time_and_a_tenth_each(contest_end const& end) {
    expect_one_at_a_time_of_both_sides(end);
    expect_a_tenth_each(end);
}

} // namespace redlatch::test
