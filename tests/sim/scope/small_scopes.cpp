#include "sim/scenario/variations.hpp"
#include "sim/scope/explore.hpp"

#include <iterator>
#include <utility>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;

/// Two clients, one lock, each takes it and enters it once more.
scenario two_clients() {
    scenario made;
    made.seed = 1;
    made.watchdog = 600;
    made.timeout = 200;
    made.drifts = {0, 0};
    job const enters_twice{.pause = 100, .entries = 2};
    made.workers = {{.process = 0, .jobs = {enters_twice}}, {.process = 1, .jobs = {enters_twice}}};
    return made;
}

fault of_the_first(fault::kind what) {
    return {.what = what};
}

std::vector<fault> cut_or_crash() {
    return {of_the_first(fault::kind::cut), of_the_first(fault::kind::cut_late_bytes),
            of_the_first(fault::kind::kill_process)};
}

/// Who dies takes permits of a semaphore along: then nobody would get them.
std::vector<fault> cuts() {
    return {of_the_first(fault::kind::cut), of_the_first(fault::kind::cut_late_bytes)};
}

/// Everybody waits before the first choice, at 50 ms: about what is given back, and who gets it then.
scenario given_back(lock_kind of, worker first, std::vector<worker> others) {
    auto made = two_clients();
    made.watchdog = 60'000;
    change_kind(made, of);
    made.workers = {std::move(first)};
    for (auto& one : others) one.process = 1;
    made.workers.insert(made.workers.end(), others.begin(), others.end());
    return made;
}

