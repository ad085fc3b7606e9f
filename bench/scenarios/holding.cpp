#include "measure/client_cpu.hpp"
#include "measure/measured_cluster.hpp"
#include "measure/metering.hpp"
#include "measure/process_memory.hpp"
#include "measure/processes.hpp"
#include "peer_process.hpp"
#include "scenarios/contenders.hpp"
#include "scenarios/held_locks.hpp"
#include "scenarios/started_when_used.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <malloc.h>
#include <memory>
#include <thread>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

constexpr char const* limits_of_holding =
    "a held lock has 232 bytes for its tenure (with one level), 136 for what is known of the "
    "lock, 80 for the state of the hold, 48 in the table of names, 16 in the heap of timers, and its name; then comes "
    "spare room of the tables, and what malloc keeps.";

/// Users have 30 s. A shorter one shows as many renewals in less time; the figures are those of 30 s.
constexpr auto usual_watchdog = 30000ms;
constexpr int renewals_of_a_lease = 3;

/// Very many locks need longer to be taken, and a server that is not busy with renewing them alone.
std::chrono::milliseconds watchdog_for(std::chrono::milliseconds period, int locks) {
    return std::clamp(period * (locks > 10000 ? 40 : 20), 3000ms, usual_watchdog);
}

/// What one lease of all locks has cost, in which each was renewed three times.
/// value: the share of a core that renewal takes with the usual watchdog, in percent; the rest for each renewal of a lock.
measurement figures_of(look const& begin, look const& end, int locks, std::chrono::milliseconds watchdog) {
    double const elapsed = std::chrono::duration<double>(end.when - begin.when).count();
    double const leases = elapsed / std::chrono::duration<double>(watchdog).count();
    double const renewals = leases * renewals_of_a_lease * locks;
    double const client_cpu = end.client_cpu - begin.client_cpu;
    auto const scripts = [](look const& at) {
        double sum = 0;
        for (auto const& [name, count] : at.work.calls)
            if (name.starts_with("eval")) sum += count;
        return sum;
    };
    return {{figure::value, 100 * client_cpu / leases / std::chrono::duration<double>(usual_watchdog).count()},
            {figure::client_cpu, client_cpu / renewals * 1e6},
            {figure::server_cpu, (end.work.cpu_seconds - begin.work.cpu_seconds) / renewals * 1e6},
            {figure::commands, (scripts(end) - scripts(begin)) / renewals}};
}

/// Where the locks are held.
struct holding_place {
    work_meter const& servers;
    std::string uri;
    std::function<int()> keys;
};

/// Written by a child, read when it has ended.
struct findings {
    std::atomic<double> bytes; ///< of a lock
    std::atomic<int> late;
};

/// One process of those that hold them.
class holding_child {
public:
    holding_child(config settings, int locks, std::string prefix)
        : process_([this, settings = std::move(settings), locks, prefix = std::move(prefix)] {
              ::malloc_trim(0); // what the parent has freed must not be taken for no growth
              held_locks all(settings);
              int const first_ones = locks / 10; // they bring in code, threads and buffers, whatever comes after them
              all.acquire(first_ones, prefix + "first:");
              auto const before = memory_of(0);
              all.acquire(locks - first_ones, prefix);
              found_->bytes = (memory_of(0) - before) / (locks - first_ones);
              all_held_.tell();
              enough_.hear();
              found_->late = all.late();
          }) {}

    void await_all() const { all_held_.hear(); }
    void end() {
        enough_.tell();
        process_.must_succeed();
    }
    double cpu() const { return cpu_seconds_of(process_.pid()); }
    findings const& found() const { return *found_.get(); }

private:
    shared_memory<findings> found_{};
    signal_pipe all_held_{};
    signal_pipe enough_{};
    child process_;
};

