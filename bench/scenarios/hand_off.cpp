#include "floor/waiting_locker.hpp"
#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "measure/processes.hpp"
#include "scenarios/contenders.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <unistd.h>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

constexpr char const* limits_of_hand_off =
    "an attempt while somebody else listens is a script, which tells for how long the lock is held; the plain "
    "floor's is RESTORE, some 25 µs less of the server. Commands are those of both clients: two acquisitions, two "
    "releases, and one attempt that is refused. A release where few listen is two commands, HDEL and PUBLISH, "
    "unless scripts are asked for: by one script the hand-off took 10 to 20 % longer, since its message is sent later.";

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

measurement round(server const& at, party_maker const& make, int samples) {
    shared_memory<shared_page> const page;
    signal_pipe held;
    signal_pipe about_to_wait;
    signal_pipe finished;
    counters_of_clients const clients{[&] { return std::vector{static_cast<double>(samples)}; }, own_cpu_seconds};
    auto begin = take(at, clients);
    begin.cycles = {0};

    child holder([&] {
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
    child waiter([&] {
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
    holder.must_succeed();
    waiter.must_succeed();

    auto result = between(begin, take(at, clients));
    std::vector<double> microseconds;
    for (int sample = 0; sample < samples; ++sample)
        microseconds.push_back(static_cast<double>(page->nanoseconds[sample]) / 1e3);
    result[figure::value] = median(microseconds);
    result[figure::p99] = percentile(microseconds, 0.99);
    return result;
}

contender between_processes(stage const& on, std::string const& title, party_maker const& maker,
                            std::vector<aim> aims) {
    return {title,
            [=, &at = on.at](std::chrono::milliseconds period) {
                return round(at, maker, std::clamp(static_cast<int>(period / 2500us), 10, most_samples));
            },
            std::move(aims)};
}

std::vector<aim> aims_beside(stage const& on, std::string const& floor) {
    std::vector<aim> result{at_most(1.75, floor, figure::p99), at_most(5, figure::commands)};
    if (on.is("apart")) result.push_back(at_most(1.1, floor));
    if (on.is("free")) result.push_back(at_most(1.35, floor));
    return result;
}

} // namespace

std::vector<scenario> hand_off(stage const& on) {
    auto const where = on.at.tcp();
    auto const ours_with = [where](our_way const& way) {
        return [=] { return ours(client(settings_for(where, way)), "bench:handed", false); };
    };
    auto const floor_with = [where](form which) {
        return [=] {
            auto const lock =
                std::make_shared<waiting_locker>(where, which, "bench:handed", "raw:" + std::to_string(::getpid()));
            return party{[=] { lock->acquire(); }, [=] { lock->release(); }};
        };
    };
    scenario one{"hand-off between two clients", "µs", false, {}};
    one.floor = "raw pub/sub, plain";
    one.limits = limits_of_hand_off;
    one.contenders = {between_processes(on, "redlatch", ours_with({}), aims_beside(on, one.floor)),
                      between_processes(on, "redlatch, scripts", ours_with({.commands = command_set::scripts}),
                                        aims_beside(on, "raw pub/sub, scripts")),
                      between_processes(on, "raw pub/sub, plain", floor_with(form::plain), {}),
                      between_processes(on, "raw pub/sub, scripts", floor_with(form::scripts), {})};
    for (auto& other : peer_contenders(on, "hand_off", 2)) {
        auto const play = other.round;
        other.round = [play](std::chrono::milliseconds period) {
            auto result = play(period);
            result[figure::value] = result[figure::p50];
            result[figure::p50] = result[figure::spread] = std::nullopt;
            return result;
        };
        one.contenders.push_back(std::move(other));
    }
    return {std::move(one)};
}

} // namespace redlatch::bench
