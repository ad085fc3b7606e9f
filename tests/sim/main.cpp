// redlatch_sim: runs scenarios from seeds until one fails, and shows that one.
#include "sim/fairness/random_field.hpp"
#include "sim/fairness/table.hpp"
#include "sim/scenario/run.hpp"
#include "sim/scenario/shrink.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/scope/explore.hpp"

#include <redlatch/log.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace {

using redlatch::sim::generation;
using redlatch::sim::scenario;
using wall = std::chrono::steady_clock;

struct wanted {
    std::uint64_t first = 1;
    std::optional<std::uint64_t> count{};
    std::optional<double> minutes{};
    bool one = false;
    bool faults = true;
    std::optional<int> processes{};
    generation of = generation::latest;
    redlatch::sim::lock_kind kind = redlatch::sim::lock_kind::reentrant;
    redlatch::sim::topology servers = redlatch::sim::topology::single;
    bool shrink = true;
    bool orders = false;
    bool brief = false;
    bool go_on = false;
    bool figures = false;
    bool fields = false;
    bool names_kinds = false;
    // Of all orders, instead of the scopes' own:
    int early = -1;
    std::size_t depth = 0;
    std::string scope{};
    std::uint64_t states = UINT64_MAX;
};

constexpr char const* help = R"(redlatch_sim: the shipped library in a simulated world

  --seed N       only this one, with its whole history
  --first N      begin with this seed (REDLATCH_SIM_FIRST of the environment, else 1)
  --count M      so many seeds (1000)
  --minutes K    as many seeds as there is time for; with --count, status 2 if that is too short for them
  --fresh        begin with a seed of the day
  --no-faults    nothing goes wrong
  --processes N  so many in each scenario, 1 to 8, all of which have work (as the seed says: 1 to 5)
  --generation G of the generator that made the scenarios: kept seeds belong to an earlier one (the latest)
  --go-on        a line for each seed that fails, and no more
  --kind WORD    all locks are of this kind: reentrant, non_reentrant, spin, fenced, fair, read_write,
                 semaphore, permit_semaphore, latch, election, multi, faster_multi,
                 red, non_reentrant_fair (faster_multi and red with the topology single only)
  --kinds        print the kinds that are played with servers of the topology, a line each, and no more
  --topology WORD  how the servers are arranged: single, cluster, replicas (which confirm locks and
                 permits), sentinel
  --figures      what was measured of fairness and of the cost of waiting, a line for each seed
  --no-shrink    show a failing scenario as it was generated
  --orders       instead of seeds: all orders of small scenarios (docs/testing.md)
  --brief        with --orders: no deeper than there is time for with each change
  --early N      with --orders: how often time passes although bytes are under way
  --depth N      with --orders: so many choices, then the usual course
  --states N     with --orders: so many states of each scenario at the most
  --scope TEXT   with --orders: the scenario of this name, else those with this in their name
  --fields       instead of the usual scenarios: many contend for one lock, and it has to be fair
  --fairness     instead: who gets how much where many want the same lock; --fairness --help
)";

using redlatch::sim::lock_kind;
constexpr std::pair<std::string_view, lock_kind> kinds[] = {{"reentrant", lock_kind::reentrant},
                                                            {"non_reentrant", lock_kind::non_reentrant},
                                                            {"spin", lock_kind::spin},
                                                            {"fenced", lock_kind::fenced},
                                                            {"fair", lock_kind::fair},
                                                            {"read_write", lock_kind::read_write},
                                                            {"semaphore", lock_kind::semaphore},
                                                            {"permit_semaphore", lock_kind::permit_semaphore},
                                                            {"latch", lock_kind::latch},
                                                            {"election", lock_kind::election},
                                                            {"multi", lock_kind::multi},
                                                            {"faster_multi", lock_kind::faster_multi},
                                                            {"red", lock_kind::red},
                                                            {"non_reentrant_fair", lock_kind::non_reentrant_fair}};

std::optional<lock_kind> kind_named(std::string_view word) {
    for (auto const& [name, kind] : kinds)
        if (name == word) return kind;
    std::fprintf(stderr, "redlatch_sim: there is no kind of lock %s\n", std::string(word).c_str());
    return std::nullopt;
}

