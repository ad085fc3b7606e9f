// Read-write locks on the server (lua/read_*.lua, lua/write_acquire.lua): counts, a key for each read hold, readers that die.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "runner.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace model::read_write {
namespace {

using u8 = unsigned char;

struct settings {
    int owners = 2; ///< each a client of its own
    u8 deaths = 0;
};
settings scope;
constexpr u8 lease = 3;     ///< ticks
constexpr u8 most_read = 2; ///< holds of one owner

enum mode : u8 { unlocked, reading, writing };
enum want : u8 { nothing, to_read, to_write };
struct owner {
    u8 reads = 0; ///< as the client counts
    bool writes = false, dead = false;
    u8 dead_for = 0;
    u8 wants = nothing, timer = 0; ///< asleep
    bool told = false;
};
struct state {
    u8 mode = unlocked, ttl = 0;                     ///< of the hash
    std::array<u8, 4> fields{};                      ///< how often each owner reads
    std::array<bool, 4> writer{};                    ///< whose the write hold is
    std::array<std::array<u8, most_read>, 4> keys{}; ///< what is left to each read hold
    std::array<owner, 4> owners{};                   ///< the first one is not used
    u8 deaths = 0;
    bool silent = false; ///< it became free without a message
};

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}

// --- the server

void forget(state& s) {
    s.mode = unlocked;
    s.ttl = 0;
    s.fields = {};
    s.writer = {};
}
void tell(state& s) {
    for (auto& one : s.owners) one.told |= one.wants != nothing && !one.dead;
    s.silent = false;
}
bool acquire_to_read(state& s, std::size_t who) {
    if (s.mode == writing && !s.writer[who]) return false;
    if (s.mode == unlocked) s.mode = reading;
    s.fields[who] = std::max<u8>(s.fields[who], 1);
    s.keys[who][0] = std::max(s.keys[who][0], lease);
    s.ttl = std::max(s.ttl, lease);
    return true;
}
bool acquire_to_write(state& s, std::size_t who) {
    if (s.mode != unlocked) return false;
    s.mode = writing;
    s.writer[who] = true;
    s.ttl = lease;
    return true;
}
void set_read_count(state& s, std::size_t who, u8 count) {
    for (u8 n = 0; n < most_read; ++n)
        if (n >= count || !on("each read hold has a key of its own"))
            s.keys[who][n] = 0;
        else
            s.keys[who][n] = std::max(s.keys[who][n], lease);
    s.fields[who] = count;
    s.ttl = std::max(s.ttl, lease);
}
/// What is left to the others who read.
u8 longest_of_others(state const& s, std::size_t who, bool with_own) {
    u8 longest = 0;
    for (std::size_t other = 1; other < s.owners.size(); ++other) {
        if ((other == who && !with_own) || s.fields[other] == 0) continue;
        if (!on("readers without a key keep nobody out")) longest = std::max(longest, s.ttl);
        for (u8 n = 0; n < s.fields[other]; ++n) longest = std::max(longest, s.keys[other][n]);
    }
    return longest;
}
void release(state& s, std::size_t who, bool of_writing) {
    u8 const longest = on("a release looks who else still reads") ? longest_of_others(s, who, of_writing) : u8{0};
    bool const goes_on_writing = s.mode == writing && !of_writing;
    if (of_writing)
        s.writer[who] = false;
    else
        s.fields[who] = 0, s.keys[who] = {};
    if (goes_on_writing) return;
    if (longest == 0) {
        forget(s);
        return tell(s);
    }
    bool const downgrade = s.mode == writing;
    s.mode = reading;
    s.ttl = longest;
    if (downgrade && on("whoever goes on as a reader tells the others")) tell(s);
}
void renew(state& s, std::size_t who) {
    if (s.fields[who] > 0 || s.writer[who]) s.ttl = std::max(s.ttl, lease);
    for (std::size_t other = 1; other < s.owners.size(); ++other)
        for (u8 n = 0; n < s.fields[other]; ++n)
            if (other == who || (s.fields[who] > 0 && !on("a renewal prolongs its own read holds only")))
                s.keys[other][n] = std::max(s.keys[other][n], lease);
}

// --- an owner

void fall_asleep(state const& s, owner& one, u8 what) {
    one.wants = what;
    one.timer = s.ttl;
    one.told = false;
}
bool read(state& s, int number) {
    auto const who = index(number);
    auto& one = s.owners[who];
    if (number == 0 || number > scope.owners || one.dead || one.wants != nothing || one.reads == most_read)
        return false;
    if (one.reads > 0)
        set_read_count(s, who, static_cast<u8>(one.reads + 1));
    else if (!acquire_to_read(s, who))
        return fall_asleep(s, one, to_read), true;
    ++one.reads;
    return true;
}
bool write(state& s, int number) {
    auto const who = index(number);
    auto& one = s.owners[who];
    if (number == 0 || number > scope.owners || one.dead || one.wants != nothing || one.writes) return false;
    if (one.reads > 0 && on("who reads does not wait to write")) return false; // it is told so, without a command
    if (!acquire_to_write(s, who)) return fall_asleep(s, one, to_write), true;
    one.writes = true;
    return true;
}
bool wake(state& s, int number) {
    auto const who = index(number);
    auto& one = s.owners[who];
    if (one.wants == nothing || one.dead || !(one.told || one.timer == 0)) return false;
    bool const reads = one.wants == to_read;
    if (!(reads ? acquire_to_read(s, who) : acquire_to_write(s, who))) return fall_asleep(s, one, one.wants), true;
    one.wants = nothing;
    one.told = false;
    if (reads)
        one.reads = 1;
    else
        one.writes = true;
    return true;
}
bool end_reading(state& s, int number) {
    auto const who = index(number);
    auto& one = s.owners[who];
    if (one.dead || one.wants != nothing || one.reads == 0) return false;
    if (--one.reads > 0)
        set_read_count(s, who, one.reads);
    else
        release(s, who, false);
    return true;
}
bool end_writing(state& s, int number) {
    auto& one = s.owners[index(number)];
    if (one.dead || !one.writes) return false;
    one.writes = false;
    release(s, index(number), true);
    return true;
}

