#include "sim/scenario/draw_fault.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <array>

namespace redlatch::sim {
namespace {

job make_job(dice& by, scenario const& in) {
    job one;
    one.lock = by.index(in.locks);
    constexpr std::array ways{job::how::for_ever, job::how::for_ever, job::how::timed,        job::how::timed,
                              job::how::once,     job::how::once,     job::how::asynchronous, job::how::cancelled};
    one.asks = ways.at(static_cast<std::size_t>(by.index(static_cast<int>(ways.size()))));
    one.pause = by.one_in(3) ? by.between(0, 300) : by.between(0, 3);
    one.wait = by.one_in(3) ? by.between(1, 30) : by.between(30, 2 * in.watchdog);
    if (by.one_in(4)) one.lease = by.one_in(3) ? by.between(20, 200) : by.between(200, 2 * in.watchdog);
    if (!one.lease && by.one_in(8)) one.max_hold = by.between(50, 2 * in.watchdog);
    one.hold = by.one_in(12) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(0, by.one_in(4) ? 200 : 5);
    one.entries = by.one_in(5) ? static_cast<int>(by.between(2, 3)) : 1;
    constexpr std::array ends{job::ending::release, job::ending::release, job::ending::detached, job::ending::destroyed,
                              job::ending::asynchronous};
    one.ends = ends.at(static_cast<std::size_t>(by.index(static_cast<int>(ends.size()))));
    return one;
}

fault make_fault(dice& by, scenario const& in) {
    using kind = fault::kind;
    // What concerns connections comes most often: there the subtle things are.
    constexpr std::array kinds{
        kind::cut,          kind::cut,          kind::cut_late_bytes, kind::cut_late_bytes, kind::cut_late_bytes,
        kind::block_up,     kind::block_down,   kind::block_both,     kind::slow,           kind::refuse,
        kind::stop_process, kind::stop_process, kind::kill_process,   kind::stop_server,    kind::restart_kept,
        kind::restart_lost, kind::failover,     kind::flush_scripts,  kind::remove_key,     kind::force_unlock,
        kind::loading,      kind::read_only,    kind::out_of_memory,  kind::kill_clients};
    auto one = draw_fault(by, in, kinds, 4'000, 400);
    one.strength = by.between(1, at_once);
    return one;
}

void add_workers(dice& by, scenario& in, int process) {
    auto const threads = by.between(1, by.one_in(4) ? 6 : 3);
    for (int t = 0; t < threads; ++t) {
        worker one;
        one.process = process;
        auto const jobs = by.between(1, 12);
        for (int j = 0; j < jobs; ++j) one.jobs.push_back(make_job(by, in));
        in.workers.push_back(std::move(one));
    }
}

void add_processes(dice& by, scenario& in, int in_all) {
    for (; in.processes < in_all; ++in.processes) {
        in.drifts.push_back(by.one_in(2) ? by.between(-1'500, 1'500) : 0);
        add_workers(by, in, in.processes);
    }
}

/// In some scenarios there are five processes.
void make_five(scenario& in) {
    dice by(in.seed * 0xaf251af3b0f025b5U + 0x7b2c1d9);
    if (by.one_in(10)) add_processes(by, in, 5);
}

/// The last ones are left out, or others come.
void make_so_many(scenario& in, int processes) {
    dice by(in.seed * 0x94d049bb133111ebU + 0x2127599);
    std::erase_if(in.workers, [&](worker const& one) { return one.process >= processes; });
    in.processes = std::min(in.processes, processes);
    in.drifts.resize(static_cast<std::size_t>(in.processes));
    add_processes(by, in, processes);
}

/// Re-entries with a lease of their own, leases beyond any patience, and bytes that arrive long after their connection.
void vary(std::uint64_t seed, scenario& in) {
    dice by(seed * 0xd1342543de82ef95U + 0x7654321);
    bool const long_leases = by.one_in(4);
    in.publish_refused = by.one_in(24);
    if (by.one_in(6)) in.watchdog *= 3;
    for (auto& each : in.workers)
        for (auto& one : each.jobs) {
            if (one.entries > 1 && by.one_in(2))
                one.inner_lease = by.one_in(4)   ? 0
                                  : by.one_in(2) ? by.between(20, 200)
                                                 : by.between(200, 3 * in.watchdog);
            if (one.lease && by.one_in(3)) one.hold = *one.lease + by.between(0, 500);
            if (by.one_in(10)) one.hold = by.between(in.watchdog, 4 * in.watchdog);
            if (long_leases && !one.lease && !one.max_hold && by.one_in(3)) one.lease = by.between(20'000, 60'000);
        }
    for (auto& one : in.faults) {
        if (by.one_in(8)) one.what = by.one_in(2) ? fault::kind::close_client : fault::kind::half_open;
        if (one.what == fault::kind::cut_late_bytes && by.one_in(2)) one.strength = by.between(at_once, 6'000);
    }
}

/// The clients' settings, many workers of few processes (if they may be few), and sections that last no time.
void configure(std::uint64_t seed, scenario& in, bool may_be_few) {
    dice by(seed * 0x9fb21c651e98df25U + 0x2468ace);
    in.restore_refused = by.one_in(12);
    in.scripts_only = by.one_in(3);
    in.hands_over = !by.one_in(4);
    in.strictly = by.one_in(3);
    in.detached_unlock = by.one_in(3);
    if (!in.hands_over || !by.one_in(2)) return;
    bool const crowded = by.one_in(2) && may_be_few;
    for (auto& each : in.workers) {
        if (crowded) each.process = each.process % 2;
        for (auto& one : each.jobs) {
            if (by.one_in(3)) one.lease.reset();
            if (by.one_in(3)) one.max_hold.reset();
            if (by.one_in(3)) one.pause = 0;
            if (by.one_in(2)) one.hold = by.between(0, 1);
            if (by.one_in(2)) one.entries = 1;
        }
    }
}

} // namespace

std::int64_t scenario::longest_lease() const {
    auto longest = watchdog;
    for (auto const& one : workers)
        for (auto const& each : one.jobs) longest = std::max(longest, each.lease.value_or(0));
    return longest;
}

std::int64_t scenario::longest_confirmation() const {
    std::int64_t longest = 0;
    for (auto const& one : workers)
        for (auto const& each : one.jobs)
            if (each.confirmed)
                longest = std::max<std::int64_t>(longest, each.confirmed->time.count() * (each.confirmed->retries + 1));
    return longest;
}

scenario generate(std::uint64_t seed, bool with_faults, generation of, std::optional<int> processes) {
    dice by(seed * 0x9e3779b97f4a7c15U + 0x1234567);
    scenario made;
    made.seed = seed;
    made.processes = static_cast<int>(by.between(1, 4));
    made.locks = by.one_in(3) ? 2 : 1;
    made.watchdog = by.between(600, 4'000);
    made.timeout = by.one_in(3) ? by.between(30, 200) : by.between(200, 1'000);
    made.kill_refused = by.one_in(5);
    made.evalsha_refused = by.one_in(16);
    made.subscribe_refused = by.one_in(24);
    for (int i = 0; i < made.processes; ++i) made.drifts.push_back(by.one_in(2) ? by.between(-1'500, 1'500) : 0);
    made.server_drift = by.one_in(2) ? by.between(-1'500, 1'500) : 0;
    for (int i = 0; i < made.processes; ++i) add_workers(by, made, i);
    if (of >= generation::ninth) make_five(made);
    if (processes) make_so_many(made, *processes);
    auto const count = !with_faults || by.one_in(6) ? 0 : by.between(1, by.one_in(3) ? 8 : 3);
    for (int i = 0; i < count; ++i) made.faults.push_back(make_fault(by, made));
    if (of >= generation::second) vary(seed, made);
    if (of >= generation::third) configure(seed, made, !processes);
    if (of >= generation::fourth) {
        put_times_on_a_grid(made);
        split_writes(made, with_faults);
        invite_redisson(made);
        if (with_faults) add_refusals(made);
    }
    if (of >= generation::fifth && with_faults) take_descriptors(made);
    if (of >= generation::sixth) choose_patience(made);
    if (of >= generation::seventh) {
        end_threads(made);
        if (with_faults) take_memory_and_threads(made);
    }
    if (of >= generation::eighth) hold_longer(made);
    if (of >= generation::ninth) leave_one_descriptor(made);
    if (of >= generation::tenth && with_faults) fill_server(made);
    return made;
}

} // namespace redlatch::sim
