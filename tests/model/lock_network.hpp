// Server and connections: what a call does to the key, and what becomes of calls whose connection breaks.
#pragma once

#include "lock_state.hpp"

namespace model::lock {

inline void remove_key(state& s) {
    s.owner = s.n = s.ttl = 0;
}
inline bool execute(state& s, int who, call const& what) {
    auto& c = s.clients[who];
    bool const mine = s.owner == id_of(who, what.serial);
    if (what.what == release || what.what == reap) {
        if (mine) remove_key(s);
        return mine;
    }
    if (what.what == kill) {
        if (!scope.may_kill) return false;
        auto& target = c.former[what.n];
        target.flow = {};
        for (auto const& other : s.clients)
            s.stranger_killed |=
                &other != &c && !on("the predecessor kill names its target") && target.id == other.data.id;
        return true;
    }
    if (!mine && (what.what != acquire || s.owner != 0)) return false;
    if (!mine) s.n = 1;
    if (what.what == count) s.n = on("counts are absolute") ? what.n : static_cast<u8>(what.n == 2 ? s.n + 1 : s.n - 1);
    s.owner = id_of(who, what.serial);
    auto const ttl = on("no write shortens") ? std::max<int>(s.ttl, lease_of(what)) : lease_of(what);
    if (ttl < s.ttl) s.shortened = true;
    s.ttl = static_cast<u8>(ttl);
    if (c.serial == what.serial) c.robbed = false; // what was taken away is back
    if (s.n == 0) remove_key(s);
    return true;
}
inline bool serve(state& s, int variant) {
    int const who = variant / 2;
    auto* const which = variant % 2 == 0 ? first_open(s.clients[who].data.flow) : &s.clients[who].renewal;
    if (which == nullptr || which->what == nothing || which->answer != open) return false;
    which->answer = execute(s, who, *which) ? yes : which->what == kill ? error : no;
    bool const matters = which->what == kill || (which->what != reap && !which->given_up);
    if (!matters && which->what != count) which->answer = yes;
    return true;
}
inline bool refuse(state& s, int who) { // LOADING, OOM, ...: this copy was not executed
    auto* const which = first_open(s.clients[who].data.flow);
    if (s.errors == 0 || which == nullptr || which->what == kill) return false;
    --s.errors;
    which->answer = error;
    return true;
}
inline bool late_bytes(state& s, int variant) {
    auto& bytes = s.clients[variant / 2].former[variant % 2].flow;
    if (bytes[0].what == nothing) return false;
    execute(s, variant / 2, take_first(bytes));
    return true;
}

// --- connections

/// A new connection: predecessor kills first, then what may be repeated.
inline void reconnect(state& s, client& c) {
    calls const before = c.data.flow;
    bool const refused = c.data.refused;
    c.data = {.id = s.next_id++};
    calls kills{};
    for (u8 k = 2; k-- > 0;)
        if (c.former[k].dangerous && on("a predecessor kill")
            && (on("a predecessor kill for each predecessor") || size(kills) == 0))
            kills[static_cast<std::size_t>(size(kills))] = {kill, 0, k};
    calls again{};
    for (auto one : before) {
        if (one.what == nothing || one.what == kill || one.given_up) continue;
        one.age = 0;
        one.answer = open;
        one.repeated = true;
        one.late_copy_possible |= refused;
        again[static_cast<std::size_t>(size(again))] = one;
    }
    bool const first = on("the predecessor kill comes first");
    for (auto const& some : {first ? kills : again, first ? again : kills})
        for (auto const& one : some)
            if (one.what != nothing) c.data.flow[static_cast<std::size_t>(size(c.data.flow))] = one;
}
inline void break_connection(client& c) {
    auto& slot = c.former[c.former[0].dangerous || size(c.former[0].flow) > 0 ? 1 : 0];
    slot = {.id = c.data.id};
    for (auto const& one : c.data.flow) {
        if (one.what == nothing || one.what == kill) continue;
        slot.dangerous = true;
        if (one.answer == open) slot.flow[static_cast<std::size_t>(size(slot.flow))] = {one.what, one.serial, one.n};
    }
}
inline bool cut(state& s, int who) {
    auto& c = s.clients[who];
    if (s.cuts == 0 || c.crashed) return false;
    --s.cuts;
    break_connection(c);
    reconnect(s, c);
    return true;
}
inline bool crash(state& s, int who) {
    auto& c = s.clients[who];
    if (s.crashes == 0 || c.crashed) return false;
    --s.crashes;
    break_connection(c);
    client dead{};
    dead.crashed = true;
    std::copy(std::begin(c.former), std::end(c.former), std::begin(dead.former));
    c = dead;
    return true;
}

} // namespace model::lock
