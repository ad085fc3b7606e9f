// Beside one server that is reached in plain text: TLS, and a cluster on the same cores.
#include "measure/measured_cluster.hpp"
#include "scenarios/contenders.hpp"
#include "scenarios/started_when_used.hpp"
#ifdef REDLATCH_BENCH_TLS
#include "measure/measured_tls_server.hpp"
#endif

namespace redlatch::bench {

namespace {

constexpr int threads = 64;

scenario beside_one_server(stage const& on, std::string const& title, contender what) {
    scenario one{"64 threads, 64 locks, " + title, "cycles/s", true, {}};
    one.floor = "one server, plain text";
    one.contenders.push_back(std::move(what));
    one.contenders.push_back(our_threads(on, on.at.tcp(), threads, one_each(), {.title = one.floor}, {}));
    return one;
}

#ifdef REDLATCH_BENCH_TLS
scenario with_tls(stage const& on) {
    started_when_used<measured_tls_server> const servers(
        [cores = on.where.server_cores] { return std::make_unique<measured_tls_server>(cores); });
    auto const round = [servers](std::chrono::milliseconds period) {
        auto const& at = servers.get();
        return run_our_threads(at, at.settings(), threads, one_each(), {}, period);
    };
    auto one = beside_one_server(on, "TLS", {"redlatch, TLS", round, {at_least(0.5, "one server, plain text")}});
    one.limits = "records are encrypted and decrypted on both sides, on the one core that each side has.";
    return one;
}
#endif

scenario in_a_cluster(stage const& on) {
    started_when_used<measured_cluster> const servers(
        [cores = on.where.server_cores] { return std::make_unique<measured_cluster>(3, cores); });
    auto const round = [servers](std::chrono::milliseconds period) {
        auto const& at = servers.get();
        return run_our_threads(at, {.address = at.uri()}, threads, one_each(), {}, period);
    };
    auto one = beside_one_server(on, "cluster of 3",
                                 {"redlatch, cluster of 3", round, {at_least(0.8, "one server, plain text")}});
    one.limits =
        "the three masters share the core that the one server has alone, and each has a connection of its own: "
        "fewer commands travel together. On paper, where each of n masters and each client has cores of its own: n × "
        "1,000,000 / \"server µs\" cycles/s, and more where more commands travel together, up to n times what one "
        "server does; the cycles of a client are 1,000,000 / \"client µs\" for each core.";
    return one;
}

} // namespace

std::vector<scenario> arrangements(stage const& on) {
    std::vector<scenario> all{in_a_cluster(on)};
#ifdef REDLATCH_BENCH_TLS
    if (test::test_server_has_tls()) all.push_back(with_tls(on));
#endif
    return all;
}

} // namespace redlatch::bench
