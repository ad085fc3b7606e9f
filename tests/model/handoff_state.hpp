// What the model of local hand-off consists of: the key, the tenures of one client, its waiters, a rival elsewhere.
#pragma once

#include "runner.hpp"

#include <algorithm>
#include <array>

namespace model::handoff {

using u8 = unsigned char;

struct settings {
    int waiters = 2; ///< of one client
    u8 fixed = 0;    ///< this one of them asked for a fixed lease
    u8 retakes = 1;  ///< so often whoever has released it may take it again
    u8 forced = 0;   ///< so often the rival ends the hold of whoever has the lock
    bool gives_up = true, renews = true, strict = false, rival = true;
};
inline settings scope;
constexpr int lease = 3, yield_pause = 1; // ticks
constexpr u8 rival = 99;

enum phase : u8 { out, queued, trying, waiting, granted, holding };
enum kind : u8 { none, acquire, release, renew };
struct call {
    u8 what = none, who = 0, serial = 0, age = 0, answer = 0, left = 0; ///< answer: 0 open, 1 yes, 2 no
    bool given_up = false;
    bool turn = false; ///< of a release: at the end of a window
    bool operator==(call const&) const = default;
};
struct waiter {
    u8 phase = out, timer = 0;
    bool told = false;   ///< to look: it is the head, or what it relied on has changed
    bool relies = false; ///< on a hold of this process: it has not asked the server
    bool moved = false;  ///< a message since its last attempt
    bool told_to_yield = false;
    bool offered = false; ///< it was woken because the lock was being handed off
    bool missed = false;  ///< and found it taken
};
struct tenure { ///< in Redis from its first write to its release, whoever has it here
    u8 serial = 0, holder = 0, validity = 0;
    bool handing_off = false; ///< nobody has it here
    bool suspect = false, robbed = false;
    bool window = false, over = false; ///< handed off at least once; for long enough
    u8 retakes = 0, releaser = 0, taken_late = 0;
    call renewal{};
};
struct state {
    u8 owner = 0, ttl = 0; ///< the key
    u8 rival_left = 0, rival_timer = 0, forced = 0;
    bool rival_waits = false, rival_woken = false;
    bool contended = false, stale = false, overtaken = false, turn_taken = false,
         overdone = false; ///< what must not be
    std::array<tenure, 2> tenures{};
    std::array<u8, 4> queue{};
    std::array<waiter, 4> waiters{};
    std::array<call, 5> data{};
};

template <class Flow> inline std::size_t length(Flow const& of) {
    return static_cast<std::size_t>(std::find(of.begin(), of.end(), typename Flow::value_type{}) - of.begin());
}
inline bool room(state const& s, std::size_t calls) {
    return length(s.data) + calls <= s.data.size();
}
inline bool sound(tenure const& t) {
    return t.serial != 0 && t.validity > 0 && !t.suspect;
}
/// What the waiters of this client may rely on.
inline bool holds_here(state const& s) {
    return std::any_of(s.tenures.begin(), s.tenures.end(), sound);
}
inline tenure* held_by(state& s, u8 who) {
    auto const at = std::find_if(s.tenures.begin(), s.tenures.end(),
                                 [&](tenure const& t) { return t.serial != 0 && t.holder == who; });
    return who == 0 || at == s.tenures.end() ? nullptr : &*at;
}
inline tenure* in_handoff(state& s) {
    auto const at = std::find_if(s.tenures.begin(), s.tenures.end(), [](tenure const& t) { return t.handing_off; });
    return at == s.tenures.end() ? nullptr : &*at;
}
inline bool call_open(state const& s, u8 who) {
    return std::any_of(s.data.begin(), s.data.end(),
                       [&](call const& c) { return c.what == acquire && c.who == who && !c.given_up; });
}
/// That nobody has, so that there need be no end of them.
inline u8 fresh_serial(state const& s) {
    for (u8 serial = 1;; ++serial) {
        bool used = s.owner == serial;
        for (auto const& t : s.tenures) used |= t.serial == serial;
        for (auto const& c : s.data) used |= c.serial == serial;
        if (!used) return serial;
    }
}

// --- the server

inline void publish(state& s) {
    s.rival_woken |= s.rival_waits;
    if (s.queue[0] != 0) s.waiters[s.queue[0]].moved = true;
}
inline bool run(state& s, call& what) {
    bool const mine = s.owner == what.serial;
    if (what.what == acquire) what.left = s.ttl;
    if (what.what == release) {
        if (!mine) return false;
        s.owner = s.ttl = 0;
        publish(s);
        return true;
    }
    if (!mine && (what.what == renew || s.owner != 0)) return false;
    s.owner = what.serial;
    s.ttl = lease;
    return true;
}
inline bool serve(state& s, int variant) { // the data connection, or the renewals of a tenure
    auto const at = std::find_if(s.data.begin(), s.data.end(), [](call const& c) { return c.answer == 0; });
    auto* const which =
        variant == 0 ? at == s.data.end() ? nullptr : &*at : &s.tenures[static_cast<std::size_t>(variant - 1)].renewal;
    if (which == nullptr || which->what == none || which->answer != 0) return false;
    which->answer = run(s, *which) ? 1 : 2;
    return true;
}

} // namespace model::handoff
