// Holding a lock: tenures, absolute writes, the fence, the reaper and renewal, and what can go wrong around them.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "runner.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace {

using model::on;
using u8 = unsigned char;

struct settings {
    int clients = 1, tenures = 2, levels = 1; ///< two levels: the inner one has the short lease
    u8 cuts = 0, errors = 0, removals = 0, restarts = 0, crashes = 0;
    bool rival = true; ///< a Redisson client
    bool may_kill = true;
    bool late_for_ever = false; ///< bytes of a broken connection may come after the last sweep
};
settings scope;
constexpr int lease = 3, short_lease = 1, longest_delay = 2; // ticks

// --- the state

enum kind : u8 { nothing, acquire, count, release, reap, renew, kill };
enum verdict : u8 { open, yes, no, error };
enum phase : u8 { idle, acquiring, waiting, held };
enum reaping : u8 { no_entry, due, asked, later };
struct call {
    u8 what = nothing, serial = 0, n = 0, age = 0, answer = open; ///< n: the count to write, or the connection to kill
    bool given_up = false, repeated = false, unfenced = false;
};
using calls = std::array<call, 5>;
struct connection {
    u8 id = 0;
    u8 age = 0;             ///< of a former one: since it broke
    bool dangerous = false; ///< of a former one: the client means to kill it
    bool refused = false;   ///< a fence on this one was
    calls flow{};           ///< of a former one: bytes that may still arrive
};
struct client {
    u8 phase = idle, serial = 0, last = 0, n = 0, validity = 0;
    bool may_hold = false; ///< while waiting: an earlier copy of the acquire may have run
    bool robbed = false, drifted = false, crashed = false;
    u8 unfenced = 0, released = 0, lost = 0, reaper[4]{}, sweeps[4]{}; ///< by serial, the first three as bits
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
u8 id_of(int who, int serial) {
    return static_cast<u8>(who * 10 + serial);
}
u8 bit(int serial) {
    return static_cast<u8>(1U << serial);
}
int lease_of(call const& what) {
    return what.what == count && what.n == 2 ? short_lease : lease;
}
int validity_of(call const& what) {
    return lease_of(what) - (on("a margin") ? 1 : 0) - (on("validity counts from sending") ? what.age : 0);
}
bool believes(client const& c) {
    return c.phase == held && c.validity > 0 && !c.robbed;
}
int size(calls const& of) {
    return static_cast<int>(std::find_if(of.begin(), of.end(), [](call const& c) { return c.what == nothing; })
                            - of.begin());
}
call take_first(calls& from) {
    auto const first = from[0];
    std::move(from.begin() + 1, from.end(), from.begin());
    from.back() = {};
    return first;
}
call* first_open(calls& of) {
    auto const at = std::find_if(of.begin(), of.end(), [](call const& c) { return c.answer == open; });
    return at == of.end() || at->what == nothing ? nullptr : &*at;
}
bool send(client& c, call what) {
    if (size(c.data.flow) >= 3) return false;
    c.data.flow[static_cast<std::size_t>(size(c.data.flow))] = what;
    return true;
}

// --- the server

void remove_key(state& s) {
    s.owner = s.n = s.ttl = 0;
}
bool execute(state& s, int who, call const& what) {
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
            s.stranger_killed |= &other != &c && !on("the fence names its target") && target.id == other.data.id;
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
bool serve(state& s, int variant) {
    int const who = variant / 2;
    auto* const which = variant % 2 == 0 ? first_open(s.clients[who].data.flow) : &s.clients[who].renewal;
    if (which == nullptr || which->what == nothing || which->answer != open) return false;
    which->answer = execute(s, who, *which) ? yes : which->what == kill ? error : no;
    bool const matters = which->what == kill || (which->what != reap && !which->given_up);
    if (!matters && which->what != count) which->answer = yes;
    return true;
}
bool refuse(state& s, int who) { // LOADING, OOM, ...: this copy was not executed
    auto* const which = first_open(s.clients[who].data.flow);
    if (s.errors == 0 || which == nullptr || which->what == kill) return false;
    --s.errors;
    which->answer = error;
    return true;
}
bool late_bytes(state& s, int variant) {
    auto& bytes = s.clients[variant / 2].former[variant % 2].flow;
    if (bytes[0].what == nothing) return false;
    execute(s, variant / 2, take_first(bytes));
    return true;
}

// --- a client

void hand_to_reaper(client& c, int serial) {
    c.reaper[serial] = due;
    c.sweeps[serial] = longest_delay + 1;
}
void end(client& c) {
    c.phase = idle;
    c.serial = c.n = c.validity = 0;
    c.robbed = c.drifted = c.may_hold = false;
}
void lose(client& c) {
    c.lost |= bit(c.serial);
    if (on("what is lost is reaped")) hand_to_reaper(c, c.serial);
    end(c);
}
void extend(client& c, call const& by) {
    c.n = std::max<u8>(c.n, 1);
    c.phase = held;
    c.serial = by.serial;
    c.validity = static_cast<u8>(std::max<int>(c.validity, validity_of(by)));
}
bool fresh_id(client& c) {
    if (c.last == scope.tenures) return false;
    c.serial = ++c.last;
    return true;
}
void on_acquire(client& c, call const& got) {
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
void on_count(client& c, call const& got) {
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
void on_release(client& c, call const& got) {
    if (got.given_up) return;
    if (got.answer == error || (got.answer == no && !got.repeated)) return hand_to_reaper(c, got.serial);
    if ((c.unfenced & bit(got.serial)) == 0 || !on("sweeps")) return;
    hand_to_reaper(c, got.serial);
    c.reaper[got.serial] = later;
}
void on_reap(client& c, call const& got) {
    auto& entry = c.reaper[got.serial];
    if (got.answer == error)
        entry = due;
    else
        entry = (c.unfenced & bit(got.serial)) != 0 && c.sweeps[got.serial] > 0 && on("sweeps") ? later : no_entry;
    if (entry == no_entry) c.sweeps[got.serial] = 0;
}
bool receive(state& s, int who) {
    auto& c = s.clients[who];
    if (c.data.flow[0].answer == open) return false;
    auto const got = take_first(c.data.flow);
    if (got.what == kill) {
        c.former[got.n].dangerous = false;
        c.data.refused |= got.answer == error;
        return true;
    }
    if ((got.unfenced || c.data.refused) && !got.given_up && (got.repeated || got.what == reap))
        c.unfenced |= bit(got.serial);
    if (got.what == acquire) on_acquire(c, got);
    if (got.what == count) on_count(c, got);
    if (got.what == release) on_release(c, got);
    if (got.what == reap) on_reap(c, got);
    return true;
}
bool counting(client const& c) { // one operation of an owner at a time
    return std::any_of(c.data.flow.begin(), c.data.flow.end(),
                       [&](call const& one) { return one.what == count && one.serial == c.serial && !one.given_up; });
}
bool begin(state& s, int who) {
    auto& c = s.clients[who];
    bool const reuse = c.last > 0 && !on("a fresh id for each tenure");
    if (c.crashed || c.phase != idle || size(c.data.flow) >= 3 || (c.last == scope.tenures && !reuse)) return false;
    c.phase = acquiring;
    c.serial = reuse ? c.last : ++c.last;
    return send(c, {acquire, c.serial});
}
bool try_again(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != waiting || !send(c, {acquire, c.serial})) return false;
    c.phase = acquiring;
    return true;
}
bool enter_again(state& s, int who) {
    auto& c = s.clients[who];
    return c.phase == held && c.validity > 0 && c.n < scope.levels && !counting(c) && send(c, {count, c.serial, 2});
}
bool leave_inner(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.n != 2 || counting(c) || !send(c, {count, c.serial, 1})) return false;
    c.n = 1;
    return true;
}
bool leave(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.n != 1 || counting(c) || !send(c, {release, c.serial})) return false;
    c.released |= bit(c.serial);
    end(c);
    return true;
}
bool reap_one(state& s, int variant) {
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
void undo(state& s, int who, int serial) {
    hand_to_reaper(s.clients[who], serial);
    if (on("undone at once")) reap_one(s, who * 4 + serial);
}
bool give_up(state& s, int variant) { // a deadline, a cancellation, a silent server
    auto& c = s.clients[variant / 4];
    auto const what = variant % 4; // nothing: an acquisition that waits
    if (size(c.data.flow) >= 3) return false;
    if (what == nothing) {
        if (c.phase != waiting) return false;
        if (c.may_hold || (c.unfenced & bit(c.serial)) != 0) undo(s, variant / 4, c.serial);
        end(c);
        return true;
    }
    auto const at = std::find_if(c.data.flow.begin(), c.data.flow.end(),
                                 [&](call const& one) { return one.what == what && !one.given_up; });
    if (at == c.data.flow.end()) return false;
    at->given_up = true;
    at->age = 0;
    if (at->answer != open && what != count) at->answer = yes;
    if (at->unfenced) c.unfenced |= bit(at->serial);
    if (what == acquire) end(c);
    if (what == count) c.drifted = true;
    if (what != count || !on("a given-up re-entry keeps its id")) undo(s, variant / 4, at->serial);
    return true;
}
bool ask_renewal(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.renewal.what != nothing) return false;
    c.renewal = {renew, c.serial};
    return true;
}
bool lose_renewal(state& s, int who) {
    auto& c = s.clients[who];
    if (c.renewal.what == nothing) return false;
    c.renewal = {};
    return true;
}
bool receive_renewal(state& s, int who) {
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
bool notice_end(state& s, int who) {
    auto& c = s.clients[who];
    if (c.phase != held || c.validity > 0) return false;
    lose(c);
    return true;
}

// --- the world

/// A new connection: fences first, then what may be repeated.
void reconnect(state& s, client& c) {
    calls const before = c.data.flow;
    bool const refused = c.data.refused;
    c.data = {.id = s.next_id++};
    calls fences{};
    for (u8 k = 2; k-- > 0;)
        if (c.former[k].dangerous && on("a fence") && (on("a fence for each predecessor") || size(fences) == 0))
            fences[static_cast<std::size_t>(size(fences))] = {kill, 0, k};
    calls again{};
    for (auto one : before) {
        if (one.what == nothing || one.what == kill || one.given_up) continue;
        one.age = 0;
        one.answer = open;
        one.repeated = true;
        one.unfenced |= refused;
        again[static_cast<std::size_t>(size(again))] = one;
    }
    bool const first = on("the fence comes first");
    for (auto const& some : {first ? fences : again, first ? again : fences})
        for (auto const& one : some)
            if (one.what != nothing) c.data.flow[static_cast<std::size_t>(size(c.data.flow))] = one;
}
void break_connection(client& c) {
    auto& slot = c.former[c.former[0].dangerous || size(c.former[0].flow) > 0 ? 1 : 0];
    slot = {.id = c.data.id};
    for (auto const& one : c.data.flow) {
        if (one.what == nothing || one.what == kill) continue;
        slot.dangerous = true;
        if (one.answer == open) slot.flow[static_cast<std::size_t>(size(slot.flow))] = {one.what, one.serial, one.n};
    }
}
bool cut(state& s, int who) {
    auto& c = s.clients[who];
    if (s.cuts == 0 || c.crashed) return false;
    --s.cuts;
    break_connection(c);
    reconnect(s, c);
    return true;
}
bool crash(state& s, int who) {
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
void rob(state& s) {
    for (int who = 0; who < scope.clients; ++who) {
        auto& c = s.clients[who];
        if (c.phase != idle && s.owner == id_of(who, c.serial)) c.robbed = true;
    }
    s.rival_left = 0;
    remove_key(s);
}
bool remove(state& s, int) {
    if (s.removals == 0 || s.owner == 0) return false;
    --s.removals;
    rob(s);
    return true;
}
bool restart(state& s, int variant) { // with its data or without; the clients come back in either order
    if (s.restarts == 0) return false;
    --s.restarts;
    if (variant % 2 == 1) rob(s);
    s.next_id = 1;
    for (int i = 0; i < scope.clients; ++i) {
        auto& c = s.clients[variant / 2 == 0 ? i : scope.clients - 1 - i];
        if (c.crashed) continue;
        break_connection(c);
        for (auto& one : c.former) {
            one.flow = {};
            if (on("the fence names its target")) one = {}; // another run: nothing of it is left
        }
        c.renewal = {};
        reconnect(s, c);
    }
    return true;
}
bool tick(state& s, int) {
    for (auto const& c : s.clients)
        if (c.phase == held && c.validity == 0) return false; // a process that runs looks at its clock
    if (s.ttl > 0 && --s.ttl == 0) remove_key(s);
    if (s.rival_left > 0) --s.rival_left;
    auto const age = [](call& one) {
        bool const counts = !one.given_up && (one.what == acquire || one.what == count || one.what == renew);
        if (counts) one.age = static_cast<u8>(std::min(one.age + 1, lease));
    };
    for (auto& c : s.clients) {
        if (c.validity > 0) --c.validity;
        for (auto& one : c.data.flow) age(one);
        age(c.renewal);
        for (auto& one : c.former)
            if (size(one.flow) > 0 && !scope.late_for_ever && ++one.age > longest_delay) one.flow = {};
        for (int serial = 1; serial <= scope.tenures; ++serial)
            if (c.reaper[serial] == later) {
                c.reaper[serial] = due;
                --c.sweeps[serial];
            }
    }
    return true;
}
bool rival_takes(state& s, int) {
    if (!scope.rival || (s.owner != 0 && s.owner != rival) || s.n >= 2) return false;
    s.owner = rival;
    ++s.n;
    s.ttl = s.rival_left = lease;
    return true;
}
bool rival_leaves(state& s, int) {
    if (s.owner != rival) return false;
    if (--s.n == 0) {
        remove_key(s);
        s.rival_left = 0;
    }
    return true;
}

constexpr model::action<state> actions[] = {
    {"the server executes", 4, serve},
    {"the server refuses", 2, refuse},
    {"late bytes run", 4, late_bytes},
    {"an answer arrives", 2, receive},
    {"begins", 2, begin},
    {"tries again", 2, try_again},
    {"enters again", 2, enter_again},
    {"leaves the inner level", 2, leave_inner},
    {"releases", 2, leave},
    {"gives up", 8, give_up},
    {"reaps", 8, reap_one},
    {"asks for renewal", 2, ask_renewal},
    {"the renewal's answer is lost", 2, lose_renewal},
    {"the renewal's answer arrives", 2, receive_renewal},
    {"sees its validity end", 2, notice_end},
    {"its connection breaks", 2, cut},
    {"crashes", 2, crash},
    {"somebody deletes the key", 1, remove},
    {"the server restarts", 4, restart},
    {"time passes", 1, tick},
    {"the rival takes or re-enters", 1, rival_takes},
    {"the rival leaves", 1, rival_leaves},
};

// --- what must hold

bool exclusion(state const& s) {
    return believes(s.clients[0]) + believes(s.clients[1]) + (s.rival_left > 0 ? 1 : 0) <= 1;
}
bool told_before_expiry(state const& s) {
    for (int who = 0; who < 2; ++who)
        if (auto const& c = s.clients[who]; c.phase == held && !c.robbed && s.owner != id_of(who, c.serial))
            return false;
    return true;
}
bool nothing_forgotten(state const& s) { // whoever is in the key is known to somebody who will end it
    if (s.owner == 0 || s.owner == rival) return true;
    auto const& c = s.clients[s.owner / 10];
    int const serial = s.owner % 10;
    bool const releasing = std::any_of(c.data.flow.begin(), c.data.flow.end(),
                                       [&](call const& one) { return one.what == release && one.serial == serial; });
    return c.crashed || (c.phase != idle && c.serial == serial) || c.reaper[serial] != no_entry || releasing;
}
bool ids_are_fresh(state const& s) {
    return std::all_of(std::begin(s.clients), std::end(s.clients),
                       [](client const& c) { return c.phase == idle || ((c.released | c.lost) & bit(c.serial)) == 0; });
}
bool counts_agree(state const& s) {
    for (int who = 0; who < 2; ++who) {
        auto const& c = s.clients[who];
        bool const late = size(c.former[0].flow) + size(c.former[1].flow) > 0 || c.data.refused;
        if (c.phase == held && s.owner == id_of(who, c.serial) && !c.drifted && !counting(c) && !late && s.n != c.n)
            return false;
    }
    return true;
}
bool never_shortened(state const& s) {
    return !s.shortened;
}
bool no_stranger_killed(state const& s) {
    return !s.stranger_killed;
}

constexpr model::invariant<state> invariants[] = {
    {"exclusion", exclusion},
    {"a loss is told before the key expires", told_before_expiry},
    {"nothing is forgotten", nothing_forgotten},
    {"ids are fresh", ids_are_fresh},
    {"counts agree", counts_agree},
    {"no write shortens the key's life", never_shortened},
    {"a fence kills no stranger", no_stranger_killed},
};
constexpr auto exclusive = "exclusion", forgotten = "nothing is forgotten";
model::scenario<settings> const scenarios[] = {
    {"no faults", {.tenures = 3}, nullptr, 653998},
    {"a cut", {.cuts = 1}, nullptr, 512035},
    {"two cuts", {.tenures = 1, .levels = 2, .cuts = 2}, nullptr, 2031231},
    {"a cut, CLIENT KILL refused", {.cuts = 1, .may_kill = false}, nullptr, 3796348},
    {"two cuts, CLIENT KILL refused", {.tenures = 1, .cuts = 2, .errors = 1, .may_kill = false}, nullptr, 1100003},
    {"a cut and an error", {.cuts = 1, .errors = 1}, nullptr, 1502616},
    {"a cut and a DEL", {.cuts = 1, .removals = 1}, nullptr, 1248810},
    {"a cut and a crash", {.cuts = 1, .crashes = 1}, nullptr, 522150},
    {"two clients, a cut", {.clients = 2, .tenures = 1, .cuts = 1, .rival = false}, nullptr, 1069507},
    {"two clients, a restart", {.clients = 2, .tenures = 1, .restarts = 1, .rival = false}, nullptr, 250531},
    {"a fresh id for each tenure", {}, exclusive, 12},
    {"counts are absolute", {.levels = 2, .cuts = 1}, exclusive, 12},
    {"no write shortens", {.levels = 2}, exclusive, 7},
    {"a re-entry finds its loss", {.levels = 2, .removals = 1}, exclusive, 8},
    {"a stale acquisition is released", {}, forgotten, 5},
    {"a stale acquisition gets a fresh id", {}, exclusive, 11},
    {"a release ends renewal", {}, exclusive, 9},
    {"lost is final", {}, exclusive, 12},
    {"what is lost is reaped", {}, forgotten, 6},
    {"validity counts from sending", {}, exclusive, 7},
    {"a margin", {}, "a loss is told before the key expires", 6},
    {"a fence", {.cuts = 1}, forgotten, 6},
    {"the fence comes first", {.cuts = 1}, forgotten, 6},
    {"a fence for each predecessor", {.cuts = 2}, forgotten, 9},
    {"the fence names its target", {.clients = 2, .restarts = 1}, "a fence kills no stranger", 3},
    {"sweeps", {.cuts = 1, .may_kill = false}, forgotten, 8},
    {"sweeps go on until no bytes can come", {.cuts = 1, .may_kill = false, .late_for_ever = true}, forgotten, 20},
    {"undone at once", {.cuts = 2, .may_kill = false}, forgotten, 10},
    {"undone on its connection", {}, forgotten, 3},
    {"a given-up re-entry keeps its id", {.levels = 2}, exclusive, 8},
    {"what was given up is not repeated", {.levels = 2, .errors = 1}, "counts agree", 14},
    {"an error denies no earlier copy", {.cuts = 1, .errors = 1}, forgotten, 8},
};

std::string show(calls const& of) {
    static char const* const names[] = {"", "acquire", "count", "release", "reap", "renew", "kill"};
    static char const* const answers[] = {"", ":yes", ":no", ":error"};
    std::string text;
    for (auto const& one : of)
        if (one.what != nothing)
            text.append(one.given_up ? " ~" : " ").append(names[one.what]).append(answers[one.answer]);
    return text;
}
std::string show(state const& s) {
    static char const* const phases[] = {"idle", "acquiring", "waiting", "held"};
    auto text = "key " + std::to_string(s.owner) + " ttl " + std::to_string(s.ttl);
    for (auto const& c : s.clients) {
        if (c.data.id == 0) continue;
        text.append(" | ").append(phases[c.phase]) += " " + std::to_string(c.serial) + " x" + std::to_string(c.n);
        text.append(" valid " + std::to_string(c.validity) + ";").append(show(c.data.flow));
        if (auto const late = show(c.former[0].flow) + show(c.former[1].flow); !late.empty()) text += "; late:" + late;
        if (c.renewal.what != nothing) text += "; renewal" + show(calls{c.renewal});
    }
    return text;
}

bool run(model::scenario<settings> const& one) {
    scope = one.where;
    state first;
    for (int who = 0; who < 2; ++who) {
        if (who < scope.clients)
            first.clients[who].data.id = first.next_id++;
        else
            first.clients[who].crashed = true;
    }
    first.cuts = scope.cuts;
    first.errors = scope.errors;
    first.removals = scope.removals;
    first.restarts = scope.restarts;
    first.crashes = scope.crashes;
    return model::run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace

int main(int argc, char** argv) {
    return model::run_all(argc, argv, scenarios, run);
}
