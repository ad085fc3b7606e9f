#include "measure/processes.hpp"

#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "measure/workers.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace redlatch::bench {

child::child(std::function<void()> const& task) : pid_(::fork()) {
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        task();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_bench: %s\n", problem.what());
        ::_exit(1);
    }
    ::_exit(0);
}

child::child(child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

child::~child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void child::must_succeed() {
    int status = 0;
    bool const ended = ::waitpid(std::exchange(pid_, -1), &status, 0) > 0;
    if (!ended || status != 0) throw std::runtime_error("a process of the benchmark has failed");
}

void child::must_run() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return;
    pid_ = -1;
    throw std::runtime_error("a process of the benchmark has ended too early");
}

signal_pipe::signal_pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
}

signal_pipe::~signal_pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
}

void signal_pipe::tell() const {
    if (::write(ends_[1], "x", 1) != 1) throw std::system_error(errno, std::generic_category(), "pipe");
}

void signal_pipe::hear() const {
    char byte;
    if (::read(ends_[0], &byte, 1) != 1) throw std::system_error(errno, std::generic_category(), "pipe");
}

measurement run_processes(server const& at, std::vector<std::function<party()>> const& makers,
                          std::chrono::milliseconds period) {
    shared_memory<tally> const tallies(makers.size());
    shared_memory<phases> const now;
    shared_memory<std::atomic<std::size_t>> const ready;
    std::vector<child> children;
    for (std::size_t which = 0; which < makers.size(); ++which)
        children.emplace_back([&, which] {
            auto const who = makers[which]();
            ready->fetch_add(1);
            work(who, tallies[which], *now.get());
        });
    while (*ready.get() < makers.size()) {
        for (auto& each : children) each.must_run();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    counters_of_clients const clients{[&] {
                                          std::vector<double> cycles;
                                          for (std::size_t which = 0; which < makers.size(); ++which)
                                              cycles.push_back(static_cast<double>(tallies[which].cycles.load()));
                                          return cycles;
                                      },
                                      [&] {
                                          double sum = 0;
                                          for (auto const& each : children) sum += cpu_seconds_of(each.pid());
                                          return sum;
                                      }};
    std::this_thread::sleep_for(period / 5);
    auto const begin = take(at, clients);
    now->measuring = true;
    pass(period, clients);
    now->measuring = false;
    auto const end = take(at, clients);
    now->stop = true;
    for (auto& each : children) each.must_succeed();

    auto result = between(begin, end);
    latency_histogram acquisitions{};
    for (std::size_t which = 0; which < makers.size(); ++which) acquisitions.add(tallies[which].acquisitions);
    result[figure::p50] = acquisitions.percentile(0.5);
    result[figure::p99] = acquisitions.percentile(0.99);
    return result;
}

} // namespace redlatch::bench
