// growth KIND COUNT: so many operations among as many others, for callgrind to count. See growth.py.
//
// The core alone, without threads and sockets: what is counted is the same each time.
#include "connection/multiplexer.hpp"
#include "locking/lock_table.hpp"
#include "locking/recipes/recipes.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace redlatch;
using namespace std::chrono_literals;

base::instant const now{std::chrono::hours(1)};
constexpr auto watchdog = 30s;

locking::lock_table::settings settings() {
    return {.client_id = "growth", .watchdog = watchdog, .handoff = {.strict = true}};
}

locking::level renewed() {
    return {.lease = watchdog, .renewed = true};
}

void must(bool that, char const* what) {
    if (!that) throw std::runtime_error(what);
}

/// All wait for a server that is away, and give up.
void abandon(std::uint64_t count) {
    connection::multiplexer traffic;
    std::vector<connection::call_ptr> calls;
    for (std::uint64_t number = 0; number < count; ++number) {
        calls.push_back(connection::make_call());
        traffic.submit(calls.back(), now);
    }
    for (auto const& one : calls) must(!traffic.abandon(one), "nothing of the call was sent");
}

struct waiter {
    std::uint64_t owner;
    locking::tenure_ptr tenure;
    locking::waiter_ptr waiter;
};

/// As an acquisition does: looks for what its owner has, opens a tenure, stands in line.
waiter queue_up(locking::lock_table& table, locking::record_ptr const& record, std::uint64_t owner) {
    must(!table.current(*record, owner), "the owner has nothing yet");
    auto const tenure = table.open(record, owner);
    auto const waiter = std::make_shared<locking::waiter>(base::waker());
    waiter->whose = tenure;
    waiter->asked = renewed();
    waiter->accepts_handoff = true;
    record->queue.enter(waiter);
    locking::lock_table::wait_again(*waiter);
    return {owner, tenure, waiter};
}

struct crowd {
    explicit crowd(std::uint64_t count) : record(table.records.get("one", locking::reentrant_recipe)) {
        auto const first = table.open(record, 1);
        auto const got = table.take(first, renewed(), now, base::never);
        must(got.has_value(), "the lock is free");
        holder = first;
        level = got->number;
        for (std::uint64_t owner = 2; owner < count + 2; ++owner) waiters.push_back(queue_up(table, record, owner));
    }

    locking::lock_table table{settings()};
    locking::record_ptr record;
    base::wake_list woken{};
    locking::tenure_ptr holder{};
    std::uint64_t level = 0;
    std::vector<waiter> waiters{};
};

/// All stand in line for one lock, and give up.
void give_up(std::uint64_t count) {
    crowd all(count);
    for (auto const& one : all.waiters) {
        must(!all.table.leave(one.waiter, now, all.woken), "somebody else has the lock");
        all.table.give_up(one.tenure, false, watchdog, now);
        must(all.table.holder(*all.record, now) == all.holder, "somebody else has the lock");
    }
    all.woken.wake_all();
}

/// All stand in line for one lock, and get it one after the other.
void pass(std::uint64_t count) {
    crowd all(count);
    for (auto const& one : all.waiters) {
        auto const plan = all.table.plan_release(all.holder, all.level, now, all.woken);
        must(plan.what == locking::lock_table::release_plan::kind::handed_off, "it passes to the next one");
        must(all.table.leave(one.waiter, now, all.woken) && all.table.accept(one.waiter), "the next one has it");
        must(all.table.current(*all.record, one.owner) == one.tenure, "it is found");
        all.holder = one.tenure;
        all.level = one.waiter->level_number;
    }
    all.woken.wake_all();
}

/// Threads end that have held something, while others hold as many locks.
void end_threads(std::uint64_t count) {
    locking::lock_table table{settings()};
    std::vector<locking::record_ptr> records;
    for (std::uint64_t number = 1; number <= count; ++number) {
        records.push_back(table.records.get(std::to_string(number), locking::reentrant_recipe));
        table.take(table.open(records.back(), number), renewed(), now, base::never);
    }
    for (std::uint64_t thread = count + 1; thread <= 2 * count; ++thread) {
        table.threads.watch(thread);
        table.thread_ended(thread);
    }
}

std::map<std::string, std::function<void(std::uint64_t)>> const kinds{
    {"abandon", abandon}, {"give_up", give_up}, {"pass", pass}, {"end_threads", end_threads}};

} // namespace

int main(int argc, char** argv) {
    auto const found = argc == 3 ? kinds.find(argv[1]) : kinds.end();
    if (found == kinds.end()) {
        std::fputs("growth abandon|give_up|pass|end_threads COUNT\n", stderr);
        return 64;
    }
    try {
        found->second(std::stoull(argv[2]));
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "growth: %s\n", problem.what());
        return 70;
    }
    return 0;
}