std::string word_of(lock_kind kind) {
    for (auto const& [name, known] : kinds)
        if (known == kind) return std::string(name);
    return "?";
}

void print_kinds(redlatch::sim::topology with) {
    for (auto const& [name, kind] : kinds)
        if (can_be_played(kind, with)) std::printf("%s\n", std::string(name).c_str());
}

std::optional<redlatch::sim::topology> topology_named(std::string_view word) {
    using redlatch::sim::topology;
    if (word == "single") return topology::single;
    if (word == "cluster") return topology::cluster;
    if (word == "replicas") return topology::replicas;
    if (word == "sentinel") return topology::sentinel;
    std::fprintf(stderr, "redlatch_sim: there is no topology %s\n", std::string(word).c_str());
    return std::nullopt;
}

std::optional<wanted> parse(int argc, char** argv, int& status) {
    wanted made;
    // CI gives each tree seeds of its own.
    if (auto const* const first = std::getenv("REDLATCH_SIM_FIRST")) made.first = std::strtoull(first, nullptr, 10);
    status = 64;
    for (int i = 1; i < argc; ++i) {
        std::string const word = argv[i];
        auto const number = [&] { return ++i < argc ? std::strtoull(argv[i], nullptr, 10) : 0ULL; };
        if (word == "--seed") {
            made.one = true;
            made.first = number();
        } else if (word == "--first") {
            made.first = number();
        } else if (word == "--count") {
            made.count = number();
        } else if (word == "--minutes") {
            made.minutes = ++i < argc ? std::strtod(argv[i], nullptr) : 0;
        } else if (word == "--fresh") {
            made.first = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
        } else if (word == "--no-faults") {
            made.faults = false;
        } else if (word == "--processes") {
            auto const how_many = number();
            if (how_many < 1 || how_many > redlatch::sim::most_processes) {
                std::fprintf(stderr, "redlatch_sim: a scenario has 1 to %d processes\n", redlatch::sim::most_processes);
                return std::nullopt;
            }
            made.processes = static_cast<int>(how_many);
        } else if (word == "--generation") {
            auto const which = number();
            if (which < 1 || which > static_cast<std::uint64_t>(generation::tenth) + 1) {
                std::fprintf(stderr, "redlatch_sim: there is no generation %s\n", i < argc ? argv[i] : "");
                return std::nullopt;
            }
            made.of = static_cast<generation>(which - 1);
        } else if (word == "--kind") {
            auto const kind = kind_named(++i < argc ? argv[i] : "");
            if (!kind) return std::nullopt;
            made.kind = *kind;
        } else if (word == "--kinds") {
            made.names_kinds = true;
        } else if (word == "--topology") {
            auto const servers = topology_named(++i < argc ? argv[i] : "");
            if (!servers) return std::nullopt;
            made.servers = *servers;
        } else if (word == "--no-shrink") {
            made.shrink = false;
        } else if (word == "--go-on") {
            made.go_on = true;
        } else if (word == "--fields") {
            made.fields = true;
        } else if (word == "--figures") {
            made.figures = true;
        } else if (word == "--orders") {
            made.orders = true;
        } else if (word == "--brief") {
            made.brief = true;
        } else if (word == "--early") {
            made.early = static_cast<int>(number());
        } else if (word == "--depth") {
            made.depth = number();
        } else if (word == "--scope") {
            made.scope = ++i < argc ? argv[i] : "";
        } else if (word == "--states") {
            made.states = number();
        } else {
            std::fputs(help, word == "--help" ? stdout : stderr);
            status = word == "--help" ? 0 : 64;
            return std::nullopt;
        }
    }
    if (!can_be_played(made.kind, made.servers)) {
        std::fprintf(stderr, "redlatch_sim: locks of this kind are not played with servers that are arranged so\n");
        return std::nullopt;
    }
    if (made.processes && (made.fields || made.orders)) {
        std::fprintf(stderr, "redlatch_sim: --processes is of seeds, not of --fields or --orders\n");
        return std::nullopt;
    }
    return made;
}

std::uint64_t volatile seed_under_way = 0;

