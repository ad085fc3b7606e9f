// Connections that break, by the proxy or by the server.
#include "scenario.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

namespace {

void again_and_again(stage& at, milliseconds every, milliseconds length, std::function<void()> const& act) {
    at.fault([&] {
        for (auto passed = 0ms; passed < length; passed += every) {
            act();
            stage::during(every);
        }
    });
    at.healed();
}

} // namespace

std::vector<scenario> connection_scenarios() {
    std::vector<scenario> all;
    all.push_back({.name = "reset storm, holder and waiters",
                   .group = group::connections,
                   .done = "all connections are reset every 0.2 s for 2 s",
                   .promised = "the holder keeps the lock, no waiter is left behind",
                   .expected = {.of_holds = loss::never},
                   .act =
                       [](stage& at) {
                           at.holder();
                           at.waiters();
                           again_and_again(at, 200ms, 2s, [&] { at.proxy().cut_all(test::cut::reset); });
                       },
                   .behind_proxy = true});
    all.push_back({.name = "reset storm under load",
                   .group = group::connections,
                   .done = "the same every 50 ms for 3 s, with 6 threads contending",
                   .promised = "never two at once: late commands and repeated ones harm nobody; no orphan",
                   .expected = {.of_holds = loss::never},
                   .act =
                       [](stage& at) {
                           at.traffic(3, 2);
                           again_and_again(at, 50ms, 3s, [&] { at.proxy().cut_all(test::cut::reset); });
                       },
                   .behind_proxy = true});
    all.push_back({.name = "CLIENT KILL under load",
                   .group = group::connections,
                   .done = "`CLIENT KILL TYPE normal` and `TYPE pubsub` every 50 ms for 3 s, with 6 threads contending",
                   .promised = "likewise; messages that went by are made up for",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) {
                       at.traffic(3, 2);
                       again_and_again(at, 50ms, 3s, [&] {
                           auto admin = at.admin();
                           admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
                           admin.command("CLIENT", "KILL", "TYPE", "pubsub");
                       });
                   }});
    all.push_back({.name = "no connection accepted",
                   .group = group::connections,
                   .done = "all connections are closed and new ones refused for 1.5 s",
                   .promised = "the holder keeps the lock, the waiters go on waiting",
                   .expected = {.of_holds = loss::never},
                   .act =
                       [](stage& at) {
                           at.holder();
                           at.waiters();
                           at.fault([&] {
                               at.proxy().refuse_connections(true);
                               at.proxy().cut_all();
                           });
                           stage::during(1500ms);
                           at.proxy().refuse_connections(false);
                           at.healed();
                       },
                   .behind_proxy = true});
    return all;
}

} // namespace redlatch::chaos
