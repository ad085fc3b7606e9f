// What the model of plain commands consists of: the key, a Redisson client that holds and waits, clients and their connections.
#pragma once

#include "runner.hpp"

#include <algorithm>
#include <array>

namespace model::plain {

using u8 = unsigned char;

struct settings {
    int clients = 1, tenures = 2;
    u8 cuts = 0, errors = 0, removals = 0, forced = 0, crashes = 0;
    bool rival = true; ///< a Redisson client
    bool may_kill = true, may_publish = true, may_restore = true;
    bool gives_up = true, renews = true;
};
inline settings scope;
constexpr int lease = 3, longest_delay = 2; // ticks
constexpr u8 never = 99;

// --- the state

/// take: RESTORE. unlock: HDEL and PUBLISH in one write. The others are scripts, but for announce: a PUBLISH alone.
enum kind : u8 { nothing, take, acquire, unlock, reap, reap_both, announce, renew, kill };
enum verdict : u8 { open, yes, no, error };
enum phase : u8 { idle, acquiring, waiting, held };
enum reaping : u8 { no_entry, due, asked, later };
/// What the reaper has to send: a release by script; HDEL and PUBLISH, whatever HDEL finds; the message alone.
enum remains : u8 { release, both, message, nothing_left };
struct call {
    u8 what = nothing, serial = 0, n = 0, age = 0,
       answer = open;   ///< n: the TTL that was told, or the connection to kill
    u8 first = open;    ///< of two commands: the answer to the first; `answer` is that to the second
    bool heard = false; ///< that answer was read
    bool given_up = false, repeated = false, late_copy_possible = false;
};
using calls = std::array<call, 5>;
struct connection {
    u8 age = 0;             ///< of a former one: since it broke
    bool dangerous = false; ///< of a former one: the client means to kill it
    bool refused = false;   ///< a predecessor kill on this one was
    calls flow{};           ///< of a former one: bytes that may still arrive
};
struct client {
    u8 phase = idle, serial = 0, last = 0, validity = 0, timer = 0;
    bool woken = false;    ///< a message since the last attempt was sent, or no need for one
    bool may_hold = false; ///< while waiting: an earlier copy of the attempt may have run
    bool robbed = false, crashed = false;
    u8 late_copy_possible = 0, released = 0, lost = 0, reaper[4]{}, remains[4]{},
       sweeps[4]{}; ///< by serial, the first three as bits
    call renewal{};
    connection data{}, former[2]{};
};
struct state {
    u8 owner = 0, n = 0, ttl = 0; ///< the key
    bool silent = false;          ///< it became free, and it is known that nobody is told
    u8 rival_left = 0, rival_timer = 0;
    bool rival_waits = false, rival_woken = false;
    u8 cuts = 0, errors = 0, removals = 0, forced = 0, crashes = 0;
    client clients[2]{};
};
constexpr u8 rival = 99;
inline u8 id_of(int who, int serial) {
    return static_cast<u8>(who * 10 + serial);
}
inline u8 bit(int serial) {
    return static_cast<u8>(1U << serial);
}
inline bool is_pair(call const& one) {
    return one.what == unlock || one.what == reap_both;
}
inline int validity_of(call const& what) {
    return lease - 1 - what.age;
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

} // namespace model::plain
