#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "scenarios/contenders.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace redlatch::bench {

namespace {

/// The processes of one contender.
class troupe {
public:
    using own_servers = std::optional<started_when_used<measured_servers>>;

    troupe(stage const& on, peer who, std::string scenario, int workers, int processes, own_servers servers)
        : at_(on.at), others_(on.others), who_(std::move(who)), scenario_(std::move(scenario)), workers_(workers),
          size_(processes), servers_(std::move(servers)) {}

    measurement round(std::chrono::milliseconds period) {
        try {
            assemble();
            auto result = play(period);
            for (auto const& each : members_) each->sleep();
            return result;
        } catch (...) {
            members_.clear();
            others_.forget(who_);
            throw;
        }
    }

private:
    void assemble() {
        while (std::ssize(members_) < size_)
            members_.push_back(others_.process(who_, at_.tcp(), static_cast<int>(members_.size())));
        for (auto const& each : members_) each->wake(), each->prepare(scenario_, workers_, about_servers());
        for (auto const& each : members_) each->await_ready();
    }

    std::vector<std::string> about_servers() const {
        if (!servers_) return {};
        std::string all;
        for (auto const& one : servers_->get().places())
            all += (all.empty() ? "servers=127.0.0.1:" : ",127.0.0.1:") + std::to_string(one.port);
        return {all};
    }

    work_meter const& measured() const {
        if (servers_) return servers_->get();
        return at_;
    }

    measurement play(std::chrono::milliseconds period) {
        std::vector<double> cycles;
        counters_of_clients const clients{[&] { return cycles; },
                                          [&] {
                                              double sum = 0;
                                              for (auto const& each : members_) sum += cpu_seconds_of(each->pid());
                                              return sum;
                                          }};
        // While many threads settle, this process does not get its turn in the moment in which cycles begin to count. So what
        // was used is looked at before they begin, and divided by all cycles.
        auto begin = take(measured(), clients);
        // As ours do: threads are made and settle before anything counts.
        for (auto const& each : members_) each->begin(period / 5, period);
        for (auto const& each : members_) each->await_begun();
        std::vector<peer_round> said;
        for (auto const& each : members_) said.push_back(each->result());
        // Workers of several processes are counted together: max/min is over all of them.
        double settled = 0;
        for (auto const& each : said) {
            cycles.insert(cycles.end(), each.per_worker.begin(), each.per_worker.end());
            settled += each.settled;
        }
        auto const end = take(measured(), clients);
        begin.cycles.assign(cycles.size(), 0);
        auto result = between(begin, end, settled);
        // By its own clock: waking up for the order and saying what became of it take time too.
        auto const longest = std::ranges::max_element(said, {}, &peer_round::seconds)->seconds;
        result[figure::value] = std::accumulate(cycles.begin(), cycles.end(), 0.0) / longest;
        result[figure::p50] = median_of_said(said, &peer_round::p50);
        result[figure::p99] = median_of_said(said, &peer_round::p99);
        return result;
    }

    static double median_of_said(std::vector<peer_round> const& said, double peer_round::*which) {
        std::vector<double> values;
        for (auto const& each : said) values.push_back(each.*which);
        return median(std::move(values));
    }

    server const& at_;
    peers& others_;
    peer who_;
    std::string scenario_;
    int workers_;
    int size_;
    own_servers servers_;
    std::vector<std::shared_ptr<peer_process>> members_{};
};

std::vector<contender> contenders_of(stage const& on, std::string const& scenario, int workers, int processes,
                                     troupe::own_servers const& servers) {
    std::vector<contender> result;
    for (auto const& who : on.others.all()) {
        if (!who.can(scenario)) continue;
        auto const cast = std::make_shared<troupe>(on, who, scenario, workers, processes, servers);
        result.push_back(
            {who.title, [cast](std::chrono::milliseconds period) { return cast->round(period); }, {}, true});
    }
    return result;
}

} // namespace

std::vector<contender> peer_contenders(stage const& on, std::string const& scenario, int workers, int processes) {
    return contenders_of(on, scenario, workers, processes, {});
}

std::vector<contender> peer_contenders(stage const& on, std::string const& scenario, int workers,
                                       started_when_used<measured_servers> const& servers) {
    return contenders_of(on, scenario, workers, 1, servers);
}

} // namespace redlatch::bench