measurement ours_holding(holding_place const& at, int locks, int processes, std::chrono::milliseconds watchdog) {
    std::vector<std::unique_ptr<holding_child>> holders;
    for (int number = 0; number < processes; ++number)
        holders.push_back(std::make_unique<holding_child>(config{.address = at.uri, .lock_watchdog_timeout = watchdog},
                                                          locks / processes, "bench:" + std::to_string(number) + ":"));
    for (auto const& each : holders) each->await_all();
    counters_of_clients const clients{[] { return std::vector{0.0}; },
                                      [&] {
                                          double sum = 0;
                                          for (auto const& each : holders) sum += each->cpu();
                                          return sum;
                                      }};
    auto const begin = take(at.servers, clients);
    std::this_thread::sleep_for(watchdog);
    auto const end = take(at.servers, clients);
    int const gone = locks - at.keys();
    double bytes = 0;
    int late = 0;
    for (auto const& each : holders) {
        each->end();
        bytes += each->found().bytes;
        late += each->found().late;
    }
    auto result = figures_of(begin, end, locks, watchdog);
    result[figure::lock_bytes] = bytes / processes;
    result[figure::late] = std::max(late, gone);
    return result;
}

scenario a_million_in_a_cluster(stage const& on) {
    constexpr int locks = 1'000'000;
    scenario one{"holding 1000000 locks, 8 processes, cluster of 3", "% of a core", false, {}};
    one.limits = limits_of_holding;
    one.most_rounds = 1;
    started_when_used<measured_cluster> const servers(
        [cores = on.where.server_cores] { return std::make_unique<measured_cluster>(3, cores); });
    one.contenders = {{"redlatch",
                       [servers](std::chrono::milliseconds) {
                           auto const& at = servers.get();
                           return ours_holding({at, at.uri(), [&] { return at.keys(); }}, locks, 8, usual_watchdog);
                       },
                       {at_most(0, figure::late), at_most(600, figure::lock_bytes)}}};
    return one;
}

measurement peer_holding(server const& at, peer const& who, std::string const& log, int locks,
                         std::chrono::milliseconds period) {
    at.flush();
    auto const watchdog = watchdog_for(period, locks);
    peer_process holder(who.command_for(at.tcp(), {"watchdog=" + std::to_string(watchdog.count())}), log);
    holder.play("hold", locks);
    auto const before = memory_of(holder.pid());
    holder.begin(0ms, 0ms);
    holder.await_begun();
    holder.result(); // now it holds them all
    auto const after = memory_of(holder.pid());
    counters_of_clients const clients{[] { return std::vector{0.0}; }, [&] { return cpu_seconds_of(holder.pid()); }};
    auto const begin = take(at, clients);
    std::this_thread::sleep_for(watchdog);
    auto const end = take(at, clients);
    auto result = figures_of(begin, end, locks, watchdog);
    result[figure::lock_bytes] = (after - before) / locks;
    result[figure::late] = locks - at.keys();
    return result;
}

} // namespace

std::vector<scenario> holding(stage const& on) {
    std::vector<scenario> result;
    for (int const locks : {10000, 100000}) {
        scenario one{"holding " + std::to_string(locks) + " locks", "% of a core", false, {}};
        one.limits = limits_of_holding;
        std::vector<aim> aims{at_most(0, figure::late), at_most(600, figure::lock_bytes),
                              at_most(1, "Redisson", figure::server_cpu)};
        if (locks == 10000) aims.push_back(at_most(0.5));
        one.contenders = {{"redlatch",
                           [=, &at = on.at](std::chrono::milliseconds period) {
                               at.flush();
                               return ours_holding({at, at.tcp().uri(), [&] { return at.keys(); }}, locks, 1,
                                                   watchdog_for(period, locks));
                           },
                           std::move(aims)}};
        // Of the peers only Redisson renews by itself.
        for (auto const& who : on.others.all())
            if (who.title == "Redisson")
                one.contenders.push_back({who.title,
                                          [=, &at = on.at, log = on.others.log()](std::chrono::milliseconds period) {
                                              return peer_holding(at, who, log, locks, period);
                                          },
                                          {},
                                          true});
        result.push_back(std::move(one));
    }
    if (on.wanted.large) result.push_back(a_million_in_a_cluster(on));
    return result;
}

} // namespace redlatch::bench