/// A broken assertion of the library, or a crash, ends the process at once: without its seed nobody could see it again.
extern "C" void say_the_seed(int signal) {
    std::array<char, 64> line{};
    constexpr std::string_view before = "redlatch_sim: it ended in --seed ";
    std::copy(before.begin(), before.end(), line.begin());
    auto* end = std::to_chars(line.data() + before.size(), line.data() + line.size() - 1, seed_under_way).ptr;
    *end++ = '\n';
    if (::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(end - line.data())) < 0) {
    } // nobody to tell
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

scenario make(std::uint64_t seed, wanted const& how) {
    auto made = how.fields ? generate(redlatch::sim::random_field(seed), seed)
                           : redlatch::sim::generate(seed, how.faults, how.of, how.processes);
    change_kind(made, how.kind);
    change_topology(made, how.servers, how.faults);
    return made;
}

redlatch::sim::outcome play(scenario const& what, wanted const& how, bool with_trace = false) {
    if (!how.fields) return redlatch::sim::run(what, with_trace);
    auto const fair = patience_of(redlatch::sim::random_field(what.seed));
    return redlatch::sim::run(what, with_trace, nullptr, &fair);
}

/// Whether it broke a promise.
bool show(scenario const& what, wanted const& how) {
    auto const again = play(what, how, true);
    for (auto const& line : again.trace) std::printf("%s\n", line.c_str());
    if (again.broken)
        std::printf("\nBROKEN, %s, at %.3f ms: %s\n", again.broken->checker.c_str(),
                    static_cast<double>(again.facts.at(again.broken->at).when.count()) / 1e6,
                    again.broken->text.c_str());
    std::printf("\n%s", to_text(what).c_str());
    return again.broken.has_value();
}

void print_figures(std::uint64_t seed, redlatch::sim::history const& facts) {
    auto const seen = redlatch::sim::fairness_of(facts, redlatch::sim::fairness_rules().slice,
                                                 redlatch::sim::fairness_rules().window);
    std::printf(
        "seed %llu: %llu acquired, %.2f turns missed, %.0f beyond the slice, blocked: %.1f commands %.1f wakes a "
        "second, idle %.2f ms after %llu releases, %llu commands\n",
        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seen.acquired), seen.turns_missed.most,
        seen.beyond_slice.most, seen.blocked_commands.most, seen.blocked_wakes.most,
        static_cast<double>(seen.idle.count()) / 1e6, static_cast<unsigned long long>(seen.times_freed),
        static_cast<unsigned long long>(seen.commands));
}

int report(scenario const& failing, redlatch::sim::outcome const& seen, wanted const& how) {
    std::printf("seed %llu broke a promise, %s: %s\n", static_cast<unsigned long long>(failing.seed),
                seen.broken->checker.c_str(), seen.broken->text.c_str());
    auto const checker = seen.broken->checker;
    auto const smallest =
        !how.shrink || how.fields ? failing : redlatch::sim::shrink(failing, [&](scenario const& candidate) {
            auto const outcome = redlatch::sim::run(candidate);
            return outcome.broken && outcome.broken->checker == checker;
        });
    show(smallest, how);
    std::printf("\nAgain, as it was generated: redlatch_sim --seed %llu%s%s",
                static_cast<unsigned long long>(failing.seed),
                how.fields   ? " --fields"
                : how.faults ? ""
                             : " --no-faults",
                (" --topology " + to_text(failing.servers_are) + " --kind " + word_of(failing.locks_are)).c_str());
    if (how.processes) std::printf(" --processes %d", *how.processes);
    if (how.of != generation::latest) std::printf(" --generation %d", static_cast<int>(how.of) + 1);
    std::printf("\n");
    return 1;
}

