// A client: its tenure, its reaper, its renewals.
#pragma once

#include "lock_network.hpp"

namespace model::lock {

inline void hand_to_reaper(client& c, int serial) {
    c.reaper[serial] = due;
    c.sweeps[serial] = longest_delay + 1;
}
inline void end(client& c) {
    c.phase = idle;
    c.serial = c.n = c.validity = 0;
    c.robbed = c.drifted = c.may_hold = false;
}
inline void lose(client& c) {
    c.lost |= bit(c.serial);
    if (on("what is lost is reaped")) hand_to_reaper(c, c.serial);
    end(c);
}
inline void extend(client& c, call const& by) {
    c.n = std::max<u8>(c.n, 1);
    c.phase = held;
    c.serial = by.serial;
    c.validity = static_cast<u8>(std::max<int>(c.validity, validity_of(by)));
}
inline bool fresh_id(client& c) {
    if (c.last == scope.tenures) return false;
    c.serial = ++c.last;
    return true;
}
inline void on_acquire(client& c, call const& got) {
    if (got.given_up) return;
    c.phase = waiting;
    if (got.answer == error) {
        if (on("an error denies no earlier copy")) c.may_hold |= got.repeated;
        return;
    }
    c.may_hold = false;
    if (got.answer == no) return;
    if (validity_of(got) > 0) return extend(c, got);
    if (on("a stale acquisition is released")) hand_to_reaper(c, got.serial);
    if (on("a stale acquisition gets a fresh id") && !fresh_id(c)) end(c);
}
inline void on_count(client& c, call const& got) {
    bool const current = c.phase == held && c.serial == got.serial;
    if (got.answer == error && got.given_up && !on("what was given up is not repeated")) {
        send(c, {count, got.serial, got.n, 0, open, true, true});
    } else if (got.answer == error) {
        c.drifted = true;
    } else if (got.answer == no && on("a re-entry finds its loss")) {
        if (current) lose(c);
    } else if (!got.given_up && current) {
        c.drifted = false;
        c.robbed &= got.answer == yes; // otherwise it has been told
        c.n = got.n;
        extend(c, got);
    }
}
inline void on_release(client& c, call const& got) {
    if (got.given_up) return;
    if (got.answer == error || (got.answer == no && !got.repeated)) return hand_to_reaper(c, got.serial);
    if ((c.late_copy_possible & bit(got.serial)) == 0 || !on("sweeps")) return;
    hand_to_reaper(c, got.serial);
    c.reaper[got.serial] = later;
}
inline void on_reap(client& c, call const& got) {
    auto& entry = c.reaper[got.serial];
    if (got.answer == error)
        entry = due;
    else
        entry = (c.late_copy_possible & bit(got.serial)) != 0 && c.sweeps[got.serial] > 0 && on("sweeps") ? later
                                                                                                          : no_entry;
    if (entry == no_entry) c.sweeps[got.serial] = 0;
}
inline bool receive(state& s, int who) {
    auto& c = s.clients[who];
    if (c.data.flow[0].answer == open) return false;
    auto const got = take_first(c.data.flow);
    if (got.what == kill) {
        c.former[got.n].dangerous = false;
        c.data.refused |= got.answer == error;
        return true;
    }
    if ((got.late_copy_possible || c.data.refused) && !got.given_up && (got.repeated || got.what == reap))
        c.late_copy_possible |= bit(got.serial);
    if (got.what == acquire) on_acquire(c, got);
    if (got.what == count) on_count(c, got);
    if (got.what == release) on_release(c, got);
    if (got.what == reap) on_reap(c, got);
    return true;
}
inline bool counting(client const& c) { // one operation of an owner at a time
    return std::any_of(c.data.flow.begin(), c.data.flow.end(),
                       [&](call const& one) { return one.what == count && one.serial == c.serial && !one.given_up; });
}
inline bool begin(state& s, int who) {
    auto& c = s.clients[who];
    bool const reuse = c.last > 0 && !on("a fresh id for each tenure");
    if (c.crashed || c.phase != idle || size(c.data.flow) >= 3 || (c.last == scope.tenures && !reuse)) return false;
    c.phase = acquiring;
    c.serial = reuse ? c.last : ++c.last;
    return send(c, {acquire, c.serial});
}
inline bool try_again(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != waiting || !send(c, {acquire, c.serial})) return false;
    c.phase = acquiring;
    return true;
}
inline bool enter_again(state& s, int who) {
    auto& c = s.clients[who];
    return c.phase == held && c.validity > 0 && c.n < scope.levels && !counting(c) && send(c, {count, c.serial, 2});
}
inline bool leave_inner(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.n != 2 || counting(c) || !send(c, {count, c.serial, 1})) return false;
    c.n = 1;
    return true;
}
inline bool leave(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.n != 1 || counting(c) || !send(c, {release, c.serial})) return false;
    c.released |= bit(c.serial);
    end(c);
    return true;
}
inline bool reap_one(state& s, int variant) {
    auto& c = s.clients[variant / 4];
    auto const serial = static_cast<u8>(variant % 4);
    call one{reap, serial};
    bool const in_order = on("undone on its connection");
    if (c.reaper[serial] != due || (in_order && !send(c, one))) return false;
    c.reaper[serial] = asked;
    if (in_order) return true;
    one.answer = execute(s, variant / 4, one) ? yes : no;
    on_reap(c, one);
    return true;
}
/// At once, and behind what it undoes.
inline void undo(state& s, int who, int serial) {
    hand_to_reaper(s.clients[who], serial);
    if (on("undone at once")) reap_one(s, who * 4 + serial);
}
inline bool give_up(state& s, int variant) { // a deadline, a cancellation, a silent server
    auto& c = s.clients[variant / 4];
    auto const what = variant % 4; // nothing: an acquisition that waits
    if (size(c.data.flow) >= 3) return false;
    if (what == nothing) {
        if (c.phase != waiting) return false;
        if (c.may_hold || (c.late_copy_possible & bit(c.serial)) != 0) undo(s, variant / 4, c.serial);
        end(c);
        return true;
    }
    auto const at = std::find_if(c.data.flow.begin(), c.data.flow.end(),
                                 [&](call const& one) { return one.what == what && !one.given_up; });
    if (at == c.data.flow.end()) return false;
    at->given_up = true;
    at->age = 0;
    if (at->answer != open && what != count) at->answer = yes;
    if (at->late_copy_possible) c.late_copy_possible |= bit(at->serial);
    if (what == acquire) end(c);
    if (what == count) c.drifted = true;
    if (what != count || !on("a given-up re-entry keeps its id")) undo(s, variant / 4, at->serial);
    return true;
}
inline bool ask_renewal(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.renewal.what != nothing) return false;
    c.renewal = {renew, c.serial};
    return true;
}
inline bool lose_renewal(state& s, int who) {
    auto& c = s.clients[who];
    if (c.renewal.what == nothing) return false;
    c.renewal = {};
    return true;
}
inline bool receive_renewal(state& s, int who) {
    auto& c = s.clients[who];
    auto const got = c.renewal;
    if (got.what == nothing || got.answer == open) return false;
    c.renewal = {};
    bool const current = c.phase == held && c.serial == got.serial;
    bool const revived = c.phase == idle && got.answer == yes
                         && ((!on("a release ends renewal") && (c.released & bit(got.serial)) != 0)
                             || (!on("lost is final") && (c.lost & bit(got.serial)) != 0));
    if (current && got.answer == no) lose(c);
    if ((current && got.answer == yes) || revived) extend(c, got);
    return true;
}
inline bool notice_end(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.validity > 0) return false;
    lose(c);
    return true;
}

} // namespace model::lock
