// Local hand-off: the waiters of one client hand a lock off among themselves while it stays held in Redis.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "handoff_client.hpp"

namespace model::handoff {
namespace {

// --- the world

bool rival_tries(state& s) {
    if (s.owner != 0) {
        s.rival_waits = true;
        s.rival_woken = false;
        s.rival_timer = s.ttl;
        return true;
    }
    s.owner = rival;
    s.ttl = s.rival_left = lease;
    s.rival_waits = s.rival_woken = false;
    s.rival_timer = 0;
    return true;
}
bool rival_begins(state& s, int) {
    return scope.rival && !s.rival_waits && s.owner != rival && rival_tries(s);
}
bool rival_wakes(state& s, int) {
    return s.rival_waits && (s.rival_woken || s.rival_timer == 0) && rival_tries(s);
}
bool rival_leaves(state& s, int) {
    if (s.owner != rival) return false;
    s.owner = s.ttl = s.rival_left = 0;
    publish(s);
    return true;
}
bool force(state& s, int) {
    if (s.forced == 0 || s.owner == 0 || s.owner == rival) return false;
    --s.forced;
    for (auto& t : s.tenures) t.robbed |= t.serial == s.owner;
    s.owner = s.ttl = 0;
    publish(s);
    return true;
}
bool tick(state& s, int) {
    for (auto const& t : s.tenures)
        if (t.serial != 0 && t.validity == 0) return false; // a process that runs looks at its clock
    if (s.ttl > 0 && --s.ttl == 0) s.owner = 0;
    if (s.rival_left > 0) --s.rival_left;
    if (s.rival_timer > 0) --s.rival_timer;
    auto const age = [](call& one) {
        if ((one.what == acquire && !one.given_up) || one.what == renew)
            one.age = static_cast<u8>(std::min(one.age + 1, lease));
    };
    for (auto& one : s.data) age(one);
    for (auto& t : s.tenures) {
        age(t.renewal);
        if (t.validity > 0) --t.validity;
    }
    for (auto& one : s.waiters)
        if (one.timer > 0) --one.timer;
    return true;
}

constexpr action<state> actions[] = {
    // first what goes on by itself
    {"the server executes", 3, serve},
    {"an answer arrives", 1, receive},
    {"the head looks", 1, look},
    {"takes what it was given", 1, accept},
    {"sees its validity end", 2, notice_end},
    {"releases", 4, leave},
    {"the rival wakes up", 1, rival_wakes},
    {"the rival leaves", 1, rival_leaves},
    {"time passes", 1, tick},
    {"arrives", 4, arrive},
    {"takes it again", 1, retake},
    {"gives up", 4, give_up},
    {"asks for renewal", 2, ask_renewal},
    {"the renewal's answer arrives", 2, receive_renewal},
    {"the renewal is overdue", 2, overdue},
    {"the window ends", 2, window_ends},
    {"the rival tries", 1, rival_begins},
    {"the rival forces it open", 1, force},
};
constexpr std::size_t calm = 9; ///< so many of the actions

// --- what must hold

bool exclusion(state const& s) {
    int holders = s.rival_left > 0 ? 1 : 0;
    for (auto const& t : s.tenures)
        if (t.serial != 0 && t.holder != 0 && t.validity > 0 && !t.robbed) ++holders;
    return holders <= 1;
}
bool told_before_expiry(state const& s) {
    return std::all_of(s.tenures.begin(), s.tenures.end(),
                       [&](tenure const& t) { return t.serial == 0 || t.robbed || t.serial == s.owner; });
}
/// Who believes that he has it has it, and he alone; of what is being handed off the head knows.
bool one_holder(state const& s) {
    for (u8 who = 1; who <= scope.waiters; ++who) {
        auto const has = [&](tenure const& t) { return t.serial != 0 && t.holder == who; };
        bool const believes = s.waiters[who].phase == holding || s.waiters[who].phase == granted;
        if (believes != (std::count_if(s.tenures.begin(), s.tenures.end(), has) == 1)) return false;
    }
    return true;
}
bool somebody_takes_it(state const& s) {
    auto const& head = s.waiters[s.queue[0]];
    bool const awake = s.queue[0] != 0 && (head.phase == queued || head.phase == waiting) && head.told;
    return std::none_of(s.tenures.begin(), s.tenures.end(), [](tenure const& t) { return t.handing_off; }) || awake;
}
bool nothing_forgotten(state const& s) {
    if (s.owner == 0 || s.owner == rival) return true;
    auto const names_it = [&](auto const& one) { return one.serial == s.owner; };
    return std::any_of(s.tenures.begin(), s.tenures.end(), names_it)
           || std::any_of(s.data.begin(), s.data.end(), [&](call const& c) { return names_it(c) && !c.given_up; });
}
bool nobody_contends(state const& s) {
    return !s.contended;
}
bool head_contends(state const& s) { // it relies on something
    auto const& head = s.waiters[s.queue[0]];
    auto const relied_on = [](tenure const& t) { return t.serial != 0 && !t.suspect; }; // its end is about to be seen
    return s.queue[0] == 0 || head.phase != waiting || !head.relies || head.told
           || std::any_of(s.tenures.begin(), s.tenures.end(), relied_on);
}
bool given_is_sound(state const& s) {
    return !s.stale && !s.overdone;
}
bool nobody_overtaken(state const& s) {
    return !s.overtaken;
}
bool others_get_a_turn(state const& s) {
    return !s.turn_taken
           && std::all_of(s.tenures.begin(), s.tenures.end(), [](tenure const& t) { return t.taken_late <= 1; });
}
/// When nothing goes wrong any more, all waiters get the lock one after the other, and nothing stays behind.
bool all_come_through(state const& from) {
    state s = from;
    int ticks = 0;
    for (int steps = 0; steps < 300; ++steps) {
        if (s.queue[0] == 0 && s.owner == 0 && !s.rival_waits && length(s.data) == 0) return true;
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
    {"one holder", one_holder},
    {"what is handed off is taken", somebody_takes_it},
    {"nothing is forgotten", nothing_forgotten},
    {"nobody contends while this process holds", nobody_contends},
    {"the head relies on a sound hold", head_contends},
    {"what is given is sound", given_is_sound},
    {"nobody is overtaken for ever", nobody_overtaken},
    {"others get a turn", others_get_a_turn},
    {"all come through", all_come_through},
};
scenario<settings> const scenarios[] = {
    {"no faults", {.gives_up = false}, nullptr, 3181379},
    {"somebody gives up", {.renews = false}, nullptr, 706788},
    {"first come, first served", {.strict = true}, nullptr, 2575083},
    {"three waiters", {.waiters = 3, .gives_up = false, .renews = false}, nullptr, 598353},
    {"three waiters, somebody gives up",
     {.waiters = 3, .renews = false, .strict = true, .rival = false},
     nullptr,
     707494},
    {"a forced release", {.forced = 1, .gives_up = false, .rival = false}, nullptr, 3244144},
    {"a forced release, somebody gives up", {.forced = 1, .renews = false}, nullptr, 1770503},
    {"a fixed lease", {.fixed = 2}, nullptr, 1332249},
    {"taken again more often", {.retakes = 3, .renews = false}, nullptr, 730272},
    {"nobody asks while this process holds", {}, "nobody contends while this process holds", 6},
    {"only a sound tenure is handed off", {}, "what is given is sound", 10},
    {"only to who wants it renewed", {.fixed = 2}, "what is given is sound", 7},
    {"only what is renewed is handed off", {.fixed = 1}, "what is given is sound", 6},
    {"only to who has no call under way", {.forced = 1}, "nothing is forgotten", 16},
    {"whoever leaves hands it off", {}, "one holder", 9},
    {"a window ends", {.waiters = 3, .renews = false}, "others get a turn", 9},
    {"yields after a window", {.waiters = 3, .renews = false}, "others get a turn", 10},
    {"who was woken in vain is next", {.retakes = 2, .renews = false}, "nobody is overtaken for ever", 10},
    {"taken again so often only", {}, "nobody is overtaken for ever", 9},
    {"a loss is told to whoever holds then", {.forced = 1}, "one holder", 11},
    {"a loss wakes the head", {}, "the head relies on a sound hold", 9},
    {"a suspect hold wakes the head", {}, "the head relies on a sound hold", 8},
    {"what is lost is reaped", {}, "nothing is forgotten", 7},
};

std::string show(state const& s) {
    static char const* const phases[] = {"out", "queued", "trying", "waiting", "granted", "holding"};
    auto text = "key " + std::to_string(s.owner) + " ttl " + std::to_string(s.ttl);
    for (auto const& t : s.tenures)
        if (t.serial != 0) {
            text += " [" + std::to_string(t.serial) + " valid " + std::to_string(t.validity);
            text += t.handing_off ? " handing off" : " of " + std::to_string(t.holder);
            text.append(t.suspect ? " suspect" : "").append(t.over ? " over" : "").append("]");
        }
    for (int who = 1; who <= scope.waiters; ++who) {
        auto const& one = s.waiters[static_cast<std::size_t>(who)];
        text.append(" | ").append(phases[one.phase]).append(one.told ? " told" : "").append(one.moved ? " moved" : "");
        text.append(one.missed ? " missed" : "").append(one.told_to_yield ? " yields" : "");
    }
    for (auto const& one : s.data)
        if (one.what != none)
            text += (one.what == acquire ? " acquire" : " release") + std::to_string(one.serial)
                    + (one.answer == 0   ? ""
                       : one.answer == 1 ? "+"
                                         : "-");
    return text;
}
bool run_one(scenario<settings> const& one) {
    scope = one.where;
    state first;
    first.forced = scope.forced;
    return model::run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::handoff

int main(int argc, char** argv) {
    using namespace model::handoff;
    return model::run_all(argc, argv, scenarios, run_one);
}
