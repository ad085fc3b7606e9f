// One of the three masters is lost: the majority still has the lock.
#include "scenarios/red_locks.hpp"

#include "network.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using loss = expectation::loss;

namespace {

void kill_for(independent_masters& servers, milliseconds away) {
    auto& victim = servers.server(0);
    victim.kill9();
    stage::during(away);
    victim.restart(test::redis_server::data::lost);
}

void kill_one(independent_masters& servers) {
    kill_for(servers, beyond_the_lease);
}

void restart_one(independent_masters& servers) {
    kill_for(servers, 1s);
}

void stop_one(independent_masters& servers) {
    auto& victim = servers.server(0);
    victim.pause();
    stage::during(beyond_the_lease);
    victim.resume();
}

void cut_one_off(independent_masters& servers) {
    packet_filter const filter;
    filter.drop_both(servers.server(0).address().port);
    stage::during(beyond_the_lease);
    filter.pass_all();
}

using fault = void (*)(independent_masters&);

scenario of_one_lost(std::string const& name, std::string done, std::string promised, fault what, use by) {
    auto one =
        red_lock_scenario(name, std::move(done), std::move(promised), {.of_holds = loss::never}, [what, by](stage& at) {
            begin_use(at, by);
            at.fault([&] { what(at.on<independent_masters>()); });
            at.healed();
        });
    if (what == cut_one_off) one.needed = scenario::needs::own_network;
    return one;
}

} // namespace

void begin_use(stage& at, use what) {
    if (what == use::contended) {
        at.traffic(3, 1);
        return;
    }
    at.holder();
    at.waiters();
}

scenario red_lock_scenario(std::string const& name, std::string done, std::string promised, expectation expected,
                           std::function<void(stage&)> act) {
    return {.name = "red lock: " + name,
            .group = scenario::where::independent,
            .done = std::move(done),
            .promised = std::move(promised),
            .expected = expected,
            .act = std::move(act),
            .servers = [] { return std::make_unique<independent_masters>(); }};
}

std::vector<scenario> red_lock_scenarios() {
    std::string const killed = "`kill -9` of one of three masters, 5 s later a restart without data";
    std::string const silent = "packets to and from one of three masters dropped for 5 s";
    std::string const kept = "the holder keeps the lock: two of three have it. The waiters go on waiting";
    std::string const taken = "two of three are enough to acquire it, and never two at once";
    std::string const loaded = ", with 3 processes contending";
    return {of_one_lost("one master killed while held", killed, kept, kill_one, use::held),
            of_one_lost("one master restarted empty while held",
                        "`kill -9` of one of three masters, 1 s later a restart without data, within the lease (3 s)",
                        kept, restart_one, use::held),
            of_one_lost("one master stopped while held", "SIGSTOP of one of three masters for 5 s, beyond the lease",
                        kept, stop_one, use::held),
            of_one_lost("one master cut off while held", silent, kept, cut_one_off, use::held),
            of_one_lost("one master killed under load", killed + loaded, taken, kill_one, use::contended),
            of_one_lost("one master cut off under load", silent + loaded, taken, cut_one_off, use::contended)};
}

} // namespace redlatch::chaos
