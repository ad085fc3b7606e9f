// Holding a lock: tenures, absolute writes, the predecessor kill, the reaper and renewal, and what can go wrong around them.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "lock_client.hpp"

namespace model::lock {
namespace {

// --- the world

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
            if (on("the predecessor kill names its target")) one = {}; // another run: nothing of it is left
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
            if (size(one.flow) > 0 && !scope.late_for_ever && on("sweeps outlast late bytes")
                && ++one.age > longest_delay)
                one.flow = {};
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

constexpr action<state> actions[] = {
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
    if (s.owner == 0 || s.owner == rival || scope.late_for_ever) return true; // the documented residue
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

constexpr invariant<state> invariants[] = {
    {"exclusion", exclusion},
    {"a loss is told before the key expires", told_before_expiry},
    {"nothing is forgotten", nothing_forgotten},
    {"ids are fresh", ids_are_fresh},
    {"counts agree", counts_agree},
    {"no write shortens the key's life", never_shortened},
    {"a predecessor kill meets no stranger", no_stranger_killed},
};
constexpr auto exclusive = "exclusion", forgotten = "nothing is forgotten";
scenario<settings> const scenarios[] = {
    {"no faults", {.tenures = 3}, nullptr, 653998},
    {"a cut", {.cuts = 1}, nullptr, 512035},
    {"two cuts", {.tenures = 1, .levels = 2, .cuts = 2}, nullptr, 2031231},
    {"a cut, CLIENT KILL refused", {.cuts = 1, .may_kill = false}, nullptr, 3796348},
    {"two cuts, CLIENT KILL refused", {.tenures = 1, .cuts = 2, .errors = 1, .may_kill = false}, nullptr, 1100003},
    {"a cut and an error", {.cuts = 1, .errors = 1}, nullptr, 1502616},
    {"a cut and a DEL", {.cuts = 1, .removals = 1}, nullptr, 1248810},
    {"a cut and a crash", {.cuts = 1, .crashes = 1}, nullptr, 522150},
    {"a cut and a DEL, CLIENT KILL refused",
     {.tenures = 1, .levels = 2, .cuts = 1, .removals = 1, .may_kill = false},
     nullptr,
     3884758},
    {"bytes after the last sweep", {.cuts = 1, .may_kill = false, .late_for_ever = true}, nullptr, 3089234},
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
    {"a predecessor kill", {.cuts = 1}, forgotten, 6},
    {"the predecessor kill comes first", {.cuts = 1}, forgotten, 6},
    {"a predecessor kill for each predecessor", {.cuts = 2}, forgotten, 9},
    {"the predecessor kill names its target", {.clients = 2, .restarts = 1}, "a predecessor kill meets no stranger", 3},
    {"sweeps", {.cuts = 1, .may_kill = false}, forgotten, 8},
    {"sweeps outlast late bytes", {.cuts = 1, .may_kill = false}, forgotten, 20},
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

bool run_one(scenario<settings> const& one) {
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
    return run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::lock

int main(int argc, char** argv) {
    using namespace model::lock;
    return model::run_all(argc, argv, scenarios, run_one);
}