// --- the world

bool die(state& s, int number) {
    auto& one = s.owners[index(number)];
    if (s.deaths == 0 || one.dead || (one.reads == 0 && !one.writes)) return false;
    --s.deaths;
    one.dead = true;
    one.wants = nothing;
    one.told = false;
    return true;
}
bool tick(state& s, int);

constexpr action<state> actions[] = {
    // first what happens at once: time does not pass before it
    {"a waiter asks again", 4, wake},
    {"ends writing", 4, end_writing},
    {"ends reading", 4, end_reading},
    {"time passes", 1, tick},
    {"reads", 4, read},
    {"writes", 4, write},
    {"dies", 4, die},
};
constexpr std::size_t at_once = 1, calm = 4; ///< so many of the actions

bool tick(state& s, int) {
    for (int variant = 0; variant < 4; ++variant)
        if (state copy = s; wake(copy, variant)) return false;
    for (std::size_t who = 1; who < s.owners.size(); ++who)
        if (!s.owners[who].dead) renew(s, who);
    for (auto& of_one : s.keys)
        for (auto& left : of_one)
            if (left > 0) --left;
    if (s.ttl > 0 && --s.ttl == 0) {
        forget(s);
        s.silent = true;
    }
    for (auto& one : s.owners) {
        if (one.timer > 0) --one.timer;
        if (one.dead) one.dead_for = static_cast<u8>(std::min(one.dead_for + 1, lease + 1));
    }
    return true;
}

// --- what must hold

bool exclusion(state const& s) {
    for (auto const& one : s.owners)
        for (auto const& other : s.owners)
            if (&one != &other && !one.dead && !other.dead && one.writes && (other.writes || other.reads > 0))
                return false;
    return true;
}
bool what_is_held_is_there(state const& s) {
    for (std::size_t who = 1; who < s.owners.size(); ++who) {
        auto const& one = s.owners[who];
        if (one.dead) continue;
        if (one.reads != s.fields[who] || one.writes != s.writer[who]) return false;
        for (u8 n = 0; n < one.reads; ++n)
            if (s.keys[who][n] == 0) return false;
    }
    return true;
}
bool no_wakeup_is_lost(state const& s) {
    return std::all_of(s.owners.begin(), s.owners.end(), [&](owner const& one) {
        bool const may_enter = s.mode == unlocked || (s.mode == reading && one.wants == to_read);
        return one.wants == nothing || s.silent || !may_enter || one.told || one.timer == 0;
    });
}
/// Who reads beside a dead one prolongs the hash for itself; once nobody else has it, it is gone.
bool the_dead_cost_a_lease_at_most(state const& s) {
    return s.mode == unlocked || std::any_of(s.owners.begin(), s.owners.end(), [](owner const& one) {
               bool const holds = one.reads > 0 || one.writes;
               return holds && (!one.dead || one.dead_for <= lease);
           });
}
/// When nothing goes wrong any more, all waiters get the lock.
bool all_come_through(state const& from) {
    state s = from;
    for (int steps = 0; steps < 200; ++steps) {
        bool const waits =
            std::any_of(s.owners.begin(), s.owners.end(), [](owner const& one) { return one.wants != nothing; });
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
    {"exclusion", exclusion},
    {"what is held is there", what_is_held_is_there},
    {"no wake-up is lost", no_wakeup_is_lost},
    {"the dead cost a lease at most", the_dead_cost_a_lease_at_most},
    {"all come through", all_come_through},
};
scenario<settings> const scenarios[] = {
    {"two owners", {}, nullptr, 982},
    {"three owners", {.owners = 3}, nullptr, 22167},
    {"a death", {.deaths = 1}, nullptr, 3354},
    {"a death among three", {.owners = 3, .deaths = 1}, nullptr, 97551},
    {"a release looks who else still reads", {}, "what is held is there", 3},
    {"each read hold has a key of its own", {}, "what is held is there", 2},
    {"readers without a key keep nobody out", {.deaths = 1}, "the dead cost a lease at most", 8},
    {"a renewal prolongs its own read holds only", {.deaths = 1}, "the dead cost a lease at most", 8},
    {"whoever goes on as a reader tells the others", {}, "no wake-up is lost", 4},
    {"who reads does not wait to write", {}, "all come through", 2},
};

std::string show(state const& s) {
    static char const* const modes[] = {"free", "read", "write"};
    static char const* const wants[] = {"", " wants to read", " wants to write"};
    auto text = std::string(modes[s.mode]) + " for " + std::to_string(s.ttl);
    for (int number = 1; number <= scope.owners; ++number) {
        auto const who = index(number);
        auto const& one = s.owners[who];
        text += " | reads " + std::to_string(one.reads) + (one.writes ? " writes" : "") + (one.dead ? " dead" : "");
        text.append(wants[one.wants]).append(one.told ? " told" : "");
        text += ", there " + std::to_string(s.fields[who]);
        for (auto const left : s.keys[who]) text += " " + std::to_string(left);
    }
    return text;
}
bool run_one(scenario<settings> const& one) {
    scope = one.where;
    state first;
    first.deaths = scope.deaths;
    return run(one, first, actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::read_write

int main(int argc, char** argv) {
    using namespace model::read_write;
    return model::run_all(argc, argv, scenarios, run_one);
}
