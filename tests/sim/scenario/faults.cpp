#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"
#include "locking/recipes/read_write.hpp"
#include "resp/command.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fault::kind;

/// `lock`: negative: all locks. `asked`: connections were lost, so that holders ask.
fact unpromised_fact(int lock, moment until, bool asked) {
    return {.what = fact::kind::unpromised, .lock = lock, .until = until, .yes = asked};
}

void owners_unpromised(stage& in, fact const& of) {
    for (auto const& owner : in.owners_of(of.lock)) {
        auto one = of;
        one.owner = owner;
        in.write(std::move(one));
    }
}

/// By hand.
void unpromised(stage& in, int lock, moment until = never) {
    auto const one = unpromised_fact(lock, until, false);
    in.write(one);
    owners_unpromised(in, one);
}

/// Keys of a slot move one by one: of the two keys of permits with ids, one server may have one each.
bool is_divided(stage const& in, int lock) {
    if (in.plan.locks_are != lock_kind::permit_semaphore) return false;
    return &in.host_of(lock) != &in.host_of_key(lock, locking::permits::timeouts_of(in.semaphore_name(lock)));
}

/// All that a server had.
void server_unpromised(stage& in, int server) {
    bool const is_alone = in.servers.size() == 1;
    if (is_alone) in.write(unpromised_fact(-1, never, true));
    for (int each = 0; each < in.plan.locks; ++each) {
        bool const has_keys = in.ownership != nullptr ? in.ownership->has_keys_of(server, in.key_of(each))
                                                      : in.plan.server_of(each) == server;
        if (!has_keys) continue;
        auto const one = unpromised_fact(each, never, true);
        if (!is_alone) in.write(one);
        owners_unpromised(in, one);
        if (is_divided(in, each)) in.miss_count(each);
    }
}

std::set<std::pair<int, std::string>> all_owners(stage& in, int server) {
    std::set<std::pair<int, std::string>> found;
    for (int lock = 0; lock < in.plan.locks; ++lock)
        if (static_cast<int>(in.home_of(lock)) == server)
            for (auto const& owner : in.owners_of(lock)) found.emplace(lock, owner);
    return found;
}

server_host& server_of(stage& in, fault const& what) {
    bool const is_about_a_lock = what.what == kind::remove_key || what.what == kind::force_unlock;
    if (in.ownership != nullptr && is_about_a_lock) return in.host_of(what.lock);
    if (is_on_replicas(what.what) || is_on_sentinels(what.what)) return in.server;
    return in.servers.at(static_cast<std::size_t>(std::max(what.server, 0)));
}

std::string channel_of(lock_kind of, std::string const& lock) {
    return of == lock_kind::read_write ? locking::read_write::channel_of(lock) : locking::lock_channel(lock);
}

/// Redisson has no such notice.
void tell_forced(stage& in, int lock, bool alone) {
    auto const in_key = in.owners_in_key(lock);
    for (auto const& one : in.holds)
        if (one.lock == lock && !in.actors.at(static_cast<std::size_t>(one.process)).java
            && std::find(in_key.begin(), in_key.end(), one.owner) != in_key.end())
            in.write({.what = fact::kind::forced,
                      .process = one.process,
                      .worker = one.worker,
                      .lock = lock,
                      .owner = one.owner,
                      .yes = alone});
}

/// What a hold of this lock is lost with: itself, and the other values of the same hold.
std::vector<int> held_with(stage& in, int lock) {
    if (in.plan.locks_are != lock_kind::faster_multi) return {lock};
    auto const owners = in.owners_in_key(lock);
    std::vector<int> all;
    for (int each = 0; each < in.plan.locks; ++each)
        if (each == lock || (!owners.empty() && in.has_in_key(each, owners.front()))) all.push_back(each);
    return all;
}

void end_by_force(stage& in, int lock) {
    if (in.plan.locks_are != lock_kind::faster_multi) {
        in.by_hand(lock, resp::command("DEL", in.key_of(lock)));
        return;
    }
    for (auto const& field : in.fields_of_value(lock))
        in.server.by_hand(resp::command("HDEL", stage::group_name, field));
}

