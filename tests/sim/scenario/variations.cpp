#include "sim/scenario/variations.hpp"

#include "sim/scenario/dice.hpp"
#include "sim/world/half_sent.hpp"

#include <algorithm>
#include <iterator>

namespace redlatch::sim {
namespace {

constexpr std::int64_t step = 8;
constexpr std::int64_t longest_section = 64; ///< of pauses and holds
constexpr std::int64_t longest_wait = 96;

std::int64_t on_grid(std::int64_t time, std::int64_t longest) {
    return (std::min(time, longest) + step / 2) / step * step;
}

using kind = fault::kind;

/// A connection whose answers are lost, and a server that refuses whoever asks again.
void refuse_the_repeat(dice& by, scenario& in) {
    fault one;
    one.at = by.between(1, 3'000);
    one.process = by.index(in.processes);
    one.strength = by.between(1, 40);
    auto silence = one;
    silence.what = kind::block_down;
    silence.lasts = by.between(5, 200);
    auto cut = one;
    cut.what = by.one_in(3) ? kind::kill_clients : kind::cut_late_bytes;
    cut.at += by.between(1, silence.lasts);
    cut.lasts = 1;
    auto refusal = one;
    constexpr kind refusals[] = {kind::loading,     kind::loading,   kind::busy,         kind::disk_error,
                                 kind::no_replicas, kind::read_only, kind::out_of_memory};
    refusal.what = refusals[by.index(static_cast<int>(std::size(refusals)))];
    refusal.at = cut.at + by.between(0, 2);
    refusal.lasts = by.one_in(3) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(10, 600);
    in.faults.insert(in.faults.end(), {silence, cut, refusal});
}

} // namespace

std::vector<rights> const& rights_that_change() {
    static std::vector<rights> const all{{"publish"}, {"hdel"},      {"restore"},     {"evalsha", "eval"},
                                         {"evalsha"}, {"subscribe"}, {"client|kill"}, {"pexpire"},
                                         {"hset"},    {"del"},       {"del", "hdel"}};
    return all;
}

void put_times_on_a_grid(scenario& in) {
    dice by(in.seed * 0xa0761d6478bd642fU + 0x13579bd);
    if (!by.one_in(4)) return;
    bool const plain = !by.one_in(3); // one lock, renewed, entered once: then everybody meets everybody
    if (plain) in.locks = 1;
    for (auto& each : in.workers)
        for (auto& one : each.jobs) {
            one.pause = on_grid(one.pause, longest_section);
            one.hold = on_grid(one.hold, longest_section);
            one.wait = std::max(on_grid(one.wait, longest_wait), step); // without time it would be one attempt
            if (!plain) continue;
            one.lock = 0;
            one.lease.reset();
            one.max_hold.reset();
            one.inner_lease.reset();
            one.entries = 1;
        }
    if (plain)
        for (auto& one : in.faults) one.lock = 0;
}

void invite_redisson(scenario& in) {
    dice by(in.seed * 0x589965cc75374cc3U + 0x1b873593);
    if (in.processes < 2 || !by.one_in(5)) return;
    in.redisson.insert(by.index(in.processes));
    if (in.processes > 2 && by.one_in(3)) in.redisson.insert(by.index(in.processes));
}

void add_refusals(scenario& in) {
    dice by(in.seed * 0x8ebc6af09c88c6e3U + 0x369cf12);
    if (!by.one_in(4)) return;
    if (by.one_in(3)) return refuse_the_repeat(by, in);
    constexpr kind kinds[] = {kind::no_replicas,  kind::disk_error,   kind::busy,        kind::rights_taken,
                              kind::rights_taken, kind::rights_taken, kind::buffer_full, kind::buffer_full};
    auto const count = by.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
        fault one;
        one.what = kinds[by.index(static_cast<int>(std::size(kinds)))];
        one.at = by.between(1, 3'000);
        one.lasts = by.one_in(3) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(1, 400);
        one.process = by.index(in.processes);
        one.way = one.what == kind::rights_taken  ? by.index(static_cast<int>(rights_that_change().size()))
                  : one.what == kind::buffer_full ? by.index(2)
                                                  : 0;
        // Redisson writes first and sets the time to live then: without the right its keys never end.
        if (!in.redisson.empty() && one.what == kind::rights_taken
            && rights_that_change().at(static_cast<std::size_t>(one.way)).contains("pexpire"))
            one.way = 0;
        in.faults.push_back(one);
    }
}

void split_writes(scenario& in, bool with_faults) {
    dice by(in.seed * 0xe7037ed1a0b428dbU + 0x2468bdf);
    in.one_by_one = by.one_in(6);
    if (!with_faults || !by.one_in(6)) return;
    auto const count = by.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
        fault one;
        one.what = fault::kind::half_sent;
        one.at = by.between(1, 3'000);
        one.lasts = by.between(20, 600);
        one.process = by.index(in.processes);
        one.strength = by.between(1, at_once);
        one.way = by.index(half_sent_ways);
        in.faults.push_back(one);
    }
}

void hold_longer(scenario& in) {
    dice by(in.seed * 0xc2b2ae3d27d4eb4fU + 0x5851f42);
    if (!by.one_in(6)) return;
    if (in.evalsha_refused) return; // what is left is kept by a script
    for (auto& each : in.workers)
        for (auto& one : each.jobs) {
            auto const longest = std::min(one.lease.value_or(in.watchdog), in.watchdog);
            if (by.one_in(3))
                one.hold_at_least =
                    by.one_in(3) ? by.between(1, longest) : by.between(1, std::min<std::int64_t>(longest, 200));
        }
}

void take_descriptors(scenario& in) {
    dice by(in.seed * 0x2545f4914f6cdd1dU + 0x9e3779b);
    if (!by.one_in(8)) return;
    auto const count = by.between(1, 2);
    for (std::int64_t i = 0; i < count; ++i) {
        fault one;
        one.what = kind::no_descriptors;
        one.at = by.between(1, 3'000);
        one.lasts = by.one_in(3) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(20, 600);
        one.process = by.index(in.processes);
        in.faults.push_back(one);
        if (by.one_in(3)) continue;
        fault loss; // of the connections that it has
        loss.what = kind::cut;
        loss.at = one.at + by.between(0, 20);
        loss.lasts = 1;
        loss.process = one.process;
        loss.strength = by.between(1, 50);
        in.faults.push_back(loss);
    }
}

void leave_one_descriptor(scenario& in) {
    dice by(in.seed * 0x8cb92ba72f3d8dd7U + 0x3c6ef37);
    for (auto& one : in.faults) {
        if (one.what != kind::no_descriptors || !by.one_in(2)) continue;
        one.way = 1;
        if (by.one_in(2)) one.at = by.between(0, 1); // before it connects
    }
}

void fill_server(scenario& in) {
    dice by(in.seed * 0xd6e8feb86659fd93U + 0x5bd1e995);
    if (!by.one_in(24)) return;
    fault full;
    full.what = kind::out_of_memory;
    full.at = by.between(1, 1'500);
    full.lasts = by.between(in.watchdog, 4 * in.watchdog);
    in.faults = {full};
}

void choose_patience(scenario& in) {
    dice by(in.seed * 0x9e6c63d0676a9a99U + 0x6a09e667);
    in.lazily = by.one_in(6);
    in.fail_fast = by.one_in(8);
}

void end_threads(scenario& in) {
    dice by(in.seed * 0xc2b2ae3d27d4eb4fU + 0x27d4eb2);
    if (!by.one_in(4)) return;
    for (auto& each : in.workers)
        for (auto& one : each.jobs) {
            one.by_thread = one.asks != job::how::asynchronous && by.one_in(2); // a handler has an owner of its own
            one.thread_ends = one.by_thread && by.one_in(2);
        }
}

void take_memory_and_threads(scenario& in) {
    dice by(in.seed * 0x165667b19e3779f9U + 0x85ebca7);
    if (!by.one_in(6)) return;
    auto const count = by.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
        fault one;
        one.what = by.one_in(3) ? kind::no_threads : kind::no_memory;
        one.at = by.one_in(3) ? 0 : by.between(1, 3'000); // also before it connects
        one.lasts = by.one_in(3) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(20, 600);
        one.process = by.index(in.processes);
        in.faults.push_back(one);
    }
}

namespace {

bool forgets(fault::kind what) {
    return what == kind::restart_lost || what == kind::failover || what == kind::remove_key
           || what == kind::force_unlock;
}

/// Where there are minimum holds, the answers of one server come when the whole has long been acquired: its members join late.
void delay_one_server(dice& by, scenario& in) {
    bool const kept = std::any_of(in.workers.begin(), in.workers.end(), [](worker const& each) {
        return std::any_of(each.jobs.begin(), each.jobs.end(), [](job const& one) { return one.hold_at_least; });
    });
    if (!kept || in.faults.empty() || by.one_in(3)) return;
    auto const server = by.index(in.servers);
    auto const strength = by.between(20, 120);
    for (int i = 0; i < in.processes; ++i)
        in.faults.push_back(
            {.what = kind::slow, .at = 1, .lasts = 3'000, .process = i, .strength = strength, .server = server});
}

/// Three servers, each with a member of every red lock. Any of them may fail, and one, always the same, forgets.
void spread(scenario& in) {
    constexpr int servers = 3;
    in.servers = servers;
    in.locks *= servers;
    dice by(in.seed * 0xda942042e4dd58b5U + 0x7f4a7c1);
    auto const forgetful = by.index(servers);
    for (auto& one : in.faults) {
        one.server = forgets(one.what)        ? forgetful
                     : is_on_a_link(one.what) ? by.index(servers + 1) + every_server
                                              : by.index(servers);
        one.lock = one.lock * servers + std::max(one.server, 0);
    }
    delay_one_server(by, in);
}

} // namespace

void change_kind(scenario& in, lock_kind to) {
    in.locks_are = to;
    // It has the re-entrant lock: waits for messages that spin locks do not send, wakes nobody who waits for a fair one, and
    // knows another channel than a read-write lock has.
    bool const of_a_group = to == lock_kind::faster_multi;
    bool const counts = to == lock_kind::semaphore || to == lock_kind::permit_semaphore || to == lock_kind::latch;
    if (to == lock_kind::spin || in.have_a_queue() || to == lock_kind::read_write || to == lock_kind::red || of_a_group
        || counts)
        in.redisson.clear();
    constexpr int to_take_several_of = 4;
    if (to == lock_kind::multi || of_a_group) in.locks = to_take_several_of;
    if (to == lock_kind::red) spread(in);
    if (counts) // there is no holder whom one could force out
        std::erase_if(in.faults,
                      [](auto const& one) { return one.what == kind::remove_key || one.what == kind::force_unlock; });
}

} // namespace redlatch::sim
