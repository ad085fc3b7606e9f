// A replica takes over. Clients reach both servers at one address, as through a proxy or a virtual address.
#include "named_master.hpp"
#include "scenario.hpp"
#include "support/wait_until.hpp"

#include <stdexcept>

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

namespace {

void take_over(stage& at, std::unique_ptr<test::redis_server> replica) {
    at.fault([&] { at.server().kill9(); });
    replica->run("REPLICAOF", "NO", "ONE");
    at.proxy().redirect(replica->address());
    at.on<one_server>().take_over(std::move(replica));
    at.healed();
}

} // namespace

std::vector<scenario> failover_scenarios() {
    std::vector<scenario> all;
    all.push_back({.name = "replica takes over, up to date",
                   .group = group::failover,
                   .done = "`kill -9` of the master, its replica has the lock and is promoted",
                   .promised = "the holder keeps the lock, the waiters go on waiting",
                   .expected = {.of_holds = loss::never},
                   .act =
                       [](stage& at) {
                           auto replica = replica_of(at.server());
                           at.holder();
                           at.waiters();
                           if (!test::wait_until([&] { return replica->run("EXISTS", stage::lock).integer == 1; }))
                               throw std::runtime_error("the lock was not replicated");
                           take_over(at, std::move(replica));
                       },
                   .behind_proxy = true});
    all.push_back(
        {.name = "replica takes over, behind",
         .group = group::failover,
         .done = "the replica is promoted before the lock reaches it; then the master is killed",
         .promised = "not exclusion: replication is asynchronous. The holder is told as soon as it is connected again",
         .expected = {.of_holds = loss::always, .exclusion = false, .notice = 1500ms},
         .act =
             [](stage& at) {
                 auto replica = replica_of(at.server());
                 replica->run("REPLICAOF", "NO", "ONE");
                 at.holder();
                 at.waiters();
                 take_over(at, std::move(replica));
             },
         .behind_proxy = true});
    return all;
}

} // namespace redlatch::chaos