/// One of the replicas is in its place, with what it knows; that which has heard of most, or another one.
void let_replica_follow(stage& in, fault const& what) {
    auto const first = in.replicas->most_recent();
    auto const other = in.replicas->most_recent(first);
    auto const next = what.way != 0 && other >= 0 ? other : first;
    if (next < 0) return; // none is there
    in.see_around_loss([&] {
        in.server.crash();
        in.server.start(in.replicas->data_of(next));
    });
}

/// The replica has heard nothing of the latest releases: whose hold they ended does not know that it is back.
void fail_over(stage& in, int number) {
    auto& server = in.servers.at(static_cast<std::size_t>(number));
    server_unpromised(in, number);
    auto const before = all_owners(in, number);
    server.crash();
    server.start(server_host::data::lagging);
    server_unpromised(in, number); // what was released, or taken by others, since the replica last heard of it
    for (auto const& [lock, owner] : all_owners(in, number))
        if (!before.contains({lock, owner})) in.write({.what = fact::kind::returned, .lock = lock, .owner = owner});
}

/// How long waiters may sleep who were not woken: as long as the key would have lived.
moment remaining(stage& in, int lock) {
    auto const last = in.last_ms_of(lock);
    if (last == INT64_MAX) return in.universe.now();
    return in.universe.now() + std::chrono::milliseconds(last - in.host_of(lock).now_ms());
}

/// Who goes between HDEL and PUBLISH tells nobody that the lock is free: waiters sleep as long as the lease that they saw.
void excuse_half_release(stage& in, process const& who) {
    auto const half = in.net.last_half(who);
    if (half < 0ns || half + 5s < in.universe.now()) return; // it had the time to tell them
    for (int each = 0; each < in.plan.locks; ++each)
        in.write({.what = fact::kind::unpromised,
                  .lock = each,
                  .until = in.universe.now() + std::chrono::milliseconds(in.plan.longest_lease())});
}

void kill_process(stage& in, int number) {
    auto& which = in.actors.at(static_cast<std::size_t>(number));
    if (which.who->dead) return;
    for (auto one = in.holds.begin(); one != in.holds.end();) {
        if (one->process != number) {
            ++one;
            continue;
        }
        in.write({.what = fact::kind::left,
                  .process = number,
                  .worker = one->worker,
                  .lock = one->lock,
                  .owner = one->owner});
        one = in.holds.erase(one);
    }
    for (std::size_t i = 0; i < in.plan.workers.size(); ++i)
        if (in.plan.workers[i].process == number)
            in.write({.what = fact::kind::not_acquired,
                      .process = number,
                      .worker = static_cast<int>(i),
                      .text = "its process has died"});
    excuse_half_release(in, *which.who);
    in.net.close_all(*which.who);
    which.who->dead = true;
    auto const are = in.plan.locks_are;
    if (are == lock_kind::semaphore || are == lock_kind::latch || are == lock_kind::election || are == lock_kind::multi
        || are == lock_kind::faster_multi || are == lock_kind::red)
        in.write({.what = fact::kind::left, .process = number});
    leave_leased_permits(in, number);
    std::erase_if(in.majorities, [&](auto const& one) { return one.process == number; });
}

/// Each release of a client that has closed in time has been answered; but for what a failover forgets, and what is refused.
void tell_what_is_left(stage& in, int number) {
    constexpr std::array excuses{fault::kind::failover, fault::kind::lose_master, fault::kind::switch_master,
                                 fault::kind::part_master, fault::kind::rights_taken};
    for (auto const& one : in.plan.faults)
        if (std::find(excuses.begin(), excuses.end(), one.what) != excuses.end()) return;
    for (int lock = 0; lock < in.plan.locks; ++lock)
        for (auto const& owner : in.owners_in_key(lock))
            if (in.actors.at(static_cast<std::size_t>(number)).is_of(owner) && !stage::is_rest(owner))
                in.write({.what = fact::kind::leftover,
                          .process = number,
                          .lock = lock,
                          .owner = owner,
                          .text = owner + " still has the lock although its client has closed in time"});
}

