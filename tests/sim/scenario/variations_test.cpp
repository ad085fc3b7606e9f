// What the fourth generation and those after it add is there, and does what it is said to do.
#include "sim/scenario/run.hpp"
#include "sim/world/half_sent.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <system_error>

namespace redlatch::sim {
namespace {

bool on_grid(scenario const& what) {
    for (auto const& each : what.workers)
        for (auto const& one : each.jobs)
            if (one.pause % 8 != 0 || one.hold % 8 != 0 || one.wait % 8 != 0 || one.pause > 64 || one.hold > 64
                || one.wait > 96 || one.wait == 0)
                return false;
    return true;
}

bool plain(scenario const& what) {
    for (auto const& each : what.workers)
        for (auto const& one : each.jobs)
            if (one.lock != 0 || one.lease || one.max_hold || one.entries != 1) return false;
    return true;
}

TEST(variations, put_the_times_of_a_quarter_of_the_seeds_on_a_grid) {
    int gridded = 0;
    int simple = 0;
    int before = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        auto const made = generate(seed);
        gridded += on_grid(made);
        simple += on_grid(made) && plain(made);
        before += on_grid(generate(seed, true, generation::third));
    }
    EXPECT_NEAR(gridded, 250, 60);
    EXPECT_NEAR(simple, gridded * 2 / 3, 60);
    EXPECT_LT(before, 20) << "by chance, in scenarios of one or two jobs";
}

/// Those that have something to do.
std::set<int> at_work(scenario const& what) {
    std::set<int> found;
    for (auto const& each : what.workers) found.insert(each.process);
    return found;
}

TEST(variations, give_a_scenario_as_many_processes_as_are_asked_for_all_of_them_with_work) {
    for (int const asked : {1, 3, 5, most_processes})
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            auto const made = generate(seed, true, generation::latest, asked);
            EXPECT_EQ(made.processes, asked) << seed;
            EXPECT_EQ(made.drifts.size(), static_cast<std::size_t>(asked)) << seed;
            auto const working = at_work(made);
            EXPECT_EQ(working.size(), static_cast<std::size_t>(asked)) << seed;
            EXPECT_EQ(*working.rbegin(), asked - 1) << seed;
            for (auto const& one : made.faults) EXPECT_LT(one.process, asked) << seed;
        }
}

/// Two processes take turns, and each release of the first may be sent by halves.
scenario halves(half_sent_way way) {
    scenario made;
    made.seed = 7;
    made.drifts = {0, 0};
    made.workers = {{.process = 0, .jobs = std::vector<job>(10, {.pause = 20, .hold = 10})},
                    {.process = 1, .jobs = std::vector<job>(10, {.pause = 20, .hold = 10})}};
    made.faults = {
        {.what = fault::kind::half_sent, .at = 1, .lasts = 3'000, .strength = 40, .way = static_cast<int>(way)}};
    return made;
}

TEST(variations, a_release_is_sent_by_halves_and_ends_well_all_the_same) {
    for (auto const way : {half_sent_way::rest_is_gone, half_sent_way::rest_is_late, half_sent_way::stands_still,
                           half_sent_way::falls_silent}) {
        auto const seen = run(halves(way), true);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        EXPECT_EQ(seen.acquired, 20U);
        int apart = 0; // HDEL and PUBLISH, although they were sent together
        bool freed = false;
        for (auto const& line : seen.trace) {
            if (line.find("server runs") == line.npos) continue;
            bool const publishes = line.find(": PUBLISH") != line.npos;
            apart += freed && !publishes;
            freed = line.find(": HDEL") != line.npos;
        }
        // What is run anew in one go is no pair that stands apart.
        EXPECT_GT(apart, 0) << static_cast<int>(way);
    }
}

TEST(variations, refuse_what_is_repeated_and_take_rights_away) {
    std::map<std::string, int> answers;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        auto const seen = run(generate(seed), true);
        EXPECT_FALSE(seen.broken) << "seed " << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        for (auto const& line : seen.trace)
            if (auto const at = line.find("-> -"); at != line.npos && line.find("server runs") != line.npos)
                ++answers[line.substr(at + 4, line.find(' ', at + 4) - at - 4)];
    }
    for (auto const* const one : {"NOPERM", "NOREPLICAS", "MISCONF", "BUSY", "LOADING"})
        EXPECT_GT(answers[one], 5) << one;
}

TEST(variations, sockets_that_take_little_or_nothing_delay_and_lose_nothing) {
    for (int const way : {0, 1}) {
        auto plan = halves(half_sent_way::stands_still);
        plan.faults = {{.what = fault::kind::buffer_full, .at = 50, .lasts = 200, .way = way}};
        auto const seen = run(plan, true);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        EXPECT_EQ(seen.acquired, 20U);
        int sent = 0; // by the process whose sockets are full
        for (auto const& line : seen.trace) {
            auto const when = std::stod(line.substr(0, line.find("ms")));
            sent += when > 60 && when < 240 && line.find("sent by process 0") != line.npos;
        }
        if (way == 0)
            EXPECT_EQ(sent, 0);
        else
            EXPECT_GT(sent, 5);
    }
}

TEST(variations, a_process_without_descriptors_connects_when_it_has_some_again) {
    auto plan = halves(half_sent_way::stands_still);
    plan.faults = {{.what = fault::kind::no_descriptors, .at = 50, .lasts = 400},
                   {.what = fault::kind::cut, .at = 60, .lasts = 1, .strength = 1}};
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, 20U);
    int between = 0; // sent by the process that has none
    int later = 0;
    for (auto const& line : seen.trace) {
        if (line.find("sent by process 0") == line.npos) continue;
        auto const when = std::stod(line.substr(0, line.find("ms")));
        between += when > 70 && when < 440;
        later += when > 450;
    }
    EXPECT_EQ(between, 0);
    EXPECT_GT(later, 0);
}

