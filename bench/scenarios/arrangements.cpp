// Beside one server that is reached in plain text: TLS, and a cluster on the same cores.
#include "measure/measured_cluster.hpp"
#include "measure/measured_tls_server.hpp"
#include "measure/workers.hpp"
#include "scenarios/contenders.hpp"
#include "scenarios/started_when_used.hpp"

namespace redlatch::bench {

namespace {

constexpr int threads = 64;

measurement own_locks_at(config const& settings, work_meter const& servers, std::chrono::milliseconds period) {
    client const locks(settings);
    auto const name = one_each();
    std::vector<party> workers;
    for (int worker = 0; worker < threads; ++worker) workers.push_back(ours(locks, name(worker), false));
    return run_workers(servers, workers, period);
}

scenario beside_one_server(stage const& on, std::string const& title, contender what) {
    scenario one{"64 threads, 64 locks, " + title, "cycles/s", true, {}};
    one.floor = "one server, plain text";
    one.contenders.push_back(std::move(what));
    one.contenders.push_back(our_threads(on, on.at.tcp(), threads, one_each(), {.title = one.floor}, {}));
    return one;
}

scenario with_tls(stage const& on) {
    started_when_used<measured_tls_server> const servers(
        [cores = on.where.server_cores] { return std::make_unique<measured_tls_server>(cores); });
    auto const round = [servers](std::chrono::milliseconds period) {
        auto const& at = servers.get();
        return own_locks_at(at.settings(), at, period);
    };
    auto one = beside_one_server(on, "TLS", {"redlatch, TLS", round, {at_least(0.5, "one server, plain text")}});
    one.limits = "records are encrypted and decrypted on both sides, on the one core that each side has.";
    return one;
}

scenario in_a_cluster(stage const& on) {
    started_when_used<measured_cluster> const servers(
        [cores = on.where.server_cores] { return std::make_unique<measured_cluster>(3, cores); });
    auto const round = [servers](std::chrono::milliseconds period) {
        auto const& at = servers.get();
        return own_locks_at({.address = at.uri()}, at, period);
    };
    auto one = beside_one_server(on, "cluster of 3",
                                 {"redlatch, cluster of 3", round, {at_least(0.8, "one server, plain text")}});
    one.limits =
        "the three masters share the core that the one server has alone, and each has a connection of its own: "
        "fewer commands travel together.";
    return one;
}

} // namespace

std::vector<scenario> arrangements(stage const& on) {
    std::vector<scenario> all{in_a_cluster(on)};
    if (measured_tls_server::possible()) all.push_back(with_tls(on));
    return all;
}

} // namespace redlatch::bench
