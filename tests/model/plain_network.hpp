// Server and connections: what a command does to the key, who hears of it, what becomes of calls whose connection breaks.
#pragma once

#include "plain_state.hpp"

namespace model::plain {

inline void become_free(state& s, bool silent) {
    s.owner = s.n = s.ttl = 0;
    s.silent = silent;
}
inline void publish(state& s) {
    s.rival_woken |= s.rival_waits;
    for (auto& c : s.clients) c.woken |= c.phase == acquiring || c.phase == waiting;
}
inline void publish_ours(state& s) {
    if (scope.may_publish) return publish(s);
    s.silent |= s.owner == 0;
}
inline void write(state& s, int who, int serial) {
    auto& c = s.clients[who];
    s.owner = id_of(who, serial);
    s.n = 1;
    s.ttl = lease;
    if (c.serial == serial) c.robbed = false; // what was taken away is back
}
inline bool remove_own(state& s, int who, call const& by) {
    bool const anybodys = is_pair(by) && s.owner != 0 && !on("HDEL names its owner");
    if (s.owner != id_of(who, by.serial) && !anybodys) return false;
    become_free(s, s.clients[who].crashed); // of a pair that a dead process sent, the message may be missing
    return true;
}
/// The first of two commands, or the only one.
inline verdict run_first(state& s, int who, call const& what) {
    bool const mine = s.owner == id_of(who, what.serial);
    switch (what.what) {
    case take:
        if (!scope.may_restore) return error;
        if (s.owner != 0 && on("RESTORE replaces nothing")) return no;
        write(s, who, what.serial);
        if (!on("the lease comes with the key")) s.ttl = never;
        return yes;
    case acquire:
        if (s.owner != 0 && !mine) return no;
        write(s, who, what.serial);
        return yes;
    case renew:
        if (mine) s.ttl = lease;
        return mine ? yes : no;
    case reap:
        if (!remove_own(s, who, what)) return no;
        publish_ours(s);
        return yes;
    case announce: publish_ours(s); return yes;
    case kill:
        if (!scope.may_kill) return error;
        s.clients[who].former[what.n].flow = {};
        return yes;
    default: break;
    }
    if (on("HDEL comes before PUBLISH")) return remove_own(s, who, what) ? yes : no;
    publish_ours(s);
    return mine ? yes : no;
}
inline void run_second(state& s, int who, call const& what) {
    if (on("HDEL comes before PUBLISH")) return publish_ours(s);
    remove_own(s, who, what);
}
/// Another client's command may come between the two of a pair.
inline void run_next(state& s, int who, call& what, bool refused) {
    what.n = what.what == acquire ? s.ttl : what.n;
    if (is_pair(what) && what.first != open) {
        if (!refused) run_second(s, who, what);
        what.answer = refused ? error : yes;
    } else {
        auto const said = refused ? error : run_first(s, who, what);
        (is_pair(what) ? what.first : what.answer) = said;
    }
}
inline bool serve(state& s, int variant) {
    int const who = variant / 2;
    auto* const which = variant % 2 == 0 ? first_open(s.clients[who].data.flow) : &s.clients[who].renewal;
    if (which == nullptr || which->what == nothing || which->answer != open) return false;
    run_next(s, who, *which, false);
    return true;
}
inline bool refuse(state& s, int who) { // LOADING, BUSY, ...: this copy was not executed
    auto* const which = first_open(s.clients[who].data.flow);
    if (s.errors == 0 || which == nullptr || which->what == kill) return false;
    --s.errors;
    run_next(s, who, *which, true);
    return true;
}
inline bool late_bytes(state& s, int variant) {
    auto& bytes = s.clients[variant / 2].former[variant % 2].flow;
    if (bytes[0].what == nothing) return false;
    run_next(s, variant / 2, bytes[0], false);
    if (bytes[0].answer != open) take_first(bytes);
    return true;
}

// --- connections

inline void hand_to_reaper(client& c, int serial, remains what) {
    if (what == message && !on("a message without an answer is sent again")) what = nothing_left;
    c.reaper[serial] = what == nothing_left ? no_entry : due;
    c.remains[serial] = what;
    c.sweeps[serial] = longest_delay + 1;
}
/// What is left of a release of which only the first command is sure to have been answered.
inline remains left_of(call const& pair) {
    if (pair.first == error) return both;
    return pair.first == no && !pair.repeated && pair.what == unlock ? release : message; // release: it had been lost
}
/// A new connection: kills of predecessors first, then repeats. Where the first of two commands was answered, what is left of
/// the release goes to the reaper.
inline void reconnect(client& c) {
    calls const before = c.data.flow;
    bool const refused = c.data.refused;
    c.data = {};
    calls next{};
    auto const add = [&next](call const& one) { next[static_cast<std::size_t>(size(next))] = one; };
    for (u8 k = 2; k-- > 0;)
        if (c.former[k].dangerous && on("a predecessor kill")) add({kill, 0, k});
    for (auto one : before) {
        if (one.what == nothing || one.what == kill || one.given_up) continue;
        if (one.heard && one.first != error) {
            hand_to_reaper(c, one.serial, left_of(one));
            continue;
        }
        one.age = one.n = 0;
        one.answer = one.first = open;
        one.heard = false;
        one.repeated = true;
        one.late_copy_possible |= refused;
        add(one);
    }
    c.data.flow = next;
}
inline void break_connection(client& c) {
    auto& slot = c.former[c.former[0].dangerous || size(c.former[0].flow) > 0 ? 1 : 0];
    slot = {};
    for (auto const& one : c.data.flow) {
        if (one.what == nothing || one.what == kill) continue;
        slot.dangerous = true;
        if (one.answer != open) continue;
        call late{one.what, one.serial};
        late.first = one.first;
        slot.flow[static_cast<std::size_t>(size(slot.flow))] = late;
    }
}
inline bool cut(state& s, int who) {
    auto& c = s.clients[who];
    if (s.cuts == 0 || c.crashed) return false;
    --s.cuts;
    break_connection(c);
    reconnect(c);
    return true;
}
inline bool crash(state& s, int who) { // also between HDEL and PUBLISH
    auto& c = s.clients[who];
    if (s.crashes == 0 || c.crashed) return false;
    --s.crashes;
    break_connection(c);
    client dead{};
    dead.crashed = true;
    std::copy(std::begin(c.former), std::end(c.former), std::begin(dead.former));
    c = dead;
    s.silent |= s.owner == 0;
    return true;
}

} // namespace model::plain