int search_orders(wanted const& how) {
    int status = 0;
    auto scopes = redlatch::sim::small_scopes();
    auto const of_this_name = [&](auto const& one) { return one.name == how.scope; };
    bool const by_name = std::any_of(scopes.begin(), scopes.end(), of_this_name);
    int met = 0;
    for (auto& one : scopes) {
        if (by_name ? !of_this_name(one) : one.name.find(how.scope) == std::string::npos) continue;
        ++met;
        if (how.brief && one.brief_depth > 0) {
            one.depth = one.brief_depth;
            one.states = one.brief_states;
        }
        if (how.early >= 0) one.early = how.early;
        if (how.depth > 0) one.depth = how.depth;
        auto const began = wall::now();
        auto const seen = redlatch::sim::explore(one, {.states = how.states});
        std::chrono::duration<double> const passed = wall::now() - began;
        std::printf("%s: %llu states, %llu runs, %llu different ends, at most %zu choices%s%s, %.1f s\n",
                    one.name.c_str(), static_cast<unsigned long long>(seen.states),
                    static_cast<unsigned long long>(seen.runs), static_cast<unsigned long long>(seen.outcomes),
                    seen.deepest, seen.whole ? "" : ", not all", seen.cut_off ? " and then the usual course" : "",
                    passed.count());
        bool const as_it_is = how.early < 0 && how.depth == 0 && how.states == UINT64_MAX;
        if (as_it_is && !seen.broken && seen.states < one.states) {
            std::printf("there were %llu states: say why there are fewer now, in tests/sim/scope/small_scopes.cpp\n",
                        static_cast<unsigned long long>(one.states));
            status = 1;
        }
        if (!seen.broken) continue;
        std::printf("broke a promise, %s: %s\n", seen.broken->what.checker.c_str(), seen.broken->what.text.c_str());
        for (auto const& line : redlatch::sim::replay(one, seen.broken->choices).trace)
            std::printf("%s\n", line.c_str());
        return 1;
    }
    if (met == 0) {
        std::printf("no scenario has \"%s\" in its name\n", how.scope.c_str());
        return 64;
    }
    return status;
}

} // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    redlatch::set_log_sink([](redlatch::log_level, std::string_view) {});
    if (argc > 1 && argv[1] == std::string_view("--fairness"))
        return redlatch::sim::print_fairness({argv + 2, static_cast<std::size_t>(argc - 2)});
    int status = 0;
    auto const how = parse(argc, argv, status);
    if (!how) return status;
    if (how->names_kinds) {
        print_kinds(how->servers);
        return 0;
    }
    if (how->orders) return search_orders(*how);
    std::signal(SIGABRT, say_the_seed);
    std::signal(SIGSEGV, say_the_seed);
    if (how->one) {
        seed_under_way = how->first;
        return show(make(how->first, *how), *how) ? 1 : 0;
    }
    auto const began = wall::now();
    std::uint64_t runs = 0;
    std::uint64_t broken = 0;
    std::uint64_t acquired = 0;
    std::uint64_t events = 0;
    double simulated = 0;
    bool out_of_time = false;
    for (auto seed = how->first;; ++seed) {
        if (runs >= how->count.value_or(how->minutes ? UINT64_MAX : 1'000)) break;
        std::chrono::duration<double> const passed = wall::now() - began;
        out_of_time = how->minutes && passed.count() >= *how->minutes * 60;
        if (out_of_time) break;
        seed_under_way = seed;
        auto const plan = make(seed, *how);
        auto const seen = play(plan, *how);
        if (seen.broken && !how->go_on) return report(plan, seen, *how);
        if (seen.broken) {
            ++broken;
            std::printf("seed %llu broke a promise, %s: %s\n", static_cast<unsigned long long>(seed),
                        seen.broken->checker.c_str(), seen.broken->text.c_str());
        }
        if (how->figures) print_figures(seed, seen.facts);
        ++runs;
        acquired += seen.acquired;
        events += seen.events;
        simulated += std::chrono::duration<double>(seen.lasted).count();
    }
    std::chrono::duration<double> const passed = wall::now() - began;
    std::printf(
        "%llu scenarios from seed %llu on, %s: %llu lock cycles, %llu events, %.0f simulated seconds in %.1f s; %.0f "
        "cycles a second\n",
        static_cast<unsigned long long>(runs), static_cast<unsigned long long>(how->first),
        broken == 0 ? "no promise broken" : (std::to_string(broken) + " broke a promise").c_str(),
        static_cast<unsigned long long>(acquired), static_cast<unsigned long long>(events), simulated, passed.count(),
        static_cast<double>(acquired) / passed.count());
    if (out_of_time && how->count) {
        std::printf("%g minutes were too short for %llu seeds\n", *how->minutes,
                    static_cast<unsigned long long>(*how->count));
        return 2;
    }
    return broken == 0 ? 0 : 1;
}
