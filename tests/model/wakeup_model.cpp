// Waiting for a lock: samples, subscriptions, the local queue and its hand-off, and what can go wrong around them.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "wakeup_state.hpp"

namespace model::wakeup {
namespace {

// --- a waiter

void submit(state& s, call what) {
    if (what.what == acquire && s.owner == 0 && !acquire_open(s)) s.window = true;
    s.data[length(s.data)] = what;
}
void wait(state& s, waiter& one, int ticks) {
    one.phase = waiting;
    one.timer = static_cast<u8>(ticks);
    refer(s, one);
    if (!one.was_subscribed) ask(s);
}
bool attempt(state& s, u8 who) {
    auto& one = s.waiters[who];
    if (!room(s, 2)) return false;
    one.phase = trying;
    one.released = false;
    if (one.refers && on("a sample before every attempt")) sample(s, one);
    submit(s, {acquire, who});
    return true;
}
void leave_queue(state& s, u8 who, bool tell_next) {
    auto& one = s.waiters[who];
    leave_channel(s, one);
    s.rested |= one.told_to_yield; // it takes its turn with it
    s.free_for = 0;
    one = {};
    auto const at = std::find(s.queue.begin(), s.queue.end(), who);
    bool const was_head = at == s.queue.begin();
    std::move(at + 1, s.queue.end(), at);
    s.queue.back() = 0;
    if (was_head && s.queue[0] != 0 && tell_next) s.waiters[s.queue[0]].told = true;
}
bool arrive(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    bool const releasing = std::any_of(s.data.begin(), s.data.end(), [&](call const& c) { return c.who == who; });
    if (who == 0 || who > scope.waiters || one.phase != out || releasing) return false;
    one.phase = queued;
    one.told = s.queue[0] == 0;
    s.queue[length(s.queue)] = static_cast<u8>(who);
    return true;
}
bool yield(state& s, waiter& one) {
    s.rested = true;
    one.released = one.told_to_yield = false;
    one.moved = one.peek_moved;
    one.was_subscribed = one.peek_subscribed;
    one.peek_moved = one.peek_subscribed = false;
    wait(s, one, on("yields for a short time only") ? yield_pause : lease);
    return true;
}
bool become_head(state& s, int contended) { // by the time it has waited, or by what it knows
    auto const who = s.queue[0];
    auto& one = s.waiters[who];
    if (who == 0 || one.phase != queued || !one.told || (contended == 0 && holds_here(s))) return false;
    if (one.released && one.told_to_yield && on("yields also as a new head")) return yield(s, one);
    if (contended == 1) {
        refer(s, one);
        sample(s, one);
    }
    if (!holds_here(s)) return attempt(s, who);
    wait(s, one, lease);
    return true;
}
bool wake(state& s, int) {
    auto const who = s.queue[0];
    auto& one = s.waiters[who];
    if (who == 0 || one.phase != waiting || !(one.moved || one.released || one.timer == 0)) return false;
    if (!one.released || !one.told_to_yield) return attempt(s, who);
    return yield(s, one);
}
bool receive(state& s, int) {
    if (s.data[0].answer == 0) return false;
    auto const got = take_first(s.data);
    auto& one = s.waiters[got.who];
    if (got.what != acquire || got.given_up) return true;
    if (got.answer == 1) {
        leave_queue(s, got.who, true);
        one.phase = holding;
        return true;
    }
    if (!one.refers) one.moved = s.channel == subscribed; // its sample is that of a channel without messages
    if (!on("a sample before every attempt")) sample(s, one);
    wait(s, one, on("a waiter asks again when the lease has run out") ? std::max<int>(got.left, 1) : never);
    return true;
}
void tell_head(state& s, bool told_to_yield) {
    if (s.queue[0] == 0) return;
    auto& head = s.waiters[s.queue[0]];
    head.released = true;
    head.told_to_yield = told_to_yield;
    head.peek_moved = false; // sampled just before the release
    head.peek_subscribed = told_to_yield && s.channel == subscribed;
}
bool give_back(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (one.phase != holding || !room(s, 3)) return false;
    one = {};
    bool told_to_yield = false;
    if (s.queue[0] != 0) told_to_yield = ++s.head_wakes > most_head_wakes && on("yields after some hand-offs");
    if (s.queue[0] == 0 || s.head_wakes > most_head_wakes) s.head_wakes = 0;
    submit(s, {release, static_cast<u8>(who), 0, 0, s.queue[0] == 0});
    tell_head(s, told_to_yield);
    return true;
}
bool lose(state& s, int who) { // its renewals failed, or found somebody else
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (one.phase != holding || s.losses == 0 || !room(s, 3)) return false;
    --s.losses;
    one = {};
    submit(s, {release, static_cast<u8>(who), 0, 0, true});
    if (on("a lost hold wakes the head")) tell_head(s, false);
    return true;
}
bool give_up(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (!scope.gives_up || one.phase == out || one.phase == holding || !room(s, 2)) return false;
    if (one.phase == trying) {
        for (auto& each : s.data)
            if (each.what == acquire && each.who == who) each.given_up = true;
        submit(s, {release, static_cast<u8>(who), 0, 0, true});
    }
    leave_queue(s, static_cast<u8>(who), on("whoever leaves wakes the next"));
    return true;
}

// --- the world

bool rival_takes(state& s, int) {
    if (!scope.rival || s.owner != 0) return false;
    s.owner = rival;
    s.ttl = lease;
    s.in_a_row = s.free_for = 0;
    return true;
}
bool rival_leaves(state& s, int) {
    if (s.owner != rival || s.rival_dead || length(s.to_client) == s.to_client.size()) return false;
    becomes_free(s, true);
    return true;
}
bool rival_dies(state& s, int) {
    if (s.owner != rival || s.crashes == 0) return false;
    --s.crashes;
    return s.rival_dead = true;
}
bool remove(state& s, int) {
    if (s.removals == 0 || s.owner == 0) return false;
    --s.removals;
    becomes_free(s, false);
    return true;
}
bool tick(state& s, int);

constexpr action<state> actions[] = {
    // first what happens at once: time does not pass before it
    {"the server executes", 1, serve},
    {"an answer arrives", 1, receive},
    {"the server reads (pub/sub)", 1, server_reads},
    {"the client reads (pub/sub)", 1, client_reads},
    {"the head wakes up", 1, wake},
    {"the next one becomes head", 2, become_head},
    {"releases", 4, give_back},
    {"reconnects (pub/sub)", 1, reconnect},
    {"the rival leaves", 1, rival_leaves},
    {"time passes", 1, tick},
    {"arrives", 4, arrive},
    {"gives up", 4, give_up},
    {"its hold is lost", 4, lose},
    {"the channel is given up", 1, end_linger},
    {"the pub/sub connection breaks", 1, cut},
    {"the rival takes it", 1, rival_takes},
    {"the rival dies", 1, rival_dies},
    {"somebody deletes the key", 1, remove},
};
constexpr std::size_t at_once = 6, calm = 10; ///< so many of the actions

bool tick(state& s, int) {
    for (std::size_t i = 0; i < at_once; ++i)
        for (int variant = 0; variant < actions[i].variants; ++variant)
            if (state copy = s; actions[i].act(copy, variant)) return false;
    bool const renewed =
        (s.owner == rival && !s.rival_dead) || (s.owner != 0 && s.waiters[s.owner % rival].phase == holding);
    if (s.owner == 0 && s.queue[0] != 0) s.free_for = static_cast<u8>(std::min(s.free_for + 1, longest_sleep + 1));
    if (!renewed && s.ttl > 0 && --s.ttl == 0) becomes_free(s, false);
    for (auto& one : s.waiters)
        if (one.timer > 0 && one.timer != never) --one.timer;
    return true;
}

// --- what must hold

bool no_wakeup_is_lost(state const& s) {
    auto const& head = s.waiters[s.queue[0]];
    if (s.owner != 0 || s.silent || s.queue[0] == 0 || holds_here(s)) return true;
    if (head.phase == queued) return head.told;
    bool const comes =
        !s.up || has(s.to_client, published) || has(s.to_client, subscribe) || has(s.to_server, subscribe);
    return head.phase != waiting || head.moved || head.released || head.timer <= yield_pause || comes;
}
bool nobody_sleeps_beyond_the_lease(state const& s) {
    return s.free_for <= longest_sleep;
}
bool others_get_a_turn(state const& s) {
    return s.in_a_row <= most_head_wakes;
}
/// When nothing goes wrong any more, all waiters get the lock one after the other, and nothing stays behind.
bool all_come_through(state const& from) {
    state s = from;
    int ticks = 0;
    for (int steps = 0; steps < 300; ++steps) {
        if (s.queue[0] == 0 && s.owner == 0 && length(s.data) == 0) return true;
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
    {"no wake-up is lost", no_wakeup_is_lost},
    {"nobody sleeps beyond the lease", nobody_sleeps_beyond_the_lease},
    {"others get a turn", others_get_a_turn},
    {"all come through", all_come_through},
};
scenario<settings> const scenarios[] = {
    {"no faults", {}, nullptr, 238314},
    {"a cut", {.cuts = 1}, nullptr, 488983},
    {"three waiters", {.waiters = 3, .gives_up = false}, nullptr, 325836},
    {"a crash and a DEL", {.removals = 1, .crashes = 1}, nullptr, 2475053},
    {"a loss", {.losses = 1}, nullptr, 495436},
    {"no right to publish", {.may_publish = false}, nullptr, 339560},
    {"a sample before every attempt", {}, "no wake-up is lost", 12},
    {"yields for a short time only", {}, "no wake-up is lost", 20},
    {"a lost hold wakes the head", {.removals = 1, .losses = 1}, "no wake-up is lost", 15},
    {"yields also as a new head", {.waiters = 3}, "others get a turn", 16},
    {"a confirmation counts as a message", {.cuts = 1}, "no wake-up is lost", 8},
    {"confirmations match in order", {}, "no wake-up is lost", 21},
    {"not subscribed from UNSUBSCRIBE on", {}, "no wake-up is lost", 12},
    {"whoever leaves wakes the next", {}, "all come through", 3},
    {"yields after some hand-offs", {.waiters = 3}, "others get a turn", 16},
    {"a waiter asks again when the lease has run out", {.removals = 1}, "nobody sleeps beyond the lease", 16},
};

std::string show(state const& s) {
    static char const* const phases[] = {"out", "queued", "trying", "waiting", "holding"};
    static char const* const channels[] = {"idle", "asked", "subscribed"};
    auto text = "owner " + std::to_string(s.owner) + " channel " + channels[s.channel] + (s.lingers ? "~" : "");
    text += " >" + std::to_string(length(s.to_server)) + " <" + std::to_string(length(s.to_client))
            + (s.listening ? " listening" : "");
    for (int who = 1; who <= scope.waiters; ++who) {
        auto const& one = s.waiters[static_cast<std::size_t>(who)];
        text.append(" | ")
            .append(phases[one.phase])
            .append(one.moved ? " moved" : "")
            .append(one.released ? " released" : "");
        text.append(one.told_to_yield ? " yields" : "") += " " + std::to_string(one.timer);
    }
    for (auto const& one : s.data)
        if (one.what != none)
            text += std::string(one.what == acquire ? " acquire" : " release") + std::to_string(one.who)
                    + (one.answer == 0   ? ""
                       : one.answer == 1 ? "+"
                                         : "-");
    return text;
}
bool run_one(scenario<settings> const& one) {
    scope = one.where;
    state first;
    first.cuts = scope.cuts;
    first.removals = scope.removals;
    first.crashes = scope.crashes;
    first.losses = scope.losses;
    return run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::wakeup

int main(int argc, char** argv) {
    using namespace model::wakeup;
    return model::run_all(argc, argv, scenarios, run_one);
}
