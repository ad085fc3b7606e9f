#include "floor/hiredis_locker.hpp"
#include "measure/workers.hpp"
#include "scenarios/contenders.hpp"

#include <memory>

namespace redlatch::bench {

namespace {

constexpr char const* limits_of_one_thread =
    "our part of a cycle is some 16,000 instructions (bench/baseline), about 4 µs with a flat profile; the system "
    "calls and the server's time are the floor's too. With a detached release the next acquisition is still "
    "waited for.";

contender with_hiredis(stage const& on, address const& where, form which) {
    return {"hiredis loop, " + name_of(which), [=, &at = on.at](std::chrono::milliseconds period) {
                auto const locker = std::make_shared<hiredis_locker>(where, which, "bench:0", "hiredis:1");
                return run_workers(at, {{[=] { locker->acquire(); }, [=] { locker->release(); }}}, period);
            }};
}

std::vector<aim> beside_floors(stage const& on, form which) {
    auto const hiredis = "hiredis loop, " + name_of(which);
    std::vector<aim> result{at_least(0.95, hiredis), at_most(1.15, hiredis, figure::client_cpu)};
    if (on.is("together")) result.push_back(at_least(0.85, "raw socket, " + name_of(which)));
    return result;
}

std::vector<aim> beside_redisson(form which) {
    if (which == form::scripts) return {at_most(2.02, figure::commands)};
    return {at_most(3.02, figure::commands), at_most(0.25, "Redisson", figure::server_cpu)};
}

} // namespace

std::vector<scenario> one_thread(stage const& on) {
    std::vector<scenario> result;
    for (auto const& where : {on.at.tcp(), on.at.unix_socket()}) {
        auto const with_aims = [&](our_way const& way, form which) {
            auto aims = beside_floors(on, which);
            for (auto const& each : beside_redisson(which))
                if (!where.is_unix() || each.beside.empty()) aims.push_back(each);
            return our_threads(on, where, 1, one_each(), way, std::move(aims));
        };
        scenario one{where.is_unix() ? "one thread, Unix socket" : "one thread, TCP", "cycles/s", true, {}};
        one.floor = "hiredis loop, plain";
        one.limits = limits_of_one_thread;
        one.contenders = {with_aims({}, form::plain),
                          with_aims({.title = "redlatch, scripts", .commands = command_set::scripts}, form::scripts),
                          our_threads(on, where, 1, one_each(),
                                      {.title = "redlatch, detached unlock", .detached = true},
                                      {at_least(1.5, "redlatch")})};
        for (auto const which : {form::plain, form::scripts}) {
            one.contenders.push_back(with_hiredis(on, where, which));
            one.contenders.push_back(raw_threads(on, "raw socket", where, which, 1, one_each()));
        }
        // Peers are asked over TCP, as their users do.
        if (!where.is_unix())
            for (auto& each : peer_contenders(on, "own", 1)) one.contenders.push_back(std::move(each));
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace redlatch::bench
