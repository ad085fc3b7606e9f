// What the model of waiting consists of: the key, the waiters, the channel and the connections.
#pragma once

#include "runner.hpp"

#include <algorithm>
#include <array>

namespace model::wakeup {

using u8 = unsigned char;

struct settings {
    int waiters = 2; ///< of one client; a rival in another process comes and goes
    u8 cuts = 0, removals = 0, crashes = 0, losses = 0;
    bool gives_up = true, may_publish = true, rival = true;
};
inline settings scope;
constexpr int lease = 3, yield_pause = 1, longest_sleep = lease + yield_pause; // ticks
constexpr int most_head_wakes = 1;
constexpr u8 rival = 9, never = 99;

enum phase : u8 { out, queued, trying, waiting, holding };
enum channel : u8 { idle, requested, subscribed };
/// Of a subscription that is given up while its SUBSCRIBE is under way, the confirmation is stale.
enum message : u8 { nothing, subscribe, unsubscribe, published, stale_subscribe };
enum kind : u8 { none, acquire, release };
struct waiter {
    u8 phase = out, timer = 0;
    bool told = false;                                ///< that it is the head
    bool refers = false;                              ///< to the channel
    bool moved = false, was_subscribed = false;       ///< the channel's count, since the sample; its state then
    bool released = false, told_to_yield = false;     ///< by a release in this process
    bool peek_moved = false, peek_subscribed = false; ///< the sample taken before that release
};
struct call {
    u8 what = none, who = 0, answer = 0, left = 0; ///< answer: 0 open, 1 yes, 2 no
    bool given_up = false;                         ///< of a release: nobody was handed the lock
    bool operator==(call const&) const = default;
};
struct state {
    u8 owner = 0, ttl = 0; ///< the key; waiters are 1, 2, ...
    bool silent = false;   ///< it became free, and nobody was told
    bool rival_dead = false, up = true, listening = false, lingers = false;
    u8 channel = idle, head_wakes = 0, in_a_row = 0, free_for = 0;
    bool window = false; ///< since the last release ran, another process could have come
    bool rested = false; ///< the head has left the lock to others for a moment
    u8 cuts = 0, removals = 0, crashes = 0, losses = 0;
    std::array<u8, 4> queue{};
    std::array<waiter, 4> waiters{};
    std::array<call, 5> data{};
    std::array<u8, 5> to_server{}, to_client{}; ///< of the pub/sub connection
};

template <class Flow> inline std::size_t length(Flow const& of) {
    return static_cast<std::size_t>(std::find(of.begin(), of.end(), typename Flow::value_type{}) - of.begin());
}
template <class Flow> inline auto take_first(Flow& from) {
    auto const first = from[0];
    std::move(from.begin() + 1, from.end(), from.begin());
    from.back() = {};
    return first;
}
inline bool room(state const& s, std::size_t calls) {
    return length(s.data) + calls <= s.data.size();
}
inline bool has(std::array<u8, 5> const& flow, u8 what) {
    return std::find(flow.begin(), flow.end(), what) != flow.end();
}
inline bool holds_here(state const& s) {
    return std::any_of(s.waiters.begin(), s.waiters.end(), [](waiter const& one) { return one.phase == holding; });
}
inline bool acquire_open(state const& s) {
    return std::any_of(s.data.begin(), s.data.end(), [](call const& c) { return c.what == acquire && c.answer == 0; });
}

// --- the channel

inline void push(std::array<u8, 5>& flow, u8 what) {
    flow[length(flow)] = what;
}
inline void count_moves(state& s) {
    for (auto& one : s.waiters) {
        one.moved |= one.refers;
        one.peek_moved |= one.told_to_yield;
    }
}
inline void sample(state const& s, waiter& one) {
    one.moved = false;
    one.was_subscribed = s.channel == subscribed;
}
inline void refer(state& s, waiter& one) {
    one.refers = true;
    s.lingers = false;
}
inline void leave_channel(state& s, waiter& one) {
    one.refers = one.moved = one.was_subscribed = false;
    bool const wanted = std::any_of(s.waiters.begin(), s.waiters.end(), [](waiter const& w) { return w.refers; });
    s.lingers = !wanted && s.channel != idle;
}
inline void ask(state& s) {
    if (s.channel != idle || !s.up) return;
    push(s.to_server, subscribe);
    s.channel = requested;
}
inline bool end_linger(state& s, int) {
    if (!s.lingers || !s.up || length(s.to_server) > 2) return false;
    s.lingers = false;
    std::replace(s.to_server.begin(), s.to_server.end(), u8{subscribe}, u8{stale_subscribe});
    std::replace(s.to_client.begin(), s.to_client.end(), u8{subscribe}, u8{stale_subscribe});
    push(s.to_server, unsubscribe);
    if (on("not subscribed from UNSUBSCRIBE on")) s.channel = idle;
    return true;
}
inline bool server_reads(state& s, int) {
    if (s.to_server[0] == nothing || length(s.to_client) > 3) return false;
    auto const what = take_first(s.to_server);
    s.listening = what != unsubscribe;
    push(s.to_client, what);
    return true;
}
inline bool client_reads(state& s, int) {
    if (s.to_client[0] == nothing) return false;
    auto const what = take_first(s.to_client);
    if (what == published) count_moves(s);
    bool const matches = what == subscribe || (what == stale_subscribe && !on("confirmations match in order"));
    if (matches && s.channel == requested) {
        s.channel = subscribed;
        if (on("a confirmation counts as a message")) count_moves(s);
    }
    if (what == unsubscribe && !on("not subscribed from UNSUBSCRIBE on")) s.channel = idle;
    return true;
}
inline bool cut(state& s, int) {
    if (s.cuts == 0 || !s.up) return false;
    --s.cuts;
    s.up = s.listening = s.lingers = false;
    s.to_server = s.to_client = {};
    s.channel = idle;
    if (on("a confirmation counts as a message")) count_moves(s);
    return true;
}
inline bool reconnect(state& s, int) {
    if (s.up) return false;
    s.up = true;
    if (std::any_of(s.waiters.begin(), s.waiters.end(), [](waiter const& w) { return w.refers; })) ask(s);
    return true;
}

// --- the server

inline void becomes_free(state& s, bool tell) {
    s.owner = s.ttl = 0;
    s.rival_dead = false;
    s.silent = !tell;
    s.window = true;
    // A second message behind one that nobody has read yet changes nothing.
    if (tell && s.listening && (length(s.to_client) == 0 || s.to_client[length(s.to_client) - 1] != published))
        push(s.to_client, published);
}
inline bool serve(state& s, int) {
    auto const at = std::find_if(s.data.begin(), s.data.end(), [](call const& c) { return c.answer == 0; });
    if (at == s.data.end() || at->what == none || length(s.to_client) == s.to_client.size()) return false;
    bool const mine = s.owner == at->who;
    at->answer = mine || (at->what == acquire && s.owner == 0) ? 1 : 2;
    at->left = at->what == acquire && at->answer == 2 ? s.ttl : 0;
    if (at->what == acquire && s.owner == 0) {
        s.owner = at->who;
        s.ttl = lease;
        if (!at->given_up) s.in_a_row = s.window || s.rested ? 0 : static_cast<u8>(s.in_a_row + 1);
        s.free_for = 0;
        s.rested = false;
    } else if (at->what == release && mine) {
        becomes_free(s, scope.may_publish);
        s.window = at->given_up || !acquire_open(s);
    }
    return true;
}

} // namespace model::wakeup