TEST(variations, a_process_that_gets_no_eventfd_connects_when_it_gets_one) {
    auto plan = halves(half_sent_way::stands_still);
    plan.faults = {{.what = fault::kind::no_descriptors, .at = 0, .lasts = 400, .way = 1}};
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    int between = 0; // calls of the process that has none
    int later = 0;
    for (auto const& line : seen.trace) {
        bool const greets = line.find("CLIENT $4 INFO") != line.npos;
        if (line.find("sent by process 0") == line.npos || greets) continue;
        auto const when = std::stod(line.substr(0, line.find("ms")));
        between += when < 390;
        later += when > 400;
    }
    EXPECT_EQ(between, 0);
    EXPECT_GT(later, 0);
}

TEST(variations, calls_that_are_refused_memory_leave_nothing_behind) {
    auto plan = halves(half_sent_way::stands_still);
    for (auto& one : plan.workers)
        for (auto& each : one.jobs) each.asks = job::how::asynchronous;
    plan.faults = {{.what = fault::kind::no_memory, .at = 0, .lasts = 150}};
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        plan.seed = seed;
        auto const seen = run(plan);
        EXPECT_FALSE(seen.broken) << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        auto const missing = std::make_error_code(std::errc::not_enough_memory).message();
        for (auto const& one : seen.facts) {
            if (one.text != missing) continue;
            ++refused;
            EXPECT_EQ(one.process, 0);
            EXPECT_LT(one.when, std::chrono::milliseconds(160));
        }
    }
    EXPECT_GT(refused, 20);
}

TEST(variations, a_process_without_threads_takes_no_lock_until_it_gets_one) {
    auto plan = halves(half_sent_way::stands_still);
    plan.faults = {{.what = fault::kind::no_threads, .at = 0, .lasts = 100}};
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    int refused = 0;
    int acquired = 0;
    for (auto const& one : seen.facts) {
        if (one.process != 0) continue;
        bool const early = one.when < std::chrono::milliseconds(100);
        bool const got = one.what == fact::kind::acquired;
        acquired += got;
        EXPECT_FALSE(early && got);
        if (one.what != fact::kind::not_acquired) continue;
        ++refused;
        EXPECT_TRUE(early) << one.text;
        EXPECT_EQ(one.text, std::make_error_code(std::errc::resource_unavailable_try_again).message());
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(acquired, 0);
}

TEST(variations, a_lock_outlives_the_thread_that_acquired_it) {
    auto plan = halves(half_sent_way::stands_still);
    plan.faults.clear();
    plan.watchdog = 600;
    plan.workers.front().jobs.assign(3, {.pause = 20, .hold = 2'000, .by_thread = true, .thread_ends = true});
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    std::set<std::string> owners;
    for (auto const& one : seen.facts)
        if (one.what == fact::kind::released && one.process == 0) {
            EXPECT_EQ(one.said, answer::done);
            owners.insert(one.owner);
        }
    EXPECT_EQ(owners.size(), 3U) << "each by a thread of its own";
}

} // namespace
} // namespace redlatch::sim
