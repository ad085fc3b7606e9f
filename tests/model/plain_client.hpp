// A client: its attempts, its releases, its reaper, its renewals.
#pragma once

#include "plain_network.hpp"

namespace model::plain {

inline void end(client& c) {
    c.phase = idle;
    c.serial = c.validity = c.timer = 0;
    c.robbed = c.may_hold = c.woken = false;
}
inline void lose(client& c) {
    c.lost |= bit(c.serial);
    hand_to_reaper(c, c.serial, release);
    end(c);
}
inline void extend(client& c, call const& by) {
    c.phase = held;
    c.validity = static_cast<u8>(std::max<int>(c.validity, validity_of(by)));
    c.woken = c.may_hold = false;
    c.timer = 0;
}
inline void on_attempt(client& c, call const& got) {
    if (got.given_up) return;
    c.phase = waiting;
    bool const by_script = got.what == acquire;
    if (got.answer == error || (got.answer == no && !by_script)) {
        // Only a script tells whose the key is, perhaps our own, and for how long.
        bool const counts = got.answer == error || on("BUSYKEY denies no earlier copy");
        c.may_hold |= counts && got.repeated;
        c.woken = true;
        return;
    }
    c.may_hold = false;
    if (got.answer == no) {
        c.timer = std::max<u8>(got.n, 1);
    } else if (validity_of(got) > 0) {
        extend(c, got);
    } else {
        hand_to_reaper(c, got.serial, release);
        c.woken = true;
        if (c.last == scope.tenures) return end(c);
        c.serial = ++c.last;
    }
}
inline void sweep_later(client& c, int serial) {
    bool const again = (c.late_copy_possible & bit(serial)) != 0 && c.sweeps[serial] > 0 && on("sweeps");
    c.reaper[serial] = again ? later : no_entry;
    c.remains[serial] = on("sweeps take the message along") ? both : release;
}
inline void on_pair(client& c, call const& got) { // both answers are there
    if (got.given_up) return;
    auto const left = left_of(got);
    if (left != message || got.answer == error) return hand_to_reaper(c, got.serial, left);
    if (got.what == unlock) c.sweeps[got.serial] = longest_delay + 1;
    sweep_later(c, got.serial);
}
inline void on_reap(client& c, call const& got) {
    if (got.answer == error)
        c.reaper[got.serial] = due;
    else
        sweep_later(c, got.serial);
}
inline bool receive(state& s, int who) {
    auto& c = s.clients[who];
    auto& front = c.data.flow[0];
    if (is_pair(front) && front.first != open && !front.heard) return front.heard = true;
    if (front.answer == open) return false;
    auto const got = take_first(c.data.flow);
    if (got.what == kill) {
        c.former[got.n].dangerous = false;
        c.data.refused |= got.answer == error;
        return true;
    }
    bool const sweeps = got.what == reap || got.what == reap_both;
    if ((got.late_copy_possible || c.data.refused) && !got.given_up && (got.repeated || sweeps))
        c.late_copy_possible |= bit(got.serial);
    if (got.what == take || got.what == acquire) on_attempt(c, got);
    if (is_pair(got)) on_pair(c, got);
    if (got.what == reap || got.what == announce) on_reap(c, got);
    return true;
}
inline bool begin(state& s, int who) {
    auto& c = s.clients[who];
    bool const reuse = c.last > 0 && !on("a fresh id for each tenure");
    if (c.crashed || c.phase != idle || size(c.data.flow) >= 3 || (c.last == scope.tenures && !reuse)) return false;
    c.phase = acquiring;
    c.serial = reuse ? c.last : ++c.last;
    return send(c, {take, c.serial});
}
inline bool try_again(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != waiting || !(c.woken || c.timer == 0)) return false;
    if (!send(c, {on("BUSYKEY is followed by a script") ? acquire : take, c.serial})) return false;
    c.phase = acquiring;
    c.woken = false;
    c.timer = 0;
    return true;
}
inline bool leave(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || !send(c, {unlock, c.serial})) return false;
    c.released |= bit(c.serial);
    end(c);
    return true;
}
inline bool reap_one(state& s, int variant) {
    auto& c = s.clients[variant / 4];
    auto const serial = static_cast<u8>(variant % 4);
    constexpr kind what[] = {reap, reap_both, announce};
    if (c.reaper[serial] != due || !send(c, {what[c.remains[serial]], serial})) return false;
    c.reaper[serial] = asked;
    return true;
}
/// At once, and behind what it undoes.
inline void undo(state& s, int who, int serial, remains what) {
    hand_to_reaper(s.clients[who], serial, what);
    reap_one(s, who * 4 + serial);
}
inline bool give_up(state& s, int variant) { // a deadline, a cancellation, a silent server
    int const who = variant / 2;
    auto& c = s.clients[who];
    if (!scope.gives_up || size(c.data.flow) >= 3) return false;
    if (variant % 2 == 0) {
        if (c.phase != waiting && c.phase != acquiring) return false;
        for (auto& one : c.data.flow)
            if (c.phase == acquiring && (one.what == take || one.what == acquire) && !one.given_up) {
                one.given_up = true;
                if (one.late_copy_possible) c.late_copy_possible |= bit(c.serial);
            }
        if (c.phase == acquiring || c.may_hold || (c.late_copy_possible & bit(c.serial)) != 0)
            undo(s, who, c.serial, release);
        end(c);
        return true;
    }
    auto const at = std::find_if(c.data.flow.begin(), c.data.flow.end(),
                                 [](call const& one) { return one.what == unlock && !one.given_up; });
    if (at == c.data.flow.end()) return false;
    at->given_up = true;
    if (at->late_copy_possible) c.late_copy_possible |= bit(at->serial);
    auto const serial = at->serial;
    bool const whole = on("a release that was given up takes its message along");
    undo(s, who, serial, at->heard ? left_of(*at) : whole ? both : release);
    return true;
}
inline bool ask_renewal(state& s, int who) {
    auto& c = s.clients[who];
    if (!scope.renews || c.phase != held || c.renewal.what != nothing) return false;
    c.renewal = {renew, c.serial};
    return true;
}
inline bool receive_renewal(state& s, int who) {
    auto& c = s.clients[who];
    auto const got = c.renewal;
    if (got.what == nothing || got.answer == open) return false;
    c.renewal = {};
    if (c.phase != held || c.serial != got.serial) return true;
    if (got.answer == no)
        lose(c);
    else
        extend(c, got);
    return true;
}
inline bool notice_end(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.validity > 0) return false;
    lose(c);
    return true;
}

} // namespace model::plain
