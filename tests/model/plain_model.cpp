// Locks without scripts: RESTORE takes a free lock, HDEL and PUBLISH release it, beside the scripts of Redisson and our own.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "plain_client.hpp"

namespace model::plain {
namespace {

// --- the world

void rob(state& s, bool silent) {
    for (int who = 0; who < scope.clients; ++who) {
        auto& c = s.clients[who];
        if (c.phase != idle && s.owner == id_of(who, c.serial)) c.robbed = true;
    }
    s.rival_left = 0;
    become_free(s, silent);
}
bool remove(state& s, int) {
    if (s.removals == 0 || s.owner == 0) return false;
    --s.removals;
    rob(s, true);
    return true;
}
bool force(state& s, int) { // Redisson's forceUnlock: DEL and PUBLISH in one script
    if (s.forced == 0 || s.owner == 0) return false;
    --s.forced;
    rob(s, false);
    publish(s);
    return true;
}
bool tick(state& s, int) {
    for (auto const& c : s.clients)
        if (c.phase == held && c.validity == 0) return false; // a process that runs looks at its clock
    if (s.ttl > 0 && s.ttl != never && --s.ttl == 0) become_free(s, true);
    if (s.rival_left > 0) --s.rival_left;
    if (s.rival_timer > 0) --s.rival_timer;
    auto const age = [](call& one) {
        bool const counts = !one.given_up && (one.what == take || one.what == acquire || one.what == renew);
        if (counts) one.age = static_cast<u8>(std::min(one.age + 1, lease));
    };
    for (auto& c : s.clients) {
        if (c.validity > 0) --c.validity;
        if (c.timer > 0) --c.timer;
        for (auto& one : c.data.flow) age(one);
        age(c.renewal);
        for (auto& one : c.former)
            if (size(one.flow) > 0 && ++one.age > longest_delay) one.flow = {};
        for (int serial = 1; serial <= scope.tenures; ++serial)
            if (c.reaper[serial] == later) {
                c.reaper[serial] = due;
                --c.sweeps[serial];
            }
    }
    return true;
}
bool rival_tries(state& s) {
    bool const mine = s.owner == rival;
    if (mine ? s.n >= 2 : s.owner != 0) {
        s.rival_timer = s.ttl;
        s.rival_woken = false;
        s.rival_waits = !mine;
        return !mine;
    }
    s.owner = rival;
    ++s.n;
    s.ttl = s.rival_left = lease;
    s.rival_waits = s.rival_woken = false;
    s.rival_timer = 0;
    return true;
}
bool rival_begins(state& s, int) {
    return scope.rival && !s.rival_waits && (s.rival_left == 0 || s.owner == rival) && rival_tries(s);
}
bool rival_wakes(state& s, int) {
    return s.rival_waits && (s.rival_woken || s.rival_timer == 0) && rival_tries(s);
}
bool rival_renews(state& s, int) {
    if (s.owner != rival || s.ttl == lease) return false;
    s.ttl = s.rival_left = lease;
    return true;
}
bool rival_leaves(state& s, int) {
    if (s.owner != rival) return false;
    if (--s.n == 0) {
        s.rival_left = 0;
        become_free(s, false);
        publish(s);
    } else {
        s.ttl = s.rival_left = lease;
    }
    return true;
}

constexpr action<state> actions[] = {
    // first what goes on by itself
    {"the server executes", 4, serve},
    {"an answer arrives", 2, receive},
    {"reaps", 8, reap_one},
    {"tries again", 2, try_again},
    {"the rival wakes up", 1, rival_wakes},
    {"sees its validity end", 2, notice_end},
    {"releases", 2, leave},
    {"the rival leaves", 1, rival_leaves},
    {"time passes", 1, tick},
    {"late bytes run", 4, late_bytes},
    {"the server refuses", 2, refuse},
    {"begins", 2, begin},
    {"gives up", 4, give_up},
    {"asks for renewal", 2, ask_renewal},
    {"the renewal's answer arrives", 2, receive_renewal},
    {"its connection breaks", 2, cut},
    {"crashes", 2, crash},
    {"somebody deletes the key", 1, remove},
    {"the rival forces it open", 1, force},
    {"the rival tries", 1, rival_begins},
    {"the rival renews", 1, rival_renews},
};
constexpr std::size_t calm = 9; ///< so many of the actions

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
    bool const releasing = std::any_of(c.data.flow.begin(), c.data.flow.end(), [&](call const& one) {
        return one.serial == serial && (is_pair(one) || one.what == reap);
    });
    return c.crashed || (c.phase != idle && c.serial == serial) || releasing
           || (c.reaper[serial] != no_entry
               && (c.remains[serial] != message || (c.late_copy_possible & bit(serial)) != 0));
}
bool ids_are_fresh(state const& s) {
    return std::all_of(std::begin(s.clients), std::end(s.clients),
                       [](client const& c) { return c.phase == idle || ((c.released | c.lost) & bit(c.serial)) == 0; });
}
bool every_key_ends(state const& s) {
    return s.owner == 0 || s.ttl <= lease;
}
bool message_owed(client const& c) {
    bool const under_way = std::any_of(c.data.flow.begin(), c.data.flow.end(), [](call const& one) {
        bool const swept = one.repeated && !scope.may_kill && on("sweeps take the message along");
        return (is_pair(one) || one.what == announce) && (one.answer != yes || swept);
    });
    bool const remembered = std::any_of(std::begin(c.reaper), std::end(c.reaper), [&](u8 const& entry) {
        return entry != no_entry && c.remains[&entry - c.reaper] != release;
    });
    return under_way || remembered;
}
bool no_wakeup_is_lost(state const& s) {
    if (s.owner != 0 || s.silent) return true;
    bool sleeps = s.rival_waits && !s.rival_woken && s.rival_timer > 0;
    for (auto const& c : s.clients) sleeps |= c.phase == waiting && !c.woken && c.timer > 0;
    return !sleeps || message_owed(s.clients[0]) || message_owed(s.clients[1]);
}
bool at_rest(state const& s) {
    return s.owner == 0 && !s.rival_waits
           && std::all_of(std::begin(s.clients), std::end(s.clients), [](client const& c) {
                  bool const reaped =
                      std::all_of(std::begin(c.reaper), std::end(c.reaper), [](u8 it) { return it == no_entry; });
                  return c.phase == idle && size(c.data.flow) == 0 && reaped;
              });
}
/// When nothing goes wrong any more, everybody who waits gets the lock, and nothing stays behind.
bool all_come_through(state const& from) {
    state s = from;
    for (auto& c : s.clients)
        for (auto& one : c.former) one.flow = {};
    int ticks = 0;
    for (int steps = 0; steps < 300; ++steps) {
        if (at_rest(s)) return true;
        bool moved = false;
        for (std::size_t i = 0; i < calm && !moved; ++i)
            for (int variant = actions[i].variants; variant-- > 0 && !moved;) {
                moved = actions[i].act(s, variant);
                if (moved && actions[i].act == tick && ++ticks > 2 * lease) return false;
            }
        if (!moved) return false;
    }
    return false;
}

constexpr invariant<state> invariants[] = {
    {"exclusion", exclusion},
    {"a loss is told before the key expires", told_before_expiry},
    {"nothing is forgotten", nothing_forgotten},
    {"ids are fresh", ids_are_fresh},
    {"every key ends", every_key_ends},
    {"no wake-up is lost", no_wakeup_is_lost},
    {"all come through", all_come_through},
};
constexpr auto exclusive = "exclusion", forgotten = "nothing is forgotten", asleep = "no wake-up is lost";
scenario<settings> const scenarios[] = {
    {"no faults", {}, nullptr, 785875},
    {"a cut", {.cuts = 1, .renews = false}, nullptr, 2906191},
    {"a cut and renewals", {.tenures = 1, .cuts = 1}, nullptr, 197630},
    {"two cuts", {.tenures = 1, .cuts = 2}, nullptr, 1074305},
    {"a cut, CLIENT KILL refused", {.tenures = 1, .cuts = 1, .may_kill = false}, nullptr, 494454},
    {"two cuts, CLIENT KILL refused", {.tenures = 1, .cuts = 2, .may_kill = false, .renews = false}, nullptr, 2594373},
    {"a cut and an error", {.tenures = 1, .cuts = 1, .errors = 1}, nullptr, 595089},
    {"two errors", {.tenures = 1, .errors = 2}, nullptr, 88136},
    {"a cut and a DEL", {.tenures = 1, .cuts = 1, .removals = 1}, nullptr, 495549},
    {"a cut and a forced release", {.tenures = 1, .cuts = 1, .forced = 1}, nullptr, 436788},
    {"a cut and a crash", {.tenures = 1, .cuts = 1, .crashes = 1}, nullptr, 222813},
    {"no right to publish", {.cuts = 1, .may_publish = false, .renews = false}, nullptr, 2899499},
    {"RESTORE refused", {.cuts = 1, .may_restore = false, .renews = false}, nullptr, 2277987},
    {"two clients, a cut", {.clients = 2, .tenures = 1, .cuts = 1, .rival = false, .renews = false}, nullptr, 1165629},
    {"two clients and a rival", {.clients = 2, .tenures = 1, .renews = false}, nullptr, 955594},
    {"a fresh id for each tenure", {.cuts = 1}, exclusive, 13},
    {"RESTORE replaces nothing", {}, exclusive, 4},
    {"HDEL names its owner", {.cuts = 1}, exclusive, 14},
    {"HDEL comes before PUBLISH", {}, asleep, 7},
    {"the lease comes with the key", {}, "every key ends", 2},
    {"BUSYKEY denies no earlier copy", {.cuts = 1}, forgotten, 8},
    {"BUSYKEY is followed by a script", {}, "all come through", 2},
    {"a message without an answer is sent again", {.cuts = 1}, asleep, 8},
    {"a release that was given up takes its message along", {.cuts = 1}, asleep, 8},
    {"sweeps take the message along", {.tenures = 1, .cuts = 2, .may_kill = false, .renews = false}, asleep, 14},
    {"a predecessor kill", {.cuts = 1}, forgotten, 6},
    {"sweeps", {.cuts = 1, .may_kill = false}, forgotten, 8},
};

std::string show(calls const& of) {
    static char const* const names[] = {"",        "RESTORE", "acquire", "HDEL+PUBLISH", "release", "HDEL+PUBLISH",
                                        "PUBLISH", "renew",   "kill"};
    static char const* const answers[] = {"", ":yes", ":no", ":error"};
    std::string text;
    for (auto const& one : of)
        if (one.what != nothing)
            text.append(one.given_up ? " ~" : " ").append(names[one.what]).append(answers[one.first]) +=
                answers[one.answer];
    return text;
}
std::string show(state const& s) {
    static char const* const phases[] = {"idle", "acquiring", "waiting", "held"};
    auto text = "key " + std::to_string(s.owner) + " ttl " + std::to_string(s.ttl);
    if (s.rival_waits)
        text += s.rival_woken ? " (rival woken)" : " (rival waits " + std::to_string(s.rival_timer) + ")";
    for (auto const& c : s.clients) {
        if (c.crashed && size(c.former[0].flow) == 0) continue;
        text.append(" | ").append(phases[c.phase]) += " " + std::to_string(c.serial);
        text.append(c.woken ? " woken" : "").append(";").append(show(c.data.flow));
        if (auto const late = show(c.former[0].flow) + show(c.former[1].flow); !late.empty()) text += "; late:" + late;
        if (c.renewal.what != nothing) text += "; renewal" + show(calls{c.renewal});
    }
    return text;
}

bool run_one(scenario<settings> const& one) {
    scope = one.where;
    state first;
    for (int who = scope.clients; who < 2; ++who) first.clients[who].crashed = true;
    first.cuts = scope.cuts;
    first.errors = scope.errors;
    first.removals = scope.removals;
    first.forced = scope.forced;
    first.crashes = scope.crashes;
    return run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::plain

int main(int argc, char** argv) {
    using namespace model::plain;
    return model::run_all(argc, argv, scenarios, run_one);
}
