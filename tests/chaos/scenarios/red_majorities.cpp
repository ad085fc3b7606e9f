// Two of the three masters are lost: nobody can have the lock, or those that have it are not the majority any more.
#include "scenarios/red_locks.hpp"

#include <array>

namespace redlatch::chaos {

using namespace std::chrono_literals;
using loss = expectation::loss;
using server_step = void (*)(test::redis_server&);

namespace {

void kill(test::redis_server& one) {
    one.kill9();
}

void restart_empty(test::redis_server& one) {
    one.restart(test::redis_server::data::lost);
}

void stop(test::redis_server& one) {
    one.pause();
}

void go_on(test::redis_server& one) {
    one.resume();
}

/// Of three.
constexpr std::array<std::size_t, 2> two{0, 1};

struct majority_loss {
    server_step begin;
    milliseconds length;
    server_step end;
};

std::function<void(stage&)> losing_two(majority_loss const& how, use by) {
    return [how, by](stage& at) {
        auto& servers = at.on<independent_masters>();
        begin_use(at, by);
        at.fault([&] {
            for (auto const each : two) how.begin(servers.server(each));
        });
        stage::during(how.length);
        at.healed(); // first: with one of them the majority is back
        for (auto const each : two) how.end(servers.server(each));
    };
}

} // namespace

std::vector<scenario> red_majority_scenarios() {
    majority_loss const killed{kill, beyond_the_lease, restart_empty};
    majority_loss const stopped{stop, beyond_the_lease, go_on};
    majority_loss const forgetful{kill, 1s, restart_empty};
    std::string const killing = "`kill -9` of two of three masters, 5 s later a restart without data";
    std::string const told = "the holder is told before its keys can expire; nobody gets the lock while two are away";
    constexpr expectation lost{.of_holds = loss::always, .notice = 3000ms, .last_entry = 0ms};
    return {red_lock_scenario("two masters killed while held", killing, told, lost, losing_two(killed, use::held)),
            red_lock_scenario("two masters stopped while held",
                              "SIGSTOP of two of three masters for 5 s, beyond the lease (3 s)",
                              told + "; late renewals revive nothing", lost, losing_two(stopped, use::held)),
            red_lock_scenario("two masters restarted empty while held",
                              "`kill -9` of two of three masters, 1 s later a restart without data, within the lease",
                              "not exclusion: the majority has forgotten the lock. The holder is told as soon as it is "
                              "connected again, not at the end of its lease",
                              {.of_holds = loss::always, .exclusion = false, .notice = 2500ms, .together = 1000ms},
                              losing_two(forgetful, use::held)),
            red_lock_scenario("two masters killed under load", killing + ", with 3 processes contending",
                              "nobody gets the lock while two are away, and never two at once",
                              {.of_holds = loss::possible, .last_entry = 500ms}, losing_two(killed, use::contended))};
}

} // namespace redlatch::chaos
