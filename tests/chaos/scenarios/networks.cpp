// Packets that get lost in a network namespace of the run.
#include "network.hpp"
#include "scenario.hpp"

#include <sstream>

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

namespace {

using rule = void (packet_filter::*)(std::uint16_t) const;

scenario dropping(std::string name, std::string done, std::string promised, rule what, milliseconds length,
                  expectation expected) {
    return {.name = std::move(name),
            .group = group::network,
            .done = std::move(done),
            .promised = std::move(promised),
            .expected = expected,
            .act =
                [what, length](stage& at) {
                    packet_filter const filter;
                    at.holder();
                    at.waiters();
                    at.fault([&] { (filter.*what)(at.server().address().port); });
                    stage::during(length);
                    filter.pass_all();
                    at.healed();
                },
            .needed = scenario::needs::own_network};
}

/// The ports of all clients that came over TCP.
std::vector<std::uint16_t> client_ports(stage& at) {
    std::vector<std::uint16_t> result;
    std::istringstream clients(at.admin().command("CLIENT", "LIST").text);
    for (std::string line; std::getline(clients, line);) {
        auto const place = line.find(" addr=127.0.0.1:");
        if (place != std::string::npos)
            result.push_back(static_cast<std::uint16_t>(std::stoi(line.substr(place + 16))));
    }
    return result;
}

} // namespace

std::vector<scenario> network_scenarios() {
    std::vector<scenario> all;
    constexpr expectation kept{.of_holds = loss::never, .recovery = 3000ms};
    constexpr expectation lost{.of_holds = loss::always, .notice = 3000ms, .recovery = 3000ms};
    all.push_back(dropping("silence for a moment", "packets dropped both ways for 1 s", "the holder keeps the lock",
                           &packet_filter::drop_both, 1s, kept));
    all.push_back(dropping("silence beyond the lease", "packets dropped both ways for 5 s",
                           "the holder is told before its key can expire", &packet_filter::drop_both, 5s, lost));
    all.push_back(dropping("packets to the server dropped", "one way, for 5 s", "likewise",
                           &packet_filter::drop_to_server, 5s, lost));
    all.push_back(dropping("packets to the clients dropped", "the other way, for 5 s: commands run, replies are lost",
                           "likewise; what ran unseen frees no lock and leaves none held",
                           &packet_filter::drop_to_clients, 5s, lost));
    all.push_back({.name = "half-open connections",
                   .group = group::network,
                   .done = "a firewall forgets all connections: no packet and no reset on them any more; new ones work",
                   .promised =
                       "noticed by silence where answers are due, by the probe (here 1 s) elsewhere; the holder keeps "
                       "the lock, the waiters get it",
                   .expected = kept,
                   .act =
                       [](stage& at) {
                           packet_filter const filter;
                           at.holder();
                           at.waiters();
                           at.fault([&] { filter.drop_connections(at.server().address().port, client_ports(at)); });
                           at.healed();
                           stage::during(4s);
                       },
                   .needed = scenario::needs::own_network});
    all.push_back(
        {.name = "server's machine vanishes",
         .group = group::network,
         .done = "packets dropped both ways, the server killed, 1.5 s later another with its data at the same address",
         .promised = "the holder keeps the lock",
         .expected = kept,
         .act =
             [](stage& at) {
                 packet_filter const filter;
                 at.holder();
                 at.waiters();
                 at.fault([&] {
                     filter.drop_both(at.server().address().port);
                     at.server().kill9();
                 });
                 stage::during(1500ms);
                 filter.pass_all();
                 at.server().restart(test::redis_server::data::kept);
                 at.healed();
             },
         .needed = scenario::needs::own_network,
         .server = {.persistent = true}});
    return all;
}

} // namespace redlatch::chaos
