// The queue of fair locks (lua/fair_*.lua): order, places that are given up, waiters that die, messages.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "runner.hpp"

#include <array>
#include <string>

namespace model::fair {
namespace {

using u8 = unsigned char;

struct settings {
    int waiters = 2; ///< each in a process of its own
    u8 deaths = 0, losses = 0;
    bool gives_up = true;
};
settings scope;
/// Ticks. A waiter that does not ask keeps its place for so long, and asks each quarter of that.
constexpr u8 lease = 2, patience = 4, quarter = 1, no_time = 0;
constexpr u8 most_time = 3 * patience; ///< of the last one of three

enum phase : u8 { out, trying, asleep, holding, dead };
enum subscription : u8 { none, requested, subscribed };
enum call : u8 { nothing, acquire, release };
struct waiter {
    u8 phase = out, timer = 0, subscription = none;
    bool told = false;         ///< something was heard, or the subscription confirmed, since it asked last
    bool message = false;      ///< on its way
    std::array<u8, 2> calls{}; ///< on its connection, not executed yet
    bool answered = false;     ///< the answer to its acquire is on its way
    u8 answer = 0, left = 0;   ///< 1: acquired, 2: to ask again when `left` is over
    bool wants = false;        ///< and has not given up
    bool came_before[4]{};     ///< who was queued when it got its place
};
struct state {
    u8 owner = 0, ttl = 0, free_for = 0;
    bool silent = false; ///< it became free without a message
    std::array<u8, 4> queue{}, time{};
    std::array<waiter, 4> waiters{};
    u8 deaths = 0, losses = 0;
    bool overtaken = false; ///< a free lock went past one that lives and was before
    bool dropped = false;   ///< one that lives was passed over
};

std::size_t place(state const& s, u8 who) {
    return static_cast<std::size_t>(std::find(s.queue.begin(), s.queue.end(), who) - s.queue.begin());
}
std::size_t queued(state const& s) {
    return place(s, 0);
}
bool is_queued(state const& s, u8 who) {
    return place(s, who) < s.queue.size();
}
void leave(state& s, u8 who) {
    auto const at = s.queue.begin() + static_cast<std::ptrdiff_t>(place(s, who));
    std::move(at + 1, s.queue.end(), at);
    s.queue.back() = 0;
    s.time[who] = no_time;
    for (auto& other : s.waiters) other.came_before[who] = false;
}
bool lives(state const& s, u8 who) {
    return s.waiters[who].phase != dead && s.waiters[who].wants;
}

// --- the server

void pass_over_the_dead(state& s) {
    while (s.queue[0] != 0 && s.time[s.queue[0]] == no_time && on("the dead are passed over")) {
        s.dropped |= lives(s, s.queue[0]);
        leave(s, s.queue[0]);
    }
}
void shorten(state& s, u8 who) {
    s.time[who] = static_cast<u8>(s.time[who] > patience ? s.time[who] - patience : no_time);
}
void tell_first(state& s) {
    if (s.queue[0] == 0) return;
    auto& first = s.waiters[s.queue[0]];
    first.message |= first.subscription == subscribed;
}
void take(state& s, u8 who) {
    for (u8 other = 1; other < s.waiters.size(); ++other)
        s.overtaken |= is_queued(s, other) && other != who && lives(s, other)
                       && (!is_queued(s, who) || s.waiters[who].came_before[other]);
    if (is_queued(s, who)) leave(s, who);
    for (u8 other = 1; other < s.waiters.size(); ++other)
        if (is_queued(s, other)) shorten(s, other);
    s.owner = who;
    s.ttl = lease;
    s.free_for = 0;
    s.silent = false;
}
void execute_acquire(state& s, u8 who) {
    auto& one = s.waiters[who];
    if (is_queued(s, who) && on("who asks has its time again"))
        s.time[who] = std::max(s.time[who], static_cast<u8>((place(s, who) + 1) * patience));
    pass_over_the_dead(s);
    one.answered = true;
    one.answer = 1;
    one.left = 0;
    if (s.owner == 0 && (s.queue[0] == 0 || s.queue[0] == who || !on("only the first takes a free lock")))
        return take(s, who);
    if (s.owner == who) return;
    one.answer = 2;
    if (!is_queued(s, who)) {
        for (u8 other = 1; other < s.waiters.size(); ++other) one.came_before[other] = is_queued(s, other);
        s.time[who] = static_cast<u8>((queued(s) + 1) * patience);
        s.queue[queued(s)] = who;
    }
    one.left = s.owner != 0 ? s.ttl : s.time[s.queue[0]];
}
void execute_release(state& s, u8 who) {
    bool const held = s.owner == who;
    bool const waited = is_queued(s, who);
    if (held) {
        s.owner = s.ttl = s.free_for = 0;
    }
    if (waited) {
        for (auto at = place(s, who) + 1; at < queued(s); ++at) shorten(s, s.queue[at]);
        leave(s, who);
    }
    if (s.owner != 0 || (!held && !waited)) return;
    pass_over_the_dead(s);
    if (held ? on("a release tells the first") : on("whoever leaves tells the next one")) tell_first(s);
}
bool serve(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    auto const what = one.calls[0];
    if (who == 0 || what == nothing || (what == acquire && one.answered)) return false;
    one.calls = {one.calls[1], nothing};
    if (what == acquire)
        execute_acquire(s, static_cast<u8>(who));
    else
        execute_release(s, static_cast<u8>(who));
    return true;
}
bool confirm(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (one.subscription != requested || one.phase == dead) return false;
    one.subscription = subscribed;
    one.told |= on("a confirmation counts as a message");
    return true;
}

// --- a waiter

bool submit(waiter& one, u8 what) {
    if (one.calls[1] != nothing) return false;
    one.calls[one.calls[0] == nothing ? 0 : 1] = what;
    return true;
}
bool arrive(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (who == 0 || who > scope.waiters || one.phase != out || one.calls[0] != nothing || one.answered) return false;
    one = {};
    one.phase = trying;
    one.wants = true;
    return submit(one, acquire);
}
bool receive(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (!one.answered) return false;
    one.answered = false;
    if (one.phase != trying) return true; // given up, or dead
    if (one.answer == 1) {
        one.phase = holding;
        one.wants = false;
        one.subscription = none;
        one.told = one.message = false;
        return true;
    }
    one.phase = asleep;
    one.timer = on("a waiter asks each quarter of its time") ? std::min(one.left, quarter) : one.left;
    if (one.timer == 0) one.timer = 1;
    if (one.subscription == none) one.subscription = requested;
    return true;
}
bool hear(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (!one.message) return false;
    one.message = false;
    one.told |= one.phase == asleep || one.phase == trying;
    return true;
}
bool wake(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (one.phase != asleep || !(one.told || one.timer == 0) || !submit(one, acquire)) return false;
    one.phase = trying;
    one.told = false;
    return true;
}
bool give_up(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (!scope.gives_up || (one.phase != asleep && one.phase != trying)) return false;
    if (on("whoever gives up leaves the queue") && !submit(one, release)) return false;
    one.phase = out;
    one.wants = one.told = one.message = false;
    one.subscription = none;
    return true;
}
bool give_back(state& s, int who) {
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (one.phase != holding || !submit(one, release)) return false;
    one.phase = out;
    return true;
}

// --- the world

bool die(state& s, int who) { // what it has written is still executed
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (s.deaths == 0 || one.phase == out || one.phase == dead) return false;
    --s.deaths;
    one.phase = dead;
    one.wants = one.told = one.message = false;
    one.subscription = none;
    return true;
}
bool lose_message(state& s, int who) { // a user who may not publish, or a connection that broke and came back
    auto& one = s.waiters[static_cast<std::size_t>(who)];
    if (s.losses == 0 || !one.message) return false;
    --s.losses;
    one.message = false;
    s.silent = true;
    return true;
}
bool tick(state& s, int);

constexpr action<state> actions[] = {
    // first what happens at once: time does not pass before it
    {"the server executes", 4, serve},
    {"an answer arrives", 4, receive},
    {"a subscription is confirmed", 4, confirm},
    {"a message arrives", 4, hear},
    {"a waiter asks again", 4, wake},
    {"releases", 4, give_back},
    {"time passes", 1, tick},
    {"arrives", 4, arrive},
    {"gives up", 4, give_up},
    {"dies", 4, die},
    {"a message is lost", 4, lose_message},
};
constexpr std::size_t at_once = 5, calm = 7; ///< so many of the actions

bool tick(state& s, int) {
    for (std::size_t i = 0; i < at_once; ++i)
        for (int variant = 0; variant < actions[i].variants; ++variant)
            if (state copy = s; actions[i].act(copy, variant)) return false;
    bool const renewed = s.owner != 0 && s.waiters[s.owner].phase == holding;
    if (!renewed && s.ttl > 0 && --s.ttl == 0) {
        s.owner = s.free_for = 0;
        s.silent = true;
    }
    bool wanted = false;
    for (u8 who = 1; who < s.waiters.size(); ++who) wanted |= lives(s, who);
    s.free_for = s.owner == 0 && wanted ? static_cast<u8>(std::min(s.free_for + 1, most_time + 2)) : u8{0};
    for (auto& left : s.time)
        if (left > 0) --left;
    for (auto& one : s.waiters)
        if (one.timer > 0) --one.timer;
    return true;
}

// --- what must hold

bool first_come_first_served(state const& s) {
    return !s.overtaken;
}
bool who_lives_keeps_its_place(state const& s) {
    return !s.dropped;
}
bool no_wakeup_is_lost(state const& s) {
    auto const& first = s.waiters[s.queue[0]];
    if (s.owner != 0 || s.silent || s.queue[0] == 0 || first.phase != asleep) return true;
    return first.told || first.message || first.subscription == requested || first.timer == 0;
}
/// A free lock waits for a dead one no longer than for its time, and then for the next one to ask.
bool the_dead_cost_their_time_at_most(state const& s) {
    return s.free_for <= (scope.deaths > 0 ? patience * scope.deaths : 0) + quarter;
}
bool nothing_stays_behind(state const& s) {
    for (u8 who = 1; who < s.waiters.size(); ++who)
        if (is_queued(s, who) && s.waiters[who].phase == out && s.waiters[who].calls[0] == nothing) return false;
    return true;
}
/// When nothing goes wrong any more, all waiters get the lock one after the other.
bool all_come_through(state const& from) {
    state s = from;
    for (int steps = 0; steps < 400; ++steps) {
        bool const waits = std::any_of(s.waiters.begin(), s.waiters.end(), [](waiter const& one) {
            return one.phase == trying || one.phase == asleep || one.phase == holding;
        });
        if (!waits) return true;
        bool moved = false;
        for (std::size_t i = 0; i < calm && !moved; ++i)
            for (int variant = 0; variant < actions[i].variants && !moved; ++variant)
                moved = actions[i].act(s, variant);
        if (!moved) return false;
    }
    return false;
}
constexpr invariant<state> invariants[] = {
    {"first come, first served", first_come_first_served},
    {"who lives keeps its place", who_lives_keeps_its_place},
    {"no wake-up is lost", no_wakeup_is_lost},
    {"the dead cost their time at most", the_dead_cost_their_time_at_most},
    {"nothing stays behind", nothing_stays_behind},
    {"all come through", all_come_through},
};
scenario<settings> const scenarios[] = {
    {"no faults", {}, nullptr, 4938},
    {"three waiters", {.waiters = 3, .gives_up = false}, nullptr, 81754},
    {"a death", {.deaths = 1}, nullptr, 9150},
    {"a death among three", {.waiters = 3, .deaths = 1, .gives_up = false}, nullptr, 317887},
    {"a lost message", {.losses = 1}, nullptr, 17960},
    {"three waiters that give up", {.waiters = 3}, nullptr, 851268},
    {"only the first takes a free lock", {.waiters = 3}, "first come, first served", 8},
    {"who asks has its time again", {.waiters = 3}, "who lives keeps its place", 25},
    {"a waiter asks each quarter of its time", {.losses = 1}, "the dead cost their time at most", 15},
    {"a release tells the first", {}, "no wake-up is lost", 11},
    {"whoever leaves tells the next one", {.waiters = 3}, "no wake-up is lost", 15},
    {"a confirmation counts as a message", {}, "no wake-up is lost", 8},
    {"whoever gives up leaves the queue", {}, "nothing stays behind", 5},
    {"the dead are passed over", {.deaths = 1}, "all come through", 9},
};

std::string show(state const& s) {
    static char const* const phases[] = {"out", "trying", "asleep", "holding", "dead"};
    auto text = "owner " + std::to_string(s.owner) + " for " + std::to_string(s.ttl) + " queue";
    for (std::size_t at = 0; at < queued(s); ++at)
        text += " " + std::to_string(s.queue[at]) + "(" + std::to_string(s.time[s.queue[at]]) + ")";
    for (int who = 1; who <= scope.waiters; ++who) {
        auto const& one = s.waiters[static_cast<std::size_t>(who)];
        text.append(" | ").append(phases[one.phase]).append(" " + std::to_string(one.timer));
        text.append(one.told ? " told" : "")
            .append(one.message ? " message" : "")
            .append(one.answered ? " answer" : "");
        for (auto const what : one.calls)
            if (what != nothing) text.append(what == acquire ? " acquire" : " release");
    }
    return text;
}
bool run_one(scenario<settings> const& one) {
    scope = one.where;
    state first;
    first.deaths = scope.deaths;
    first.losses = scope.losses;
    return run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::fair

int main(int argc, char** argv) {
    using namespace model::fair;
    return model::run_all(argc, argv, scenarios, run_one);
}
