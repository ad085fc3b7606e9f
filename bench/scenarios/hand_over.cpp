#include "floor/waiting_locker.hpp"
#include "scenarios/scenarios.hpp"
#include "workers.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

/// One process's access to the lock.
struct party {
    std::function<void()> acquire;
    std::function<void()> release;
};
using party_maker = std::function<party()>;

constexpr int most_samples = 10000;

/// Seen by both processes.
struct shared_page {
    std::atomic<std::int64_t> released_at;
    std::int64_t nanoseconds[most_samples];
};

std::int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch() / 1ns;
}

/// Bytes from one process to another.
struct signal_pipe {
    int ends[2];
    signal_pipe() {
        if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    }
    signal_pipe(signal_pipe const&) = delete;
    ~signal_pipe() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    void tell() const {
        if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    }
    void hear() const {
        char byte;
        if (::read(ends[0], &byte, 1) != 1) ::_exit(1);
    }
};

/// In a process of its own, made before it has any connection or thread.
pid_t in_child(std::function<void()> const& task) {
    pid_t const child = ::fork();
    if (child != 0) return child;
    try {
        task();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_bench: %s\n", problem.what());
        ::_exit(1);
    }
    ::_exit(0);
}

void must_succeed(pid_t child) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0)
        throw std::runtime_error("a process of the hand-over has failed");
}

measurement round(server const& at, party_maker const& make, int samples) {
    auto* const page = static_cast<shared_page*>(
        ::mmap(nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    signal_pipe held;
    signal_pipe about_to_wait;
    signal_pipe finished;
    auto const before = at.work();
    auto const cpu_before = client_cpu_seconds();

    pid_t const holder = in_child([&] {
        party const lock = make();
        for (int sample = 0; sample < samples; ++sample) {
            lock.acquire();
            held.tell();
            about_to_wait.hear();
            // Long enough for the other to have subscribed, found it held and fallen asleep.
            std::this_thread::sleep_for(2ms);
            page->released_at = now();
            lock.release();
            finished.hear();
        }
    });
    pid_t const waiter = in_child([&] {
        party const lock = make();
        for (int sample = 0; sample < samples; ++sample) {
            held.hear();
            about_to_wait.tell();
            lock.acquire();
            page->nanoseconds[sample] = now() - page->released_at;
            lock.release();
            finished.tell();
        }
    });
    must_succeed(holder);
    must_succeed(waiter);

    auto const after = at.work();
    std::vector<double> microseconds;
    for (int sample = 0; sample < samples; ++sample)
        microseconds.push_back(static_cast<double>(page->nanoseconds[sample]) / 1e3);
    ::munmap(page, sizeof(shared_page));
    return {.value = median(microseconds),
            .p99 = percentile(microseconds, 0.99),
            .commands = (after.commands - before.commands) / samples,
            .server_cpu = (after.cpu_seconds - before.cpu_seconds) / samples * 1e6,
            .client_cpu = (client_cpu_seconds() - cpu_before) / samples * 1e6};
}

party ours(address const& where) {
    auto const locks = std::make_shared<client>(config{.address = where.uri()});
    auto const lock = std::make_shared<reentrant_lock>(locks->get_lock("bench:handed"));
    auto const held = std::make_shared<hold>();
    return {[=] { *held = lock->acquire(); }, [locks, held] { held->release(); }};
}

party floor_of(address const& where) {
    auto const lock = std::make_shared<waiting_locker>(where, "bench:handed", "raw:" + std::to_string(::getpid()));
    return {[=] { lock->acquire(); }, [=] { lock->release(); }};
}

} // namespace

scenario hand_over(server const& at, settings const& wanted) {
    int const samples = std::clamp(static_cast<int>(wanted.period / 2500us), 10, most_samples);
    auto const where = at.tcp();
    return {"hand-over between processes",
            "µs",
            false,
            1,
            {{"redlatch",
              [=, &at] {
                  return round(
                      at, [=] { return ours(where); }, samples);
              },
              1.3},
             {"raw pub/sub", [=, &at] {
                  return round(
                      at, [=] { return floor_of(where); }, samples);
              }}}};
}

} // namespace redlatch::bench
