// What must not grow with the number of all others: the end of a thread, and one call or waiter among very many.
#include "measure/processes.hpp"
#include "scenarios/held_locks.hpp"
#include "scenarios/scenarios.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr int many = 100'000;

/// Written by the child, read when it has ended.
struct findings {
    std::atomic<double> value;
    std::atomic<double> p99; ///< zero: there is none
};

/// In a process of its own: what very many operations leave in the allocator is nobody else's.
measurement in_a_child(server const& at, std::function<void(findings&)> const& task) {
    at.flush();
    shared_memory<findings> const found;
    child worker([&] { task(*found.get()); });
    worker.must_succeed();
    measurement result{{figure::value, found->value.load()}};
    if (found->p99 > 0) result[figure::p99] = found->p99.load();
    return result;
}

double milliseconds(steady_clock::duration what) {
    return std::chrono::duration<double, std::milli>(what).count();
}

/// A server that stands still for as long as this lives.
class pause_of_server {
public:
    explicit pause_of_server(server const& at) : pid_(at.pid()) { ::kill(pid_, SIGSTOP); }
    pause_of_server(pause_of_server const&) = delete;
    pause_of_server& operator=(pause_of_server const&) = delete;
    ~pause_of_server() { ::kill(pid_, SIGCONT); }

private:
    pid_t pid_;
};

/// How long after its deadline each of very many calls has ended that wait for a server that is away.
void abandon_calls(server const& at, findings& found) {
    client one(config{.address = at.tcp().uri(), .timeout = 200ms});
    std::vector<double> late(many);
    std::counting_semaphore<> ended{0};
    std::atomic<int> surprises{0};
    pause_of_server const paused(at);
    std::error_code lost;
    hold const none = one.get_lock("bench:first").acquire({.wait = 1s}, lost); // from now on there is no connection
    for (int number = 0; number < many; ++number) {
        auto const due = steady_clock::now() + 2s;
        one.get_lock("bench:" + std::to_string(number))
            .async_acquire({.wait = 2s, .owner = owner()}, {}, [&, number, due](std::error_code ec, hold const&) {
                late[static_cast<std::size_t>(number)] = milliseconds(steady_clock::now() - due);
                if (ec != errc::disconnected) ++surprises;
                ended.release();
            });
    }
    for (int number = 0; number < many; ++number) ended.acquire();
    if (lost != errc::disconnected || surprises > 0)
        throw std::runtime_error("a call to a server that is away did not end as disconnected");
    found.value = median(late);
    found.p99 = percentile(late, 0.99);
}

/// From the end of a thread's function until it has been joined, in microseconds.
double end_of_thread(std::function<void()> const& work) {
    steady_clock::time_point ended;
    std::thread thread([&] {
        work();
        ended = steady_clock::now();
    });
    thread.join();
    return 1e3 * milliseconds(steady_clock::now() - ended);
}

/// How much longer it takes to end for a thread that has had a lock.
void end_threads(server const& at, findings& found) {
    config const settings{.address = at.tcp().uri()};
    held_locks all(settings);
    all.acquire(many);
    auto lock = all.by().get_lock("bench:of a thread");
    std::vector<double> with;
    std::vector<double> without;
    for (int round = 0; round < 200; ++round) {
        with.push_back(end_of_thread([&] { lock.acquire().release(); }));
        without.push_back(end_of_thread([] {}));
    }
    found.value = median(with) - median(without);
    found.p99 = percentile(with, 0.99) - median(without);
}

/// Waiters of one process for one lock. `queued`: until all stand in line; else until all have had their turn.
void queue_up(server const& at, bool queued, findings& found) {
    client one(config{.address = at.tcp().uri()});
    auto const lock = one.get_lock("bench:one");
    auto first = reentrant_lock(lock).acquire();
    std::counting_semaphore<> in_line{0};
    std::counting_semaphore<> ended{0};
    std::atomic<int> problems{0};
    auto const began = steady_clock::now();
    for (int number = 0; number < many; ++number)
        reentrant_lock(lock).async_acquire({.owner = owner()}, {}, [&](std::error_code ec, hold got) {
            if (ec) ++problems;
            got.release_detached();
            ended.release();
        });
    one.async_ping({}, [&](std::error_code, server_info const&) { in_line.release(); }); // begins behind all of them
    in_line.acquire();
    auto const all_there = steady_clock::now();
    first.release();
    for (int number = 0; number < many; ++number) ended.acquire();
    if (problems > 0) throw std::runtime_error("a waiter did not get the lock");
    found.value = milliseconds(queued ? all_there - began : steady_clock::now() - all_there) / 1e3;
}

contender ours(stage const& on, std::string const& title, std::function<void(server const&, findings&)> const& task,
               std::vector<aim> aims) {
    return {title,
            [&at = on.at, task](std::chrono::milliseconds) {
                return in_a_child(at, [&](findings& found) { task(at, found); });
            },
            std::move(aims)};
}

} // namespace

std::vector<scenario> scale(stage const& on) {
    scenario abandoned{"scale: 100000 calls abandoned, how late", "ms", false, {}};
    abandoned.contenders = {ours(on, "redlatch", abandon_calls, {at_most(50)})};
    scenario thread_ends{"scale: end of a thread beside 100000 holds of others", "µs", false, {}};
    thread_ends.contenders = {ours(on, "redlatch", end_threads, {at_most(20)})};
    scenario queue{"scale: 100000 waiters of one process for one lock", "s", false, {}};
    queue.contenders = {ours(on, "redlatch, until all are in line",
                             [](auto const& at, auto& found) { queue_up(at, true, found); }, {at_most(0.3)}),
                        ours(on, "redlatch, until all have had it",
                             [](auto const& at, auto& found) { queue_up(at, false, found); }, {})};
    std::vector<scenario> result;
    for (auto* const one : {&abandoned, &thread_ends, &queue}) {
        one->most_rounds = 3;
        result.push_back(std::move(*one));
    }
    return result;
}

} // namespace redlatch::bench
