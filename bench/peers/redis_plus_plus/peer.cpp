// RedMutex of redis-plus-plus as a peer of the benchmark: the protocol of bench/peers/README.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sw/redis++/patterns/redlock.h>
#include <sw/redis++/redis++.h>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using sw::redis::Redis;
using sw::redis::RedMutex;

struct outcome {
    std::vector<std::size_t> per_worker;
    std::size_t settled = 0;          // cycles before the window, which the server has seen all the same
    std::vector<double> microseconds; // of the acquisitions
};

/// The time in which cycles count: it opens when the threads are there and have settled.
struct window {
    clock_type::time_point from;
    clock_type::time_point until;
    std::function<void()> begun; ///< called when it opens

    bool is_over() const { return clock_type::now() >= until; }
    void open() const {
        std::this_thread::sleep_until(from);
        begun();
    }
};
using round_type = std::function<outcome(window const&)>;

double microseconds_since(clock_type::time_point when) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - when).count();
}

std::shared_ptr<Redis> connect(std::string const& address, std::size_t connections) {
    sw::redis::ConnectionPoolOptions pool;
    pool.size = connections;
    return std::make_shared<Redis>(sw::redis::ConnectionOptions("tcp://" + address), pool);
}

/// A thread each, on locks of their own or on one.
outcome cycles(std::shared_ptr<Redis> const& redis, std::vector<std::string> const& names, window const& when) {
    std::vector<std::vector<double>> times(names.size());
    std::atomic<std::size_t> settled{0};
    std::vector<std::thread> threads;
    for (std::size_t which = 0; which < names.size(); ++which)
        threads.emplace_back([&, which] {
            RedMutex mutex(redis, names[which]);
            while (!when.is_over()) {
                auto const asked = clock_type::now();
                mutex.lock();
                double const waited = microseconds_since(asked);
                mutex.unlock();
                if (asked >= when.from)
                    times[which].push_back(waited);
                else
                    ++settled;
            }
        });
    when.open();
    for (auto& each : threads) each.join();
    outcome result;
    result.settled = settled;
    for (auto const& each : times) {
        result.per_worker.push_back(each.size());
        result.microseconds.insert(result.microseconds.end(), each.begin(), each.end());
    }
    return result;
}

double hand_off_once(RedMutex& mine, std::shared_ptr<Redis> const& second, std::string const& name) {
    mine.lock();
    clock_type::time_point acquired;
    std::thread waiter([&] {
        RedMutex other(second, name);
        other.lock();
        acquired = clock_type::now();
        other.unlock();
    });
    std::this_thread::sleep_for(2ms); // long enough for the other to have been refused
    auto const released = clock_type::now();
    mine.unlock();
    waiter.join();
    return std::chrono::duration<double, std::micro>(acquired - released).count();
}

/// From one client to another one that waits.
outcome hand_off(std::shared_ptr<Redis> const& first, std::shared_ptr<Redis> const& second, std::string const& name,
                 window const& when) {
    RedMutex mine(first, name);
    std::size_t settled = 0;
    for (; clock_type::now() < when.from; ++settled) hand_off_once(mine, second, name);
    when.open();
    std::vector<double> times;
    while (!when.is_over() || times.size() < 3) times.push_back(hand_off_once(mine, second, name));
    return {{times.size()}, settled, times};
}

/// Locks that are taken once and kept.
outcome hold(std::shared_ptr<Redis> const& redis, std::vector<std::string> const& names,
             std::vector<std::unique_ptr<RedMutex>>& held, window const& when) {
    when.open();
    for (auto const& name : names) {
        held.push_back(std::make_unique<RedMutex>(redis, name));
        held.back()->lock();
    }
    return {{names.size()}, 0, {}};
}

round_type scenario(std::string const& address, std::string const& kind, std::size_t workers, std::string const& name) {
    std::vector<std::string> numbered;
    for (std::size_t number = 0; number < workers; ++number) numbered.push_back(name + ":" + std::to_string(number));
    auto const redis = connect(address, workers);
    if (kind == "own") return [=](window const& when) { return cycles(redis, numbered, when); };
    if (kind == "shared")
        return [=](window const& when) { return cycles(redis, std::vector<std::string>(workers, name), when); };
    if (kind == "hand_off")
        return [=, other = connect(address, 1)](window const& when) { return hand_off(redis, other, name, when); };
    auto const held = std::make_shared<std::vector<std::unique_ptr<RedMutex>>>();
    if (kind == "hold") return [=](window const& when) { return hold(redis, numbered, *held, when); };
    throw std::runtime_error("there is no scenario " + kind);
}

double cpu_seconds() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

std::string json_round(round_type const& round, std::chrono::milliseconds settle, std::chrono::milliseconds period) {
    double cpu = 0;
    auto const from = clock_type::now() + settle;
    auto seen = round({from, from + period, [&] {
                           std::cout << "begun" << std::endl;
                           cpu = cpu_seconds();
                       }});
    double const seconds = microseconds_since(from) / 1e6;
    std::sort(seen.microseconds.begin(), seen.microseconds.end());
    auto const percentile = [&](double share) {
        auto const& all = seen.microseconds;
        return all.empty() ? 0 : all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
    };
    std::ostringstream text;
    text << "{\"seconds\": " << seconds
         << ", \"cycles\": " << std::accumulate(seen.per_worker.begin(), seen.per_worker.end(), std::size_t{0})
         << ", \"per_worker\": [";
    for (std::size_t which = 0; which < seen.per_worker.size(); ++which)
        text << (which == 0 ? "" : ", ") << seen.per_worker[which];
    text << "], \"settled\": " << seen.settled << ", \"p50_us\": " << percentile(0.5)
         << ", \"p99_us\": " << percentile(0.99) << ", \"cpu_seconds\": " << cpu_seconds() - cpu << "}";
    return text.str();
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 3) throw std::runtime_error("ADDRESS NAME are needed");
        round_type round;
        for (std::string word; std::cin >> word;) {
            std::string kind;
            std::size_t number = 0;
            if (word == "play") {
                std::cin >> kind >> number;
                round = scenario(argv[1], kind, number, argv[2]);
                if (kind != "hold") round({clock_type::now(), clock_type::now() + 200ms, [] {}});
                std::cout << "ready" << std::endl;
            } else {
                std::cin >> number; // `go`, then both times
                std::size_t period = 0;
                std::cin >> period;
                std::cout << json_round(round, std::chrono::milliseconds(number), std::chrono::milliseconds(period))
                          << std::endl;
            }
        }
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "peer: %s\n", problem.what());
        return 1;
    }
    return 0;
}
