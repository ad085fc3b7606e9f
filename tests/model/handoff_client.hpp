// One client: its queue, how the lock is handed off within it, its head, its renewals.
#pragma once

#include "handoff_state.hpp"

namespace model::handoff {

// --- the queue

inline void tell_head(state& s) {
    if (s.queue[0] != 0) s.waiters[s.queue[0]].told = true;
}
/// Others have had theirs, or the head has left with it.
inline void end_turn(state& s) {
    for (auto& each : s.data) each.turn = false;
}
inline void leave_queue(state& s, u8 who) {
    bool const was_head = s.queue[0] == who;
    std::fill(std::remove(s.queue.begin(), s.queue.end(), who), s.queue.end(), u8{0});
    s.waiters[who] = {};
    if (!was_head) return;
    end_turn(s);
    tell_head(s);
}
inline bool arrive(state& s, int variant) {
    auto const who = static_cast<u8>(variant);
    if (who == 0 || who > scope.waiters || s.waiters[who].phase != out) return false;
    bool const undone =
        std::any_of(s.data.begin(), s.data.end(), [&](call const& c) { return c.what != none && c.who == who; });
    if (undone) return false;
    s.waiters[who].phase = queued;
    s.waiters[who].told = s.queue[0] == 0;
    s.queue[length(s.queue)] = who;
    return true;
}
inline void take(state& s, tenure& t, u8 who) {
    s.stale |= t.validity == 0;
    s.overdone |= who == scope.fixed;
    t.holder = who;
    t.handing_off = false;
    if (t.over) ++t.taken_late;
}

// --- hand-off

/// To the server and, but at the end of a window, the head asks right behind it.
inline void release_there(state& s, tenure& t, u8 who) {
    bool const turn = t.over && s.queue[0] != 0;
    s.data[length(s.data)] = {release, who, t.serial, 0, 0, 0, false, turn};
    t = {};
    if (s.queue[0] == 0) return;
    auto& head = s.waiters[s.queue[0]];
    head.told = true;
    head.told_to_yield = turn && on("yields after a window");
    head.moved = head.offered = head.missed = false;
}
inline bool may_hand_off(state const& s, tenure const& t) {
    auto const who = s.queue[0];
    if (who == 0 || (t.over && on("a window ends"))) return false;
    if (!sound(t) && on("only a sound tenure is handed off")) return false;
    if (who == scope.fixed && on("only to who wants it renewed")) return false;
    return !call_open(s, who) || !on("only to who has no call under way");
}
/// Its holder has left.
inline void hand_off(state& s, tenure& t, u8 who) {
    bool const renewed = who != scope.fixed || !on("only what is renewed is handed off");
    if (!renewed || !may_hand_off(s, t)) return release_there(s, t, who);
    s.overdone |= who == scope.fixed;
    auto& head = s.waiters[s.queue[0]];
    t.window = true;
    t.holder = 0;
    bool const next = head.missed && on("who was woken in vain is next");
    bool const enough = t.retakes >= scope.retakes && on("taken again so often only");
    if (scope.strict || next || enough) {
        take(s, t, s.queue[0]);
        t.retakes = 0;
        head.phase = granted;
    } else {
        t.handing_off = true;
        t.releaser = who;
        head.offered = head.told = true;
    }
}
inline bool leave(state& s, int variant) {
    auto const who = static_cast<u8>(variant);
    if (s.waiters[who].phase != holding || !room(s, 3)) return false;
    auto* const t = held_by(s, who);
    s.waiters[who] = {};
    if (t != nullptr) hand_off(s, *t, who);
    return true;
}
inline bool retake(state& s, int) { // by the thread that has just released it
    auto* const t = in_handoff(s);
    if (t == nullptr || s.waiters[t->releaser].phase != out || t->validity == 0) return false;
    s.overtaken |= s.waiters[s.queue[0]].missed || t->retakes >= scope.retakes;
    t->retakes = static_cast<u8>(std::min<int>(t->retakes + 1, scope.retakes));
    take(s, *t, t->releaser);
    s.waiters[t->releaser].phase = holding;
    return true;
}

// --- the head

inline bool attempt(state& s, u8 who) {
    auto& one = s.waiters[who];
    if (!room(s, 2)) return false;
    s.contended |= holds_here(s);
    s.turn_taken |= std::any_of(s.data.begin(), s.data.end(), [](call const& c) { return c.turn && c.answer == 0; });
    one = {};
    one.phase = trying;
    s.data[length(s.data)] = {acquire, who, fresh_serial(s)};
    return true;
}
inline void rest(waiter& one, int ticks, bool relies) {
    one.phase = waiting;
    one.relies = relies;
    one.timer = static_cast<u8>(ticks);
}
inline bool look(state& s, int) { // the head has been woken
    auto const who = s.queue[0];
    auto& one = s.waiters[who];
    bool const sleeps = one.phase == waiting && !one.told && !one.moved && one.timer > 0;
    if (who == 0 || (one.phase != queued && one.phase != waiting) || sleeps || (one.phase == queued && !one.told))
        return false;
    auto* const t = in_handoff(s);
    if (t != nullptr && t->validity == 0) return false; // whoever looks at the clock sees that it has ended
    if (t != nullptr && (who != scope.fixed || !on("only to who wants it renewed"))) {
        leave_queue(s, who);
        take(s, *t, who);
        t->retakes = 0;
        s.waiters[who].phase = holding;
        return true;
    }
    if (holds_here(s) && on("nobody asks while this process holds")) {
        one.missed |= one.offered;
        one.offered = one.moved = one.told = one.told_to_yield = false;
        rest(one, lease, true);
        return true;
    }
    if (!one.told_to_yield) return attempt(s, who);
    end_turn(s);
    one.told = one.told_to_yield = false;
    rest(one, yield_pause, false); // a message since before the release ends it
    return true;
}
inline bool accept(state& s, int) {
    auto const who = s.queue[0];
    if (s.waiters[who].phase != granted) return false;
    leave_queue(s, who);
    s.waiters[who].phase = holding;
    return true;
}
inline bool receive(state& s, int) {
    if (s.data[0].answer == 0) return false;
    auto const got = s.data[0];
    auto const free = std::find_if(s.tenures.begin(), s.tenures.end(), [](tenure const& t) { return t.serial == 0; });
    int const valid = lease - 1 - got.age;
    bool const expected = got.what == acquire && !got.given_up && s.waiters[got.who].phase == trying;
    if (expected && got.answer == 1 && free == s.tenures.end()) return false;
    std::move(s.data.begin() + 1, s.data.end(), s.data.begin());
    s.data.back() = {};
    if (!expected) return true;
    if (got.answer == 1 && valid > 0) {
        leave_queue(s, got.who);
        s.waiters[got.who].phase = holding;
        free->serial = got.serial;
        free->holder = got.who;
        free->validity = static_cast<u8>(valid);
        free->robbed = s.owner != got.serial;
        return true;
    }
    if (got.answer == 1) s.data[length(s.data)] = {release, got.who, got.serial};
    rest(s.waiters[got.who], got.answer == 1 ? 0 : std::max<int>(got.left, 1), false);
    return true;
}
inline bool give_up(state& s, int variant) { // a deadline, a cancellation
    auto const who = static_cast<u8>(variant);
    auto const before = s.waiters[who].phase;
    if (!scope.gives_up || before == out || before == holding || !room(s, 2)) return false;
    auto* const mine = held_by(s, who);
    auto* const offered = s.queue[0] == who ? in_handoff(s) : nullptr;
    for (auto& each : s.data)
        if (each.what == acquire && each.who == who && !each.given_up) {
            each.given_up = true;
            s.data[length(s.data)] = {release, who, each.serial};
        }
    leave_queue(s, who);
    if (!on("whoever leaves hands it off")) return true;
    if (mine != nullptr) {
        hand_off(s, *mine, who);
    } else if (offered != nullptr) {
        if (!may_hand_off(s, *offered))
            release_there(s, *offered, who);
        else
            s.waiters[s.queue[0]].offered = true;
    }
    return true;
}

// --- renewal and loss

inline bool lose(state& s, tenure& t, u8 told) {
    if (!room(s, 2)) return false;
    if (on("what is lost is reaped")) s.data[length(s.data)] = {release, 0, t.serial};
    if (told != 0) {
        auto& holder = s.waiters[told];
        if (holder.phase == holding) holder = {};
        if (holder.phase == granted) holder.phase = queued; // it was not told that it has it
    }
    t = {};
    if (on("a loss wakes the head")) tell_head(s);
    return true;
}
inline bool notice_end(state& s, int which) {
    auto& t = s.tenures[static_cast<std::size_t>(which)];
    return t.serial != 0 && t.validity == 0 && lose(s, t, t.holder);
}
inline bool ask_renewal(state& s, int which) {
    auto& t = s.tenures[static_cast<std::size_t>(which)];
    if (!scope.renews || t.serial == 0 || t.renewal.what != none) return false;
    t.renewal = {renew, t.holder, t.serial};
    return true;
}
inline bool receive_renewal(state& s, int which) {
    auto& t = s.tenures[static_cast<std::size_t>(which)];
    auto const got = t.renewal;
    if (got.answer == 0) return false;
    if (got.answer == 2) return lose(s, t, on("a loss is told to whoever holds then") ? t.holder : got.who);
    t.renewal = {};
    t.suspect = false;
    t.validity = static_cast<u8>(std::max<int>(t.validity, lease - 1 - got.age));
    return true;
}
inline bool overdue(state& s, int which) {
    auto& t = s.tenures[static_cast<std::size_t>(which)];
    if (!sound(t) || t.renewal.what == none || !room(s, 3)) return false;
    t.suspect = true;
    if (on("a suspect hold wakes the head")) tell_head(s);
    return true;
}
inline bool window_ends(state& s, int which) {
    auto& t = s.tenures[static_cast<std::size_t>(which)];
    if (!t.window || t.over) return false;
    return t.over = true;
}

} // namespace model::handoff