/// What is no single lock.
std::vector<scope> scopes_of_other_kinds() {
    // Two of three permits are taken; the second process waits for all, twice, and ceases to once.
    worker const takes_two{.jobs = {{.pause = 30, .hold = 70}}};
    worker const wants_three{.jobs = {{.pause = 35}}};
    worker const leaves{.jobs = {{.asks = job::how::cancelled, .pause = 38, .wait = 60}}};
    auto counted = given_back(lock_kind::semaphore, takes_two, {wants_three, leaves});
    counted.seed = 2; // exactly once
    auto const leased = given_back(lock_kind::permit_semaphore, takes_two, {wants_three, leaves});
    auto short_lease = leased;
    short_lease.workers[0].jobs[0].lease = 1'000;
    // The first counts from three down to zero, the second waits for that.
    worker const counts{.jobs = {{.pause = 101}, {.pause = 1}, {.pause = 1}}};
    worker const awaits{.jobs = {{.pause = 35}}};
    auto const steps = given_back(lock_kind::latch, counts, {awaits});
    auto steps_once = steps;
    steps_once.seed = 2;
    // One leads, one is the next candidate, one looks who leads and waits for another leader.
    worker const candidate{.jobs = {{.pause = 36}}};
    worker const observer{.jobs = {{.pause = 39, .wait = 300}}};
    auto const terms = given_back(lock_kind::election, takes_two, {candidate, observer});
    // Locks 0 and 1, and the same in the opposite order; the waits decide which. Both ask at the same time.
    auto together =
        given_back(lock_kind::multi, {.jobs = {{.pause = 100, .wait = 10}}}, {{.jobs = {{.pause = 100, .wait = 25}}}});
    // Three servers, of each of which both want the lock at the same time: two of them are enough.
    auto const majority =
        given_back(lock_kind::red, {.jobs = {{.pause = 100, .wait = 10}}}, {{.jobs = {{.pause = 100, .wait = 25}}}});
    // Values 0 and 1, then 1 and 2; then the second process asks for the first of them too.
    auto const values = given_back(lock_kind::faster_multi, {.jobs = {{.pause = 31, .wait = 15, .hold = 70}}},
                                   {{.jobs = {{.pause = 35, .wait = 35}}}, {.jobs = {{.pause = 35, .wait = 22}}}});
    // Both try to enter twice what they have; who may not is told so, and goes on.
    job const enters_twice{.pause = 30, .hold = 70, .entries = 2};
    worker const next{.jobs = {{.pause = 35, .entries = 2}}};
    auto const once = given_back(lock_kind::non_reentrant, {.jobs = {enters_twice}}, {next});
    auto const with_tokens = given_back(lock_kind::fenced, {.jobs = {enters_twice}}, {next});
    worker const third{.jobs = {{.pause = 40}}};
    auto const once_in_order = given_back(lock_kind::non_reentrant_fair, {.jobs = {enters_twice}}, {next, third});
    auto const spins = given_back(lock_kind::spin, {.jobs = {enters_twice}}, {next});
    return {
        {.name = "entered once", .plan = once, .faults = cut_or_crash(), .depth = 12, .states = 987},
        {.name = "entered once in order", .plan = once_in_order, .faults = cut_or_crash(), .depth = 12, .states = 982},
        {.name = "tokens", .plan = with_tokens, .faults = cut_or_crash(), .depth = 12, .states = 951},
        {.name = "two that spin", .plan = spins, .faults = cut_or_crash(), .depth = 12, .states = 306},
        {.name = "permits of a semaphore", .plan = counted, .faults = cuts(), .depth = 13, .states = 7'490},
        {.name = "permits with ids", .plan = leased, .faults = cut_or_crash(), .depth = 18, .states = 3'740},
        {.name = "permits with a lease",
         .plan = short_lease,
         .faults = cut_or_crash(),
         .early = 1,
         .depth = 12,
         .states = 5'559},
        {.name = "steps of a latch", .plan = steps, .faults = cut_or_crash(), .early = 1, .depth = 14, .states = 4'246},
        {.name = "steps of a latch, exactly once",
         .plan = steps_once,
         .faults = cut_or_crash(),
         .depth = 16,
         .states = 6'236},
        {.name = "the next leader", .plan = terms, .faults = cut_or_crash(), .depth = 16, .states = 5'044},
        {.name = "two locks in opposite orders",
         .plan = together,
         .faults = cut_or_crash(),
         .depth = 11,
         .states = 3'176},
        {.name = "a majority of three servers", .plan = majority, .faults = cut_or_crash(), .depth = 4, .states = 213},
        {.name = "values in common", .plan = values, .faults = cut_or_crash(), .depth = 15, .states = 3'922},
    };
}

} // namespace

std::vector<scope> small_scopes() {
    auto const plain = two_clients();
    auto allowed = plain;
    allowed.workers[0].jobs[0].lease = 60'000;
    auto refused = allowed;
    refused.kill_refused = true;
    auto renewed = plain;
    renewed.workers[0].jobs[0].hold = 250; // beyond a third of the watchdog time
    renewed.workers[0].jobs[0].entries = 1;
    renewed.workers[1].jobs[0].entries = 1;
    auto longer = refused;
    longer.workers[0].jobs[0].lease = 300;
    longer.workers[0].jobs[0].inner_lease = 5'000;
    longer.workers[0].jobs[0].hold = 1'000;
    longer.workers[1].jobs[0].pause = 110; // behind what arrives late: it is told how long the key will live
    auto leaves = plain;
    leaves.workers[0].jobs[0].asks = job::how::cancelled;
    leaves.workers[0].jobs[0].wait = 50;
    leaves.workers[0].jobs[0].ends = job::ending::detached;
    leaves.workers[1].jobs[0].asks = job::how::timed;
    leaves.workers[1].jobs[0].wait = 150;
    // The first client asks behind a long delay, and what it gets is over before it knows.
    auto late = refused;
    late.watchdog = 60'000;
    late.timeout = 1'000;
    late.workers[0].jobs[0].lease.reset();
    late.workers[0].jobs[0].max_hold = 50;
    late.workers[0].jobs[0].entries = 1;
    late.workers[1].jobs = {{.pause = 200}, {.pause = 200}}; // moments until which an answer may be late
    // Two threads of one client, whose connections carry nothing any more: one hands the lock to the other.
    auto silent = two_clients();
    silent.processes = 1;
    silent.drifts = {0};
    silent.watchdog = 60'000;
    silent.hands_over = false; // by way of the server
    silent.workers = {{.jobs = {{.pause = 100, .hold = 300}}}, {.jobs = {{.pause = 150}}}};
    // HDEL has run and PUBLISH has not; and the same beside a server that knows no RESTORE. Everybody waits before the first
    // choice, at 50 ms, and no timer helps who is not woken.
    auto halves = plain;
    halves.watchdog = 60'000;
    halves.workers = {{.process = 0, .jobs = {{.pause = 30, .hold = 70}}}, {.process = 1, .jobs = {{.pause = 35}}}};
    auto half_refused = halves;
    half_refused.kill_refused = half_refused.restore_refused = true;
    // Two threads of one client and one of another: the second thread leaves at the moment at which it may be given the lock.
    auto handed_off = halves;
    handed_off.strictly = true;
    handed_off.workers.push_back({.jobs = {{.asks = job::how::cancelled, .pause = 40, .wait = 60}}});
    // The second has it until 102.12 ms; the third has not looked since the first got it, so the lock is for whoever comes
    // first. Who has released it asks again at once; the third, who has been woken and needs 20 µs, leaves in that moment.
    auto first_of_three = halves;
    first_of_three.workers.push_back({.jobs = {{.pause = 40, .hold = 2}, {.by_the_same = true}}});
    job const leaves_while_it_is_handed_off{.asks = job::how::cancelled, .pause = 45, .wait = 57, .pause_us = 50};
    first_of_three.workers.push_back({.jobs = {leaves_while_it_is_handed_off}});
    // The same, but whoever has released it does not ask again: nobody comes for it; or another thread, which enters twice,
    // comes before its head.
    auto leaves_it = first_of_three;
    leaves_it.workers[2].jobs.pop_back();
    auto comes_before = leaves_it;
    comes_before.workers[3].jobs = {{.pause = 45}};
    comes_before.workers.push_back({.jobs = {{.pause = 102, .entries = 2, .pause_us = 50}}});
    // The first writes, reads beside that, and reads on when it writes no more; a thread of the second reads, another writes.
    auto half_and_half = halves;
    half_and_half.locks_are = lock_kind::read_write;
    half_and_half.workers = {{.process = 0, .jobs = {{.pause = 30, .hold = 60, .entries = 2}}},
                             {.process = 1, .jobs = {{.pause = 35}}},
                             {.process = 1, .jobs = {{.pause = 36}}}};
    // Two of them wait in the queue; the first of these leaves it when its turn may have come.
    auto in_order = halves;
    in_order.locks_are = lock_kind::fair;
    in_order.workers = {{.process = 0, .jobs = {{.pause = 30, .hold = 70}}},
                        {.process = 1, .jobs = {{.asks = job::how::cancelled, .pause = 35, .wait = 65}}},
                        {.process = 1, .jobs = {{.pause = 40}}}};
    // Where the first lease outlasts the search, what nobody kills or sweeps away is seen. There are fewer states to a depth
    // since a connection that never answered is made again after a pause, since plain commands need no second try with the text
    // of a script, since local waiters ask nobody while their own process holds the lock, and since who asks has read what the
    // channel had for him.
    std::vector<scope> all{
        {.name = "nothing fails", .plan = plain, .early = 1, .depth = 11, .states = 5'295},
        {.name = "predecessor kills are allowed",
         .brief_depth = 12,
         .brief_states = 2'494,
         .plan = allowed,
         .faults = cut_or_crash(),
         .depth = 15,
         .states = 9'365},
        {.name = "predecessor kills are refused",
         .brief_depth = 12,
         .brief_states = 2'391,
         .plan = refused,
         .faults = cut_or_crash(),
         .depth = 15,
         .states = 7'218},
        {.name = "leases that differ", .plan = longer, .faults = cut_or_crash(), .depth = 17, .states = 4'155},
        {.name = "late answers",
         .brief_depth = 10,
         .brief_states = 2'761,
         .plan = late,
         .faults = {of_the_first(fault::kind::cut_late_bytes)},
         .early = 1,
         .depth = 12,
         .states = 7'141},
        {.name = "silent connections",
         .plan = silent,
         .faults = {of_the_first(fault::kind::half_open)},
         .early = 1,
         .depth = 16,
         .states = 8'133},
        {.name = "a renewal", .plan = renewed, .faults = cut_or_crash(), .depth = 17, .states = 5'505},
        {.name = "cancelled, timed, detached",
         .brief_depth = 12,
         .brief_states = 2'465,
         .plan = leaves,
         .faults = cut_or_crash(),
         .depth = 15,
         .states = 9'171},
        {.name = "a release in two halves",
         .plan = halves,
         .faults = cut_or_crash(),
         .one_by_one = true,
         .depth = 15,
         .states = 4'308},
        {.name = "a release in two halves, without RESTORE or a predecessor kill",
         .brief_depth = 12,
         .brief_states = 1'477,
         .plan = half_refused,
         .faults = cut_or_crash(),
         .one_by_one = true,
         .depth = 15,
         .states = 4'096},
        {.name = "handed off within a process",
         .brief_depth = 9,
         .brief_states = 4'348,
         .plan = handed_off,
         .faults = cut_or_crash(),
         .early = 1,
         .depth = 11,
         .states = 15'715},
        {.name = "the first of two",
         .plan = first_of_three,
         .faults = cut_or_crash(),
         .woken_after = 20us,
         .depth = 12,
         .states = 609},
        {.name = "nobody comes for what is handed off",
         .plan = leaves_it,
         .faults = cut_or_crash(),
         .woken_after = 20us,
         .depth = 12,
         .states = 609},
        {.name = "another one comes before the head",
         .plan = comes_before,
         .faults = cut_or_crash(),
         .woken_after = 20us,
         .depth = 12,
         .states = 361},
        {.name = "a writer that goes on as a reader",
         .plan = half_and_half,
         .faults = cut_or_crash(),
         .depth = 15,
         .states = 4'754},
        {.name = "leaving a fair queue",
         .brief_depth = 12,
         .brief_states = 2'801,
         .plan = in_order,
         .faults = cut_or_crash(),
         .depth = 15,
         .states = 9'115},
    };
    auto others = scopes_of_other_kinds();
    all.insert(all.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return all;
}

} // namespace redlatch::sim
