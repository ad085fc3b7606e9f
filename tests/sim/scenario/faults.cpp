#include "resp/command.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fault::kind;

void unpromised(stage& in, int lock, moment until = never) {
    bool const asked = lock < 0; // the whole server
    in.write({.what = fact::kind::unpromised, .lock = lock, .until = until, .yes = asked});
    for (int each = 0; each < in.plan.locks; ++each)
        if (lock < 0 || lock == each)
            for (auto const& owner : in.server.owners(stage::lock_name(each)))
                in.write({.what = fact::kind::unpromised, .lock = each, .owner = owner, .until = until, .yes = asked});
}

/// How long waiters may sleep who were not woken: as long as the key would have lived.
moment remaining(stage& in, int lock) {
    auto const now = in.server.now_ms();
    auto const* const found = in.server.node().data().find(stage::lock_name(lock), now);
    if (found == nullptr || !found->expires_at_ms) return in.universe.now();
    return in.universe.now() + std::chrono::milliseconds(*found->expires_at_ms - now);
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
    in.net.close_all(*which.who);
    which.who->dead = true;
}

void close_client(stage& in, int number) {
    auto& which = in.actors.at(static_cast<std::size_t>(number));
    if (which.who->dead || !which.user) return;
    which.closing = true;
    in.universe.spawn(*which.who, [&in, &which, began = in.universe.now()] {
        bool const well = in.faults_now == 0 && (in.last_fault < 0ns || in.last_fault + 3s < began);
        which.user->close();
        which.closed_well = well && in.faults_now == 0 && in.last_fault < began;
    });
}

void end_fault(stage& in, fault const& what) {
    auto& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto& node = in.server.node();
    switch (what.what) {
    case kind::block_up:
    case kind::block_down:
    case kind::block_both: in.net.heal(who); break;
    case kind::slow:
        in.net.link_of(who).least_delay = link().least_delay;
        in.net.link_of(who).most_delay = link().most_delay;
        break;
    case kind::refuse: in.net.link_of(who).refuses = false; break;
    case kind::stop_process:
        if (who.dead || !who.stopped) break;
        in.write({.what = fact::kind::went_on, .process = what.process});
        in.universe.go_on(who);
        break;
    case kind::stop_server: in.server.go_on(); break;
    case kind::restart_kept:
        if (!in.server.running()) in.server.start(server_host::data::kept);
        break;
    case kind::restart_lost:
        if (in.server.running()) break;
        unpromised(in, -1); // it may have been away for another reason, with what came to be since
        in.server.start(server_host::data::lost);
        break;
    case kind::loading: node.set_loading(false); break;
    case kind::read_only: node.set_read_only(false); break;
    case kind::out_of_memory: node.set_out_of_memory(false); break;
    case kind::cut:
    case kind::cut_late_bytes:
    case kind::kill_process:
    case kind::failover:
    case kind::flush_scripts:
    case kind::remove_key:
    case kind::force_unlock:
    case kind::kill_clients:
    case kind::half_open:
    case kind::close_client: break;
    }
    if (what.what != kind::close_client) {
        --in.faults_now;
        in.last_fault = in.universe.now();
    }
    --in.faults_left;
}

void start_fault(stage& in, fault const& what) {
    auto& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto const lock = stage::lock_name(what.lock);
    auto const strength = std::chrono::milliseconds(what.strength);
    switch (what.what) {
    case kind::cut: in.net.cut(who, strength, -1ns); break;
    case kind::cut_late_bytes: in.net.cut(who, strength, strength); break;
    case kind::block_up: in.net.block(who, true, false); break;
    case kind::block_down: in.net.block(who, false, true); break;
    case kind::block_both: in.net.block(who, true, true); break;
    case kind::slow:
        in.net.link_of(who).least_delay = strength / 4;
        in.net.link_of(who).most_delay = strength;
        break;
    case kind::refuse:
        in.net.link_of(who).refuses = true;
        in.net.cut(who, 1ms, -1ns);
        break;
    case kind::stop_process:
        if (who.dead || who.stopped) break;
        in.write({.what = fact::kind::stopped, .process = what.process});
        in.universe.stop(who);
        break;
    case kind::kill_process: kill_process(in, what.process); break;
    case kind::stop_server: in.server.pause(); break;
    case kind::restart_kept: in.server.crash(); break;
    case kind::restart_lost:
        unpromised(in, -1);
        in.server.crash();
        break;
    case kind::failover:
        unpromised(in, -1);
        in.server.crash();
        in.server.start(server_host::data::lagging);
        unpromised(in, -1); // what was released, or taken by others, since the replica last heard of it
        break;
    case kind::flush_scripts: in.server.node().flush_scripts(); break;
    case kind::remove_key:
        if (!in.server.running()) break;
        unpromised(in, what.lock, remaining(in, what.lock));
        in.server.by_hand(resp::command("DEL", lock));
        break;
    case kind::force_unlock:
        if (!in.server.running()) break;
        unpromised(in, what.lock);
        in.server.by_hand(resp::command("DEL", lock));
        in.server.by_hand(resp::command("PUBLISH", "redisson_lock__channel:{" + lock + "}", "0"));
        break;
    case kind::loading: in.server.node().set_loading(true); break;
    case kind::read_only: in.server.node().set_read_only(true); break;
    case kind::out_of_memory: in.server.node().set_out_of_memory(true); break;
    case kind::kill_clients: in.server.kill_everybody(); break;
    case kind::half_open: in.net.silence(who, strength); break;
    case kind::close_client: close_client(in, what.process); break;
    }
}

} // namespace

void begin_fault(stage& in, fault const& what) {
    if (what.what != kind::close_client) {
        ++in.faults_now;
        in.last_fault = in.universe.now();
    }
    in.write({.what = fact::kind::fault, .text = to_text(what)});
    start_fault(in, what);
    in.universe.at(in.universe.now() + std::chrono::milliseconds(what.lasts), [&in, &what] { end_fault(in, what); });
}

} // namespace redlatch::sim
