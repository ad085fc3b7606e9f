// A lock on the majority of three independent masters, of which one is lost.
#include "independent_masters.hpp"
#include "network.hpp"
#include "scenario.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

namespace {

/// For longer than the longest lease: so long a server that comes back without its data has to stay away.
constexpr milliseconds away = 5s;

void lose_one(independent_masters& servers) {
    auto& victim = servers.server(0);
    victim.kill9();
    stage::during(away);
    victim.restart(test::redis_server::data::lost);
}

void cut_one_off(independent_masters& servers) {
    packet_filter const filter;
    filter.drop_both(servers.server(0).address().port);
    stage::during(away);
    filter.pass_all();
}

using fault = void (*)(independent_masters&);

scenario of_red_lock(std::string const& name, std::string done, std::string promised, fault what,
                     void (*begin)(stage&)) {
    return {.name = "red lock: " + name,
            .group = group::independent,
            .done = std::move(done),
            .promised = std::move(promised),
            .expected = {.of_holds = loss::never},
            .act =
                [what, begin](stage& at) {
                    begin(at);
                    at.fault([&] { what(at.on<independent_masters>()); });
                    at.healed();
                },
            .needed = what == cut_one_off ? scenario::needs::own_network : scenario::needs::nothing,
            .redisson = false, // deprecated there, and not judged
            .servers = [] { return std::make_unique<independent_masters>(); }};
}

void held(stage& at) {
    at.holder();
    at.waiters();
}

void contended(stage& at) {
    at.traffic(3, 1);
}

} // namespace

std::vector<scenario> red_lock_scenarios() {
    std::string const killed = "`kill -9` of one of three masters, 5 s later a restart without data";
    std::string const silent = "packets to and from one of three masters dropped for 5 s";
    std::string const kept = "the holder keeps the lock: two of three have it. The waiters go on waiting";
    std::string const taken = "two of three are enough to acquire it, and never two at once";
    return {of_red_lock("one master killed while held", killed, kept, lose_one, held),
            of_red_lock("one master cut off while held", silent, kept, cut_one_off, held),
            of_red_lock("one master killed under load", killed + ", with 3 processes contending", taken, lose_one,
                        contended),
            of_red_lock("one master cut off under load", silent + ", with 3 processes contending", taken, cut_one_off,
                        contended)};
}

} // namespace redlatch::chaos
