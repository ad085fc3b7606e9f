// What the model of holding consists of: the key, the clients and their connections.
#pragma once

#include "runner.hpp"

#include <algorithm>
#include <array>

namespace model::lock {

using u8 = unsigned char;

struct settings {
    int clients = 1, tenures = 2, levels = 1; ///< two levels: the inner one has the short lease
    u8 cuts = 0, errors = 0, removals = 0, restarts = 0, crashes = 0;
    bool rival = true; ///< a Redisson client
    bool may_kill = true;
    bool late_for_ever = false; ///< bytes of a broken connection may come after the last sweep
};
inline settings scope;
constexpr int lease = 3, short_lease = 1, longest_delay = 2; // ticks

// --- the state

enum kind : u8 { nothing, acquire, count, release, reap, renew, kill };
enum verdict : u8 { open, yes, no, error };
enum phase : u8 { idle, acquiring, waiting, held };
enum reaping : u8 { no_entry, due, asked, later };
struct call {
    u8 what = nothing, serial = 0, n = 0, age = 0, answer = open; ///< n: the count to write, or the connection to kill
    bool given_up = false, repeated = false, late_copy_possible = false;
};
using calls = std::array<call, 5>;
struct connection {
    u8 id = 0;
    u8 age = 0;             ///< of a former one: since it broke
    bool dangerous = false; ///< of a former one: the client means to kill it
    bool refused = false;   ///< a predecessor kill on this one was
    calls flow{};           ///< of a former one: bytes that may still arrive
};
struct client {
    u8 phase = idle, serial = 0, last = 0, n = 0, validity = 0;
    bool may_hold = false; ///< while waiting: an earlier copy of the acquire may have run
    bool robbed = false, drifted = false, crashed = false;
    u8 late_copy_possible = 0, released = 0, lost = 0, reaper[4]{}, sweeps[4]{}; ///< by serial, the first three as bits
    call renewal{};
    connection data{}, former[2]{};
};
struct state {
    u8 owner = 0, n = 0, ttl = 0; ///< the key
    u8 rival_left = 0, next_id = 1, cuts = 0, errors = 0, removals = 0, restarts = 0, crashes = 0;
    bool shortened = false, stranger_killed = false;
    client clients[2]{};
};
constexpr u8 rival = 99;
inline u8 id_of(int who, int serial) {
    return static_cast<u8>(who * 10 + serial);
}
inline u8 bit(int serial) {
    return static_cast<u8>(1U << serial);
}
inline int lease_of(call const& what) {
    return what.what == count && what.n == 2 ? short_lease : lease;
}
inline int validity_of(call const& what) {
    return lease_of(what) - (on("a margin") ? 1 : 0) - (on("validity counts from sending") ? what.age : 0);
}
inline bool believes(client const& c) {
    return c.phase == held && c.validity > 0 && !c.robbed;
}
inline int size(calls const& of) {
    return static_cast<int>(std::find_if(of.begin(), of.end(), [](call const& c) { return c.what == nothing; })
                            - of.begin());
}
inline call take_first(calls& from) {
    auto const first = from[0];
    std::move(from.begin() + 1, from.end(), from.begin());
    from.back() = {};
    return first;
}
inline call* first_open(calls& of) {
    auto const at = std::find_if(of.begin(), of.end(), [](call const& c) { return c.answer == open; });
    return at == of.end() || at->what == nothing ? nullptr : &*at;
}
inline bool send(client& c, call what) {
    if (size(c.data.flow) >= 3) return false;
    c.data.flow[static_cast<std::size_t>(size(c.data.flow))] = what;
    return true;
}

} // namespace model::lock
