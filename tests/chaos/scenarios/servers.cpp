// The server crashes, stops, sleeps, pauses, forgets its scripts.
#include "scenario.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;
using data = test::redis_server::data;

namespace {

void crash(stage& at, data what, milliseconds away) {
    at.holder();
    at.waiters();
    at.fault([&] { at.server().kill9(); });
    stage::during(away);
    at.server().restart(what);
    at.healed();
}

void pause_for(stage& at, milliseconds length) {
    at.holder();
    at.waiters();
    at.fault([&] { at.server().pause(); });
    stage::during(length);
    at.server().resume();
    at.healed();
}

void client_pause(stage& at, char const* mode, milliseconds length) {
    at.holder();
    at.waiters();
    at.fault([&] { at.admin().command("CLIENT", "PAUSE", std::to_string(length.count()), mode); });
    stage::during(length);
    at.healed();
}

} // namespace

std::vector<scenario> server_scenarios() {
    std::vector<scenario> all;
    all.push_back({.name = "server crashes, data kept",
                   .group = group::servers,
                   .done = "`kill -9`, 1 s later a restart with its data (`appendfsync always`)",
                   .promised = "the holder keeps the lock, the waiters go on waiting",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) { crash(at, data::kept, 1s); },
                   .server = {.persistent = true}});
    all.push_back(
        {.name = "server crashes, data lost",
         .group = group::servers,
         .done = "`kill -9`, 1 s later a restart without data",
         .promised = "not exclusion: the server has forgotten the lock. The holder is told as soon as it is connected "
                     "again, not at the end of its lease",
         .expected = {.of_holds = loss::always, .exclusion = false, .notice = 2500ms},
         .act = [](stage& at) { crash(at, data::lost, 1s); }});
    all.push_back({.name = "server away beyond the lease",
                   .group = group::servers,
                   .done = "`kill -9`, 5 s later a restart with its data",
                   .promised = "the holder is told before its key can expire; the first to come back has the lock",
                   .expected = {.of_holds = loss::always, .notice = 3000ms},
                   .act = [](stage& at) { crash(at, data::kept, 5s); },
                   .server = {.persistent = true}});
    all.push_back({.name = "server stopped for a moment",
                   .group = group::servers,
                   .done = "SIGSTOP of the server for 1 s; clients lose patience after 0.5 s",
                   .promised = "the holder keeps the lock",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) { pause_for(at, 1s); }});
    all.push_back({.name = "server stopped beyond the lease",
                   .group = group::servers,
                   .done = "SIGSTOP of the server for 5 s",
                   .promised = "the holder is told before its key can expire; late renewals revive nothing",
                   .expected = {.of_holds = loss::always, .notice = 3000ms},
                   .act = [](stage& at) { pause_for(at, 5s); }});
    all.push_back({.name = "CLIENT PAUSE ALL",
                   .group = group::servers,
                   .done = "for 5 s: commands wait, keys do not expire",
                   .promised = "as with a server that is stopped",
                   .expected = {.of_holds = loss::always, .notice = 3000ms},
                   .act = [](stage& at) { client_pause(at, "ALL", 5s); }});
    all.push_back({.name = "CLIENT PAUSE WRITE",
                   .group = group::servers,
                   .done = "for 5 s: scripts wait, subscriptions work",
                   .promised = "likewise",
                   .expected = {.of_holds = loss::always, .notice = 3000ms},
                   .act = [](stage& at) { client_pause(at, "WRITE", 5s); }});
    all.push_back({.name = "DEBUG SLEEP under load",
                   .group = group::servers,
                   .done = "five times 0.7 s of sleep, with 6 threads contending",
                   .promised = "no loss, no wake-up lost; waits with a deadline end at it",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) {
                       at.traffic(3, 2);
                       at.fault([&] {
                           for (int i = 0; i < 5; ++i) {
                               at.admin().command("DEBUG", "SLEEP", "0.7");
                               stage::during(200ms);
                           }
                       });
                       at.healed();
                   }});
    all.push_back({.name = "SCRIPT FLUSH under load",
                   .group = group::servers,
                   .done = "every 10 ms for 2 s, with 6 threads contending",
                   .promised = "nobody notices",
                   .expected = {.of_holds = loss::never, .recovery = 500ms},
                   .act = [](stage& at) {
                       at.traffic(3, 2);
                       at.fault([&] {
                           for (int i = 0; i < 200; ++i) {
                               at.admin().command("SCRIPT", "FLUSH");
                               stage::during(10ms);
                           }
                       });
                       at.healed();
                   }});
    return all;
}

} // namespace redlatch::chaos
