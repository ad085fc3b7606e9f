#include "sim/scenario/run.hpp"

#include "sim/scenario/stage.hpp"
#include "sim/world/seams.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace redlatch::sim {
namespace {

/// Of fair locks: short beside the usual one, so that a scenario sees what comes after it.
constexpr std::chrono::milliseconds fair_lock_wait_timeout{2'000};

using namespace std::chrono_literals;
using kind = fact::kind;

std::string address_of(int server) {
    return std::string(servers_host) + ":" + std::to_string(first_port + server);
}

std::string cluster_address(scenario const& plan) {
    std::string text = "redis-cluster://";
    for (int i = 0; i < plan.masters; ++i)
        text += (i == 0 ? "" : ",") + address_of((plan.named_first + i) % plan.masters);
    return text;
}

std::string sentinel_address(scenario const& plan) {
    std::string text = "redis-sentinel://";
    for (int i = 0; i < simulated_sentinels::sentinels; ++i)
        text += (i == 0 ? "" : ",")
                + address_of(plan.replicas + 1 + (plan.named_first + i) % simulated_sentinels::sentinels);
    return text + "/0#" + sentinel_view().name;
}

std::string address_of(scenario const& plan, int server) {
    if (plan.is_cluster()) return cluster_address(plan);
    return plan.is_behind_sentinels() ? sentinel_address(plan) : "redis://" + address_of(server);
}

config settings_of(scenario const& plan, int server) {
    config made;
    made.holder_label = ""; // it names this host and this process: equal seeds would not give equal runs
    made.address = address_of(plan, server);
    made.topology.scan_interval = 1s;
    made.timeout = duration(plan.timeout);
    made.connect_timeout = 500ms;
    made.retry_attempts = 0;
    made.retry_delay = 200ms;
    made.lock_watchdog_timeout = duration(plan.watchdog);
    made.fair_lock_wait_timeout = fair_lock_wait_timeout;
    made.close_timeout = duration(close_timeout);
    made.outage_limit = 60s;
    if (plan.scripts_only) made.commands = command_set::scripts;
    made.local_handoff.enabled = plan.hands_over;
    made.local_handoff.strict = plan.strictly;
    made.detached_unlock = plan.detached_unlock;
    if (plan.lazily) made.connect = connect_mode::lazily;
    made.fail_fast = plan.fail_fast;
    for (auto const& one : plan.faults) // what a silent connection should have brought is missed until a ping is
        if (one.what == fault::kind::half_open || one.what == fault::kind::half_sent
            || (one.what == fault::kind::lose_master && (one.way & with_its_machine) != 0))
            made.ping_interval = 300ms;
    return made;
}

/// A process: connects, lets its workers work, and waits for what is still to come.
void live(stage& in, int number) {
    auto& me = in.actors.at(static_cast<std::size_t>(number));
    auto const too_late = [&me] { return me.who->retired || me.closed; };
    if (in.plan.redisson.contains(number)) {
        me.java = std::make_unique<redisson_peer>(
            in.net, *me.who,
            redisson_peer::settings{in.plan.watchdog, [&in, number] { in.let_redisson_sleep(number); }});
        me.java->start();
        while (!me.java->connected() && !too_late()) in.universe.rest_for(5ms); // Redisson.create() returns then
    }
    while (std::ssize(me.users) < in.plan.clients() && !me.java && !too_late()) {
        try {
            me.users.emplace_back(settings_of(in.plan, static_cast<int>(me.users.size())));
            if (!in.universe.by_chance()) me.users.back().start(); // a search is about clients that were used before
        } catch (std::system_error const&) {                       // its own, or no descriptor is left
            in.universe.rest_for(100ms);
        }
    }
    if (too_late()) { // it died while it connected, or all the others had come to their end
        for (auto& one : me.users) one.close();
        return;
    }
    for (std::size_t i = 0; i < in.plan.workers.size(); ++i) {
        auto const& one = in.plan.workers[i];
        if (one.process != number) continue;
        in.universe.spawn(*me.who, [&in, &one, i] { work(in, static_cast<int>(i), one); });
    }
}

void probe_owners(stage& in, int lock) {
    for (auto const& owner : in.owners_in_key(lock)) {
        bool const believed = std::any_of(in.holds.begin(), in.holds.end(),
                                          [&](auto const& one) { return one.owner == owner && one.lock == lock; });
        bool const alive = std::any_of(in.actors.begin(), in.actors.end(), [&](auto const& one) {
            return !one.who->dead && !one.who->retired && !one.who->stopped && one.closing == one.closed_well
                   && one.is_of(owner);
        });
        bool const being_taken = std::any_of(in.taking_all.begin(), in.taking_all.end(), [&](auto const& one) {
            auto const& [process, locks] = one.second; // it may have this one and wait for another
            return (locks >> lock & 1) != 0 && in.actors.at(static_cast<std::size_t>(process)).is_of(owner);
        });
        if (alive && !believed && !being_taken && !in.is_dead_reader(lock, owner) && !stage::is_rest(owner))
            in.write({.what = kind::orphan, .lock = lock, .owner = owner});
    }
}

void tell_traffic(stage& in) {
    for (auto& one : in.actors) {
        if (one.who->dead || std::exchange(one.told, one.commands + one.who->wakes) == one.commands + one.who->wakes)
            continue;
        in.write(
            {.what = kind::traffic, .process = one.who->number, .commands = one.commands, .wakes = one.who->wakes});
    }
}

void probe(stage& in) {
    tell_traffic(in);
    if (in.plan.locks_are == lock_kind::semaphore) return see_permits(in);
    if (in.plan.locks_are == lock_kind::permit_semaphore) return see_leased_permits(in);
    if (in.plan.locks_are == lock_kind::latch) return see_all_latches(in);
    in.see_keys();
    for (int i = 0; i < in.plan.locks; ++i) {
        if (!in.host_of(i).running()) continue;
        in.write({.what = kind::probe,
                  .lock = i,
                  .yes = in.is_taken(i),
                  .shared = in.host_of(i).field(in.key_of(i), "mode") == "read"});
        probe_owners(in, i);
    }
    probe_majorities(in);
    for (auto const& one : in.holds) {
        if (one.java_thread != 0) continue; // Redisson does not promise to notice a loss
        bool believed = false;
        in.universe.as(in.actors.at(static_cast<std::size_t>(one.process)).who, nullptr,
                       [&] { believed = one.status() != hold_status::lost; });
        if (believed)
            in.write({.what = kind::probe_hold,
                      .process = one.process,
                      .worker = one.worker,
                      .lock = one.lock,
                      .owner = one.owner,
                      .yes = in.has_in_key(one.lock, one.owner)});
    }
}

/// Runs until `done`, at most until `end`; probes on the way.
template <class Done> bool run_until(stage& in, moment end, Done done) {
    auto next_probe = in.universe.now();
    auto last_tick = moment(-1);
    while (!done()) {
        if (in.universe.now() >= end) return false;
        if (!in.universe.by_chance() && last_tick < next_probe) { // there time goes from event to event
            last_tick = next_probe;
            in.universe.at(next_probe, [] {});
        }
        if (!in.universe.step(std::min(next_probe, end))) {
            in.universe.at(std::min(next_probe, end), [] {});
            in.universe.step();
        }
        if (in.universe.now() < next_probe) continue;
        next_probe = in.universe.now() + 100ms;
        probe(in);
    }
    return true;
}

/// How long everything may take when nothing goes wrong any more.
moment enough(scenario const& plan) {
    auto total = 20'000ms;
    for (auto const& one : plan.workers)
        for (auto const& each : one.jobs)
            total += std::chrono::milliseconds(each.pause + each.wait + each.hold + each.lease.value_or(0)
                                               + each.hold_at_least.value_or(0) + plan.watchdog);
    for (auto const& one : plan.workers)
        if (one.then) total = std::max(total, 20'000ms + std::chrono::milliseconds(one.then->until));
    return total;
}

/// What replicas that confirm locks change.
void allow_confirmations(patience& made, scenario const& plan) {
    using fault_kind = fault::kind;
    made.confirmations.rights_missing = made.releases.rights_missing;
    if (plan.wait_refused) made.refusals.rights_missing = true;
    auto const waits = std::chrono::milliseconds(plan.longest_confirmation());
    if (waits == 0ms) return;
    made.turns += waits; // in which nobody else has the lock
    // One waiter of a process after the other may be given it, wait for replicas, and hand it off.
    made.renewal += waits * static_cast<std::int64_t>(plan.workers.size());
    if (plan.locks_are == lock_kind::read_write) made.wakeup += waits; // readers have it, and do not know it
    made.fair.blocked_wakes += 100;                                    // each answer about replicas wakes
    made.fair.blocked_commands += 20;                                  // and a WAIT is short
    // So long WAIT may say nothing before its connection counts as lost.
    constexpr auto longest_silence = 1s;
    if (std::any_of(plan.faults.begin(), plan.faults.end(), [](fault const& one) {
            return one.what == fault_kind::half_open || one.what == fault_kind::half_sent
                   || one.what == fault_kind::block_up || one.what == fault_kind::block_down
                   || one.what == fault_kind::block_both;
        }))
        made.confirmations.settled += longest_silence + std::chrono::milliseconds(plan.timeout);
}

patience usual_patience(scenario const& plan) {
    auto const any = [&](auto... which) {
        return std::any_of(plan.faults.begin(), plan.faults.end(),
                           [&](auto const& one) { return ((one.what == which) || ...); });
    };
    using fault_kind = fault::kind;
    patience made;
    if (plan.publish_refused) made.wakeup = 24h; // longer than any run
    bool const spins = plan.locks_are == lock_kind::spin;
    if (spins) made.wakeup += 300ms; // two of the longest pauses between questions, and some room
    bool const shares = plan.locks_are == lock_kind::read_write;
    if (shares) { // readers pass those who write, and have it together
        made.order.arrival = 24h;
        made.turns = 24h;
        made.after_expiry = std::chrono::milliseconds(plan.longest_lease()); // a reader that leaves shortens the lease
    }
    bool const queues = plan.have_a_queue();
    if (queues) {
        made.order = {.across_processes = true, .arrival = 20ms, .most_retakes = 0};
        // Where nobody may listen, the next one finds the lock free up to a poll later, again and again.
        if (plan.subscribe_refused) made.wakeup += 100ms * static_cast<std::int64_t>(plan.workers.size());
        // Each one that cannot ask any more keeps those behind it waiting.
        if (!plan.faults.empty())
            made.wakeup += fair_lock_wait_timeout * static_cast<std::int64_t>(plan.workers.size());
    }
    bool const permits = plan.locks_are == lock_kind::semaphore;
    if (permits) {
        made.permits = {.in_all = permits_in_all, .kept = plan.keeps_permits(), .exactly_once = plan.exactly_once()};
        made.fair.blocked_commands = 200, made.fair.blocked_wakes = 600;
    }
    bool const leased = plan.locks_are == lock_kind::permit_semaphore;
    if (leased) {
        made.releases.slack = 125ms; // a pause before the next attempt is not begun where it would end too late
        made.permits = {.in_all = permits_in_all, .leased = true};
        made.fair.blocked_commands = 200, made.fair.blocked_wakes = 600;
    }
    for (auto const& one : plan.faults) // whom nobody may wake sleeps as long as the lease that it saw
        if (one.what == fault::kind::rights_taken
            && rights_that_change().at(static_cast<std::size_t>(one.way)).contains("publish"))
            made.wakeup += std::chrono::milliseconds(plan.longest_lease());
    made.permits.wakeup = made.latches.wakeup = made.wakeup;
    made.observers.judged = plan.locks_are == lock_kind::election;
    made.observers.patience = 1s + made.wakeup; // while nobody leads one asks once a second
    made.observers.longest_lease = std::chrono::milliseconds(plan.longest_lease());
    bool const red = plan.locks_are == lock_kind::red;
    bool const several = plan.locks_are == lock_kind::multi || red;
    bool const of_a_group = plan.locks_are == lock_kind::faster_multi;
    made.multi = {.judged = several || of_a_group, .wakeup = made.wakeup, .of_a_group = of_a_group};
    made.multi.majority = red;
    made.multi.can_ask = !plan.evalsha_refused;
    if (of_a_group) made.multi.slack = made.deadline_slack;
    made.latches.judged = plan.locks_are == lock_kind::latch;
    // A key that was removed by hand is missed by the next renewal; quiet times begin two seconds after the fault.
    auto const third = std::chrono::milliseconds((leased ? plan.longest_lease() : plan.watchdog) / 3);
    made.silent_loss = 500ms + std::max(third - 1'400ms, 0ms);
    if (plan.evalsha_refused) made.silent_loss = made.needless_loss = 24h; // nobody can renew, nor ask
    // A key is always on one of two nodes that answer; a server that is full goes on renewing.
    bool const in_two_places = plan.is_cluster() && plan.has_one_key_each() && plan.only_moves_slots();
    made.nothing_is_lost = (in_two_places || plan.only_lacks_memory()) && !plan.evalsha_refused;
    made.majorities = {.judged = red, .silent_loss = made.silent_loss};
    // Where predecessor kills are refused, sweeps find what came late: up to 15 s later.
    made.orphan = plan.kill_refused ? 20'000ms : 1'200ms;
    if (leased && plan.scripts_refused_for_a_while()) made.orphan = 24h;
    // Only where an answer is late may a renewal be sent again, as text, after the end.
    bool const slow = any(fault_kind::slow, fault_kind::stop_server, fault_kind::stop_process, fault_kind::block_up,
                          fault_kind::block_down, fault_kind::block_both, fault_kind::buffer_full,
                          fault_kind::half_sent, fault_kind::part_master, fault_kind::wrong_hosts);
    made.renewal = slow ? 2'000ms : 50ms;
    if (several) made.renewal = made.turns = 24h; // members go from one who waits for the others to the next, unseen
    made.releases.timeout = std::chrono::milliseconds(plan.timeout);
    if (leased && plan.fail_fast) made.releases.timeout = 0ms; // it ends with the connection
    bool const rights_change = any(fault_kind::rights_taken);
    bool const no_messages = plan.subscribe_refused || plan.publish_refused || rights_change || spins;
    made.releases.rights_missing = made.refusals.rights_missing =
        no_messages || plan.evalsha_refused || plan.restore_refused;
    // A free lock is for the first of the queue; the lease of readers may run out before the longer one that a waiter saw.
    made.refusals.hears_messages = !no_messages && !queues && !shares;
    // A node that names another one is never the last word; TRYAGAIN, of several keys, may be.
    made.releases.nothing_refused = made.refusals.nothing_refused =
        plan.is_cluster() && plan.has_one_key_each() && !made.releases.rights_missing
        && !any(fault_kind::loading, fault_kind::out_of_memory, fault_kind::no_replicas, fault_kind::disk_error,
                fault_kind::busy, fault_kind::cluster_down, fault_kind::lose_master, fault_kind::part_master);
    made.multi.rights_missing = made.releases.rights_missing;
    made.multi.hears_messages = !no_messages;
    made.forced.can_ask = !no_messages && !plan.evalsha_refused;
    // What the library does today, and some room: tests/sim/fairness judges where it matters.
    made.fair.turns_missed = 15;
    made.fair.beyond_slice = 60;
    made.fair.blocked_commands = no_messages ? 60 : 30; // renewals, and polling where there are no messages
    made.fair.blocked_wakes = 250;
    if (plan.is_cluster()
        && any(fault_kind::half_open, fault_kind::half_sent, fault_kind::lose_master)) // each connection is probed
        made.fair.blocked_commands += 4. * 3 * plan.servers;
    if (plan.is_behind_sentinels()) made.fair.blocked_commands += 10;             // a Sentinel is asked once a second
    bool const each_polls = no_messages && plan.locks_are == lock_kind::election; // whoever looks for a leader
    if (queues || shares || each_polls)
        made.fair.blocked_commands = 200, made.fair.blocked_wakes = 600; // each waiter asks for itself
    // Nobody knows of anybody else; or nobody hears of a release, and sleeps as long as the lease that it saw.
    if (spins || shares || several || plan.publish_refused) made.fair.turns_missed = made.fair.beyond_slice = 1e9;
    allow_confirmations(made, plan);
    return made;
}

bool at_rest(actor& one) {
    if (one.who->dead || one.closing) return true;
    return std::all_of(one.users.begin(), one.users.end(), [](client const& each) {
        auto const now = each.stats();
        return now.holds == 0 && now.waiters == 0 && now.unresolved == 0 && now.subscriptions == 0;
    });
}

void tell_leftovers(stage& in) {
    for (auto& one : in.actors) {
        if (one.who->dead || one.closing) continue;
        for (auto const& each : one.users) {
            counters now;
            in.universe.as(one.who, nullptr, [&] { now = each.stats(); });
            if (now.holds + now.waiters + now.unresolved + now.subscriptions > 0)
                in.write({.what = kind::leftover,
                          .process = one.who->number,
                          .text = std::to_string(now.holds) + " holds, " + std::to_string(now.waiters) + " waiters, "
                                  + std::to_string(now.unresolved) + " unresolved releases, "
                                  + std::to_string(now.subscriptions) + " subscriptions"});
        }
    }
    for (int i = 0; i < in.plan.locks; ++i)
        if (!in.plan.are_counters() && in.host_of(i).exists(in.key_of(i)))
            in.write({.what = kind::leftover, .lock = i, .text = "the key is still there"});
}

void close_everything(stage& in) {
    for (auto& one : in.actors) {
        bool const was_dead = one.who->dead;
        if (was_dead) {
            // Its memory is tidied up: with its connections gone, and unseen.
            one.who->retired = true;
            for (int i = 0; i < in.plan.servers; ++i) in.net.link_of(*one.who, i).refuses = true;
        }
        in.universe.spawn(*one.who, [&one] {
            for (auto& each : one.users) each.close();
            if (one.java) one.java->close();
            one.closed = true;
        });
        if (was_dead || one.who->stopped) in.universe.go_on(*one.who);
    }
    bool const closed = run_until(in, in.universe.now() + 60s, [&] {
        return in.universe.fibers() == 0
               && std::all_of(in.actors.begin(), in.actors.end(), [](auto const& one) { return one.closed; });
    });
    if (!closed) in.write({.what = kind::unfinished, .text = "a client does not close"});
    run_until(in, in.universe.now() + 8s, [] { return false; }); // the server may notice late that a connection is gone
    for (auto& one : in.actors) {
        if (one.who->retired) continue;
        // A lane keeps its bell while the client lives; in a cluster there may be nodes under other names.
        auto const nodes = static_cast<unsigned>(in.plan.servers) * (in.plan.is_cluster() ? 3U : 1U);
        // For each number of replicas that is waited for there is one more.
        auto const waits = in.plan.has_replicas() ? static_cast<unsigned>(in.plan.replicas) + 2U : 0U;
        if (auto const open = in.net.open_sockets(*one.who); open > (3U + waits) * nodes)
            in.write({.what = kind::leftover, .text = std::to_string(open) + " descriptors of " + one.who->name});
    }
    for (auto const& one : in.servers)
        if (auto const left = one.node().clients(); one.running() && left > 0)
            in.write({.what = kind::leftover, .text = std::to_string(left) + " connections on the server"});
}

/// From now on all is as it should be; later where halves of releases are still on their way.
void begin_quiet(stage& in, moment settling) {
    auto const arrived = in.net.halves_arrive();
    if (arrived <= in.universe.now()) return in.write({.what = kind::quiet});
    in.universe.at(arrived + settling, [&in, settling] { begin_quiet(in, settling); });
}

} // namespace

outcome run(scenario const& what, bool with_trace, director* by, patience const* how) {
    outcome result;
    {
        stage in(what, with_trace);
        in.faults_left = what.faults.size();
        if (by != nullptr) by->begin(in);
        for (auto const& one : what.workers) ++in.actors.at(static_cast<std::size_t>(one.process)).running;
        set_permits(in);
        set_latches(in);
        for (int i = 0; i < what.processes; ++i)
            in.universe.spawn(*in.actors[static_cast<std::size_t>(i)].who, [&in, i] { live(in, i); });
        moment last_end{0};
        for (auto const& one : what.faults) {
            in.universe.at(std::chrono::milliseconds(one.at), [&in, &one] { begin_fault(in, one); });
            last_end = std::max(
                last_end, moment(std::chrono::milliseconds(one.at + one.lasts + std::min(one.strength, at_once))));
        }
        // Connections come back after their pauses; then all is as it should be. Where slots have moved none is lost, and
        // all nodes know of it a little later.
        auto const settling = what.is_cluster() && what.only_moves_slots() ? moment(300ms) : moment(2s);
        auto const settled = last_end + settling;
        auto const quiet_at = by != nullptr ? by->calm_after() : what.faults.empty() ? moment(0) : settled;
        in.universe.at(quiet_at, [&in, settling] { begin_quiet(in, settling); });
        auto const end = quiet_at + enough(what);
        bool const ended = run_until(in, end, [&] { return in.universe.now() >= quiet_at && in.all_ended(); });
        if (!ended) {
            int left = 0;
            for (auto const& one : in.actors) left += one.who->dead ? 0 : one.running;
            in.write({.what = kind::unfinished, .text = std::to_string(left) + " workers never came to their end"});
        } else {
            auto const rest = in.universe.now() + std::chrono::milliseconds(what.longest_lease()) + 150s;
            run_until(in, rest, [&] {
                return std::all_of(in.actors.begin(), in.actors.end(), at_rest) && all_permits_are_back(in) && [&] {
                    for (int i = 0; i < what.locks; ++i)
                        if (!what.are_counters() && in.host_of(i).exists(in.key_of(i))) return false;
                    return true;
                }();
            });
            tell_leftovers(in);
            see_permits(in, true);
            see_leased_permits(in, true);
        }
        close_everything(in);
        result.acquired = in.acquired;
        result.events = in.universe.events();
        result.digest = in.universe.digest();
        result.lasted = in.universe.now();
        for (auto& one : in.actors) {
            if (one.closed)
                in.universe.as(one.who, nullptr, [&] { one.users.clear(); });
            else // after a broken promise: it would wait on a thread that cannot
                static_cast<void>(new std::deque<client>(std::move(one.users))); // NOLINT
        }
        result.facts = std::move(in.facts);
        result.trace = std::move(in.trace);
    }
    auto promises = how != nullptr ? *how : usual_patience(what);
    if (by != nullptr) // in some of all orders an answer is kept back for as long as it takes
        promises.releases.round_trip = promises.refusals.long_wait = moment::max();
    result.broken = check(result.facts, promises);
    return result;
}

} // namespace redlatch::sim
