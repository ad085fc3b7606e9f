// Holders and waiters that are killed and stopped.
#include "scenario.hpp"

#include <random>

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

std::vector<scenario> process_scenarios() {
    std::vector<scenario> all;
    all.push_back({.name = "holder killed",
                   .group = group::processes,
                   .done = "`kill -9` of the holder while two wait",
                   .promised = "free when its lease (3 s) is over; a waiter has it then, without a message",
                   .expected = {.of_holds = loss::never, .recovery = 3500ms},
                   .act = [](stage& at) {
                       auto& holder = at.holder();
                       at.waiters();
                       at.fault([&] { at.kill(holder); });
                       at.healed();
                   }});
    all.push_back({.name = "holder stopped for a moment",
                   .group = group::processes,
                   .done = "SIGSTOP of the holder for 1 s",
                   .promised = "it keeps the lock",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) {
                       auto& holder = at.holder();
                       at.waiters();
                       at.fault([&] { at.stop(holder); });
                       stage::during(1s);
                       at.go_on(holder);
                       at.healed();
                   }});
    all.push_back({.name = "holder stopped beyond its lease",
                   .group = group::processes,
                   .done = "SIGSTOP of the holder for 5 s, its lease is 3 s",
                   .promised =
                       "a waiter has the lock when the lease is over; the holder knows at its first look after waking, "
                       "and harms nobody",
                   .expected = {.of_holds = loss::always, .notice = 100ms},
                   .act = [](stage& at) {
                       auto& holder = at.holder();
                       at.waiters();
                       at.fault([&] { at.stop(holder); });
                       stage::during(5s);
                       at.go_on(holder);
                       at.healed();
                   }});
    all.push_back({.name = "waiter killed",
                   .group = group::processes,
                   .done = "`kill -9` of a process whose two threads wait, among others",
                   .promised = "the holder and the other waiters notice nothing; nothing is left of it",
                   .expected = {.of_holds = loss::never},
                   .act = [](stage& at) {
                       at.holder();
                       auto& first = at.waiters();
                       at.more_waiters();
                       at.fault([&] { at.kill(first); });
                       at.healed();
                   }});
    all.push_back({.name = "waiter stopped",
                   .group = group::processes,
                   .done = "SIGSTOP of a waiting process for 4 s, the lock is handed on meanwhile",
                   .promised = "the others go on; it gets its turn when it wakes",
                   .expected = {.of_holds = loss::possible},
                   .act = [](stage& at) {
                       at.traffic(2, 2);
                       auto& last = *at.workers().back();
                       at.fault([&] { at.stop(last); });
                       stage::during(4s);
                       at.go_on(last);
                       at.healed();
                   }});
    all.push_back({.name = "processes killed at random",
                   .group = group::processes,
                   .done = "of 6 contending processes one is killed every 0.5 s, wherever it is, until 2 are left",
                   .promised = "never two at once; each death costs at most one lease",
                   .expected = {.of_holds = loss::never, .recovery = 3500ms},
                   .act = [](stage& at) {
                       at.traffic(6, 2);
                       std::minstd_rand random(1);
                       for (std::size_t left = 6; left > 2; --left) {
                           auto victim = random() % left;
                           for (auto const& each : at.workers()) {
                               if (each->killed() || victim-- != 0) continue;
                               at.fault([&] { at.kill(*each); });
                               break;
                           }
                           stage::during(500ms);
                       }
                       at.healed();
                   }});
    return all;
}

} // namespace redlatch::chaos