void close_client(stage& in, int number) {
    auto& which = in.actors.at(static_cast<std::size_t>(number));
    if (which.who->dead || std::ssize(which.users) < in.plan.clients()) return;
    which.closing = true;
    ++which.closes;
    in.write({.what = fact::kind::closing, .process = number});
    in.universe.spawn(*which.who, [&in, &which, number, began = in.universe.now()] {
        bool const well = in.faults_now == 0 && (in.last_fault < 0ns || in.last_fault + 3s < began);
        for (auto& one : which.users) one.close();
        // A clock that goes fast has the time end sooner by this.
        bool const in_time = in.universe.now() + 1ms < began + close_timeout;
        if (!in_time) excuse_half_release(in, *which.who); // sooner, it has seen all of its releases answered
        which.closed_well = well && in.faults_now == 0 && in.last_fault < began;
        // Of several calls one closes, whichever comes first, and the others do not wait for it.
        if (in_time && which.closes == 1) tell_what_is_left(in, number);
    });
}

void tell_of_return(stage& in, server_host const& server) {
    if (in.cluster) in.cluster->on_started(server.number());
}

void end_fault(stage& in, fault const& what) {
    auto& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto& server = server_of(in, what);
    auto& node = server.node();
    end_on_links(in, what);
    end_on_cluster(in, what);
    end_on_sentinels(in, what);
    end_on_replicas(in, what);
    switch (what.what) {
    case kind::stop_process:
        if (who.dead || !who.stopped) break;
        in.write({.what = fact::kind::went_on, .process = what.process});
        in.universe.go_on(who);
        break;
    case kind::stop_server:
        server.go_on();
        tell_of_return(in, server);
        break;
    case kind::restart_kept:
        if (server.running() || in.net.is_away(server.number())) break;
        server.start(server_host::data::kept);
        tell_of_return(in, server);
        break;
    case kind::restart_lost:
        if (server.running() || in.net.is_away(server.number())) break;
        server_unpromised(in, what.server); // it may have been away for another reason, with what came to be since
        server.start(server_host::data::lost);
        tell_of_return(in, server);
        break;
    case kind::loading: node.set_loading(false); break;
    case kind::read_only: node.set_read_only(false); break;
    case kind::out_of_memory: node.set_out_of_memory(false); break;
    case kind::no_replicas: node.set_no_replicas(false); break;
    case kind::disk_error: node.set_disk_error(false); break;
    case kind::busy: node.set_busy(false); break;
    case kind::rights_taken: server.set_refused(refused_for_good(in.plan)); break;
    case kind::buffer_full: in.net.limit_sending(who, network::sending::free); break;
    case kind::no_descriptors: in.net.leave_descriptors(who, network::descriptors::there); break;
    case kind::no_memory: who.short_of_memory = false; break;
    case kind::no_threads: who.without_threads = false; break;
    case kind::cut:
    case kind::cut_late_bytes:
    case kind::block_up:
    case kind::block_down:
    case kind::block_both:
    case kind::slow:
    case kind::refuse:
    case kind::half_open:
    case kind::half_sent:
    case kind::kill_process:
    case kind::failover:
    case kind::flush_scripts:
    case kind::remove_key:
    case kind::force_unlock:
    case kind::kill_clients:
    case kind::close_client:
    case kind::migrate_slot:
    case kind::lose_master:
    case kind::part_master:
    case kind::wrong_hosts:
    case kind::cluster_down:
    case kind::part_replica:
    case kind::slow_replica:
    case kind::switch_master:
    case kind::part_sentinel:
    case kind::stop_sentinel: break;
    }
    in.see_keys();
    if (what.what != kind::close_client) {
        --in.faults_now;
        in.last_fault = in.universe.now();
    }
    --in.faults_left;
}

