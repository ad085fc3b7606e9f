// The simulator itself: equal seeds give equal runs, a scenario can be shrunk, and scenarios that once failed are kept.
#include "sim/scenario/run.hpp"
#include "sim/scenario/shrink.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

TEST(simulator, gives_the_same_run_for_the_same_seed) {
    // In the last two releases are sent by halves.
    for (std::uint64_t const seed : {3U, 370U, 3710U, 9U, 14U}) {
        auto const first = run(generate(seed));
        auto const again = run(generate(seed), true);
        EXPECT_EQ(first.digest, again.digest);
        EXPECT_EQ(first.facts.size(), again.facts.size());
        EXPECT_FALSE(again.trace.empty());
    }
    EXPECT_NE(run(generate(3)).digest, run(generate(4)).digest);
}

TEST(simulator, acquires_and_meets_faults) {
    std::uint64_t acquired = 0;
    std::size_t failed = 0;
    std::size_t faults = 0;
    std::size_t lost = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        auto const seen = run(generate(seed));
        EXPECT_FALSE(seen.broken) << "seed " << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        acquired += seen.acquired;
        for (auto const& one : seen.facts) {
            failed += one.what == fact::kind::not_acquired;
            faults += one.what == fact::kind::fault;
            lost += one.what == fact::kind::told_lost;
        }
    }
    EXPECT_GT(acquired, 1'000U);
    EXPECT_GT(failed, 100U);
    EXPECT_GT(faults, 100U);
    EXPECT_GT(lost, 20U) << "a world in which nothing is ever lost proves nothing";
}

TEST(simulator, shrinks_a_scenario_to_what_makes_it_fail) {
    auto const whole = generate(370);
    auto const guilty = [](scenario const& candidate) {
        return std::any_of(candidate.workers.begin(), candidate.workers.end(), [](worker const& one) {
            return std::any_of(one.jobs.begin(), one.jobs.end(), [](job const& each) { return each.entries == 3; });
        });
    };
    ASSERT_TRUE(guilty(whole));
    auto const small = shrink(whole, guilty);
    ASSERT_EQ(small.workers.size(), 1U);
    EXPECT_EQ(small.workers[0].jobs.size(), 1U);
    EXPECT_TRUE(small.faults.empty());
}

TEST(simulator, ends_well_although_processes_that_have_nothing_to_do_are_still_connecting) {
    auto idle = generate(1, false); // what shrinking makes of many scenarios
    idle.workers.clear();
    auto const seen = run(idle);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
}

/// Seeds that once broke a promise: docs/testing.md says what each found.
struct kept {
    std::uint64_t seed;
    generation of;
    lock_kind locks = lock_kind::reentrant;
    topology servers = topology::single;
};
class kept_seed : public testing::TestWithParam<kept> {};

INSTANTIATE_TEST_SUITE_P(
    simulator, kept_seed,
    testing::Values(
        kept{74, generation::first}, kept{370, generation::first}, kept{3'710, generation::first},
        kept{101'470, generation::first}, kept{200'762, generation::first},
        kept{1'795'243'483'870'131'283, generation::first}, kept{1'795'296'387'107'813'330, generation::third},
        kept{1'795'296'643'579'891'648, generation::third}, kept{1'795'296'493'957'088'294, generation::third},
        kept{1'795'297'153'641'072'731, generation::third}, kept{1'795'298'791'621'984'201, generation::third},
        kept{1'795'346'936'180'699'168, generation::fourth}, kept{1'795'346'936'180'700'611, generation::fourth},
        kept{1'795'453'854'032'483'301, generation::fifth}, kept{18'691'259'974'796'520, generation::fifth},
        kept{395'678'731'642'021'155, generation::fifth}, kept{253'417'621'742'306'456, generation::fifth},
        kept{250'039'046'341'052'121, generation::fifth}, kept{522'258'134'765'206'259, generation::fifth},
        kept{1'026'040'786'276'420'260, generation::sixth}, kept{609'948'030'335'665'094, generation::eighth},
        kept{702, generation::fifth, lock_kind::semaphore}, kept{130, generation::fifth, lock_kind::semaphore},
        kept{1'174, generation::fifth, lock_kind::semaphore}, kept{10'214, generation::fifth, lock_kind::semaphore},
        kept{18'554, generation::fifth, lock_kind::permit_semaphore},
        kept{27'246, generation::fifth, lock_kind::permit_semaphore},
        kept{40'642, generation::fifth, lock_kind::permit_semaphore},
        kept{22'276, generation::seventh, lock_kind::permit_semaphore},
        kept{27'222, generation::seventh, lock_kind::permit_semaphore},
        kept{14'025, generation::fifth, lock_kind::latch}, kept{20'474, generation::fifth, lock_kind::latch},
        kept{1'012'867, generation::fifth, lock_kind::faster_multi},
        kept{445'788'496'538'350'912, generation::eighth, lock_kind::fair, topology::cluster},
        kept{98'405'624'518'726'029, generation::ninth, lock_kind::semaphore, topology::cluster},
        kept{1'077'263'136'443'548'956, generation::ninth, lock_kind::reentrant, topology::sentinel},
        kept{1'079'571'033'895'274'739, generation::tenth},
        kept{515'498'749'950'704'237, generation::tenth, lock_kind::semaphore, topology::cluster},
        kept{887'801'158'506'618'135, generation::tenth, lock_kind::read_write, topology::cluster},
        kept{326'664'151'713'000'552, generation::tenth, lock_kind::permit_semaphore, topology::cluster},
        kept{921'493'326'234'616'892, generation::tenth, lock_kind::read_write, topology::sentinel},
        kept{14'787'569'159'868'138, generation::tenth, lock_kind::red},
        kept{27'781'252'724'391'779, generation::tenth, lock_kind::faster_multi},
        kept{731'605'884'477'758'357, generation::tenth, lock_kind::election, topology::cluster},
        kept{322'143'882'101'666'480, generation::tenth, lock_kind::reentrant, topology::cluster},
        kept{57'041'190'044'240'659, generation::tenth, lock_kind::spin, topology::cluster},
        kept{288'823'584'251'410'378, generation::tenth, lock_kind::non_reentrant, topology::cluster},
        kept{288'823'584'251'409'666, generation::tenth, lock_kind::multi, topology::cluster},
        kept{1'424, generation::tenth}, kept{21'211, generation::tenth}, kept{37'506, generation::tenth}),
    [](auto const& one) { return std::to_string(one.param.seed); });

TEST_P(kept_seed, keeps_every_promise) {
    auto plan = generate(GetParam().seed, true, GetParam().of);
    change_kind(plan, GetParam().locks);
    change_topology(plan, GetParam().servers);
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ": " << seen.broken->text;
}

} // namespace
} // namespace redlatch::sim