/// `alone`: nothing else is wrong, or was lately.
void start_fault(stage& in, fault const& what, bool alone) {
    auto& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto const lock = in.key_of(what.lock);
    auto& server = server_of(in, what);
    begin_on_links(in, what);
    begin_on_cluster(in, what);
    begin_on_sentinels(in, what);
    begin_on_replicas(in, what);
    switch (what.what) {
    case kind::cut:
    case kind::cut_late_bytes:
    case kind::block_up:
    case kind::block_down:
    case kind::block_both:
    case kind::slow:
    case kind::refuse:
    case kind::half_open:
    case kind::half_sent:
    case kind::migrate_slot:
    case kind::lose_master:
    case kind::part_master:
    case kind::wrong_hosts:
    case kind::cluster_down:
    case kind::part_replica:
    case kind::slow_replica:
    case kind::switch_master:
    case kind::part_sentinel:
    case kind::stop_sentinel: break; // begun already
    case kind::stop_process:
        if (who.dead || who.stopped) break;
        in.write({.what = fact::kind::stopped, .process = what.process});
        in.universe.stop(who);
        break;
    case kind::kill_process: kill_process(in, what.process); break;
    case kind::stop_server: server.pause(); break;
    case kind::restart_kept: server.crash(); break;
    case kind::restart_lost:
        server_unpromised(in, what.server);
        server.crash();
        break;
    case kind::failover: in.replicas ? let_replica_follow(in, what) : fail_over(in, what.server); break;
    case kind::flush_scripts: server.node().flush_scripts(); break;
    case kind::remove_key:
        if (!server.running()) break;
        for (int each = 0; each < in.plan.locks; ++each)
            if (in.key_of(each) == lock) unpromised(in, each, remaining(in, each));
        in.by_hand(what.lock, resp::command("DEL", lock));
        break;
    case kind::force_unlock:
        if (!server.running()) break;
        for (auto const each : held_with(in, what.lock)) {
            unpromised(in, each);
            tell_forced(in, each, alone);
        }
        end_by_force(in, what.lock);
        in.tell_by_hand(what.lock, channel_of(in.plan.locks_are, lock), "0");
        break;
    case kind::loading: server.node().set_loading(true); break;
    case kind::read_only: server.node().set_read_only(true); break;
    case kind::out_of_memory: server.node().set_out_of_memory(true); break;
    case kind::kill_clients: server.kill_everybody(); break;
    case kind::close_client: close_client(in, what.process); break;
    case kind::no_replicas: server.node().set_no_replicas(true); break;
    case kind::disk_error: server.node().set_disk_error(true); break;
    case kind::busy: server.node().set_busy(true); break;
    case kind::rights_taken: {
        auto all = refused_for_good(in.plan);
        all.merge(of_topology(in.plan, rights_that_change().at(static_cast<std::size_t>(what.way))));
        server.set_refused(std::move(all));
        break;
    }
    case kind::buffer_full:
        in.net.limit_sending(who, what.way == 0 ? network::sending::nothing : network::sending::little);
        break;
    case kind::no_descriptors:
        in.net.leave_descriptors(who, what.way == 0 ? network::descriptors::none : network::descriptors::sockets_only);
        break;
    case kind::no_memory: who.short_of_memory = true; break;
    case kind::no_threads: who.without_threads = true; break;
    }
}

} // namespace

void begin_fault(stage& in, fault const& what) {
    bool const alone = in.faults_now == 0 && (in.last_fault < 0ns || in.last_fault + 2s < in.universe.now());
    if (what.what != kind::close_client) {
        ++in.faults_now;
        in.last_fault = in.universe.now();
    }
    in.write({.what = fact::kind::fault, .text = to_text(what)});
    start_fault(in, what, alone);
    in.see_keys();
    in.universe.at(in.universe.now() + std::chrono::milliseconds(what.lasts), [&in, &what] { end_fault(in, what); });
}

} // namespace redlatch::sim
