// redlatch_sim: runs scenarios from seeds until one fails, and shows that one.
#include "sim/scenario/run.hpp"
#include "sim/scenario/shrink.hpp"
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

namespace {

using redlatch::sim::scenario;
using wall = std::chrono::steady_clock;

struct wanted {
    std::uint64_t first = 1;
    std::uint64_t count = 1'000;
    std::optional<double> minutes{};
    bool one = false;
    bool faults = true;
    bool shrink = true;
    bool orders = false;
    // Of all orders, instead of the scopes' own:
    int early = -1;
    std::size_t depth = 0;
    std::string scope{};
    std::uint64_t states = UINT64_MAX;
};

constexpr char const* help = R"(redlatch_sim: the shipped library in a simulated world

  --seed N       only this one, with its whole history
  --first N      begin with this seed (1)
  --count M      so many seeds (1000)
  --minutes K    as many seeds as there is time for
  --fresh        begin with a seed of the day
  --no-faults    nothing goes wrong
  --no-shrink    show a failing scenario as it was generated
  --orders       instead of seeds: all orders of small scenarios (docs/testing.md)
  --early N      with --orders: how often time passes although bytes are under way
  --depth N      with --orders: so many choices, then the usual course
  --states N     with --orders: so many states of each scenario at the most
  --scope TEXT   with --orders: only scenarios with this in their name
)";

std::optional<wanted> parse(int argc, char** argv, int& status) {
    wanted made;
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
        } else if (word == "--no-shrink") {
            made.shrink = false;
        } else if (word == "--orders") {
            made.orders = true;
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

void show(scenario const& what) {
    auto const again = redlatch::sim::run(what, true);
    for (auto const& line : again.trace) std::printf("%s\n", line.c_str());
    if (again.broken)
        std::printf("\nBROKEN, %s, at %.3f ms: %s\n", again.broken->checker.c_str(),
                    static_cast<double>(again.facts.at(again.broken->at).when.count()) / 1e6,
                    again.broken->text.c_str());
    std::printf("\n%s", to_text(what).c_str());
}

int report(scenario const& failing, redlatch::sim::outcome const& seen, bool faults, bool shrink) {
    std::printf("seed %llu broke a promise, %s: %s\n", static_cast<unsigned long long>(failing.seed),
                seen.broken->checker.c_str(), seen.broken->text.c_str());
    auto const checker = seen.broken->checker;
    auto const smallest = !shrink ? failing : redlatch::sim::shrink(failing, [&](scenario const& candidate) {
        auto const outcome = redlatch::sim::run(candidate);
        return outcome.broken && outcome.broken->checker == checker;
    });
    show(smallest);
    std::printf("\nAgain, as it was generated: redlatch_sim --seed %llu%s\n",
                static_cast<unsigned long long>(failing.seed), faults ? "" : " --no-faults");
    return 1;
}

int search_orders(wanted const& how) {
    int status = 0;
    for (auto& one : redlatch::sim::small_scopes()) {
        if (one.name.find(how.scope) == std::string::npos) continue;
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
    return status;
}

} // namespace

int main(int argc, char** argv) {
    int status = 0;
    auto const how = parse(argc, argv, status);
    if (!how) return status;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    redlatch::set_log_sink([](redlatch::log_level, std::string_view) {});
    if (how->orders) return search_orders(*how);
    std::signal(SIGABRT, say_the_seed);
    std::signal(SIGSEGV, say_the_seed);
    if (how->one) {
        seed_under_way = how->first;
        show(redlatch::sim::generate(how->first, how->faults));
        return 0;
    }
    auto const began = wall::now();
    std::uint64_t runs = 0;
    std::uint64_t acquired = 0;
    std::uint64_t events = 0;
    double simulated = 0;
    for (auto seed = how->first;; ++seed) {
        std::chrono::duration<double> const passed = wall::now() - began;
        if (how->minutes ? passed.count() >= *how->minutes * 60 : runs >= how->count) break;
        seed_under_way = seed;
        auto const plan = redlatch::sim::generate(seed, how->faults);
        auto const seen = redlatch::sim::run(plan);
        if (seen.broken) return report(plan, seen, how->faults, how->shrink);
        ++runs;
        acquired += seen.acquired;
        events += seen.events;
        simulated += std::chrono::duration<double>(seen.lasted).count();
    }
    std::chrono::duration<double> const passed = wall::now() - began;
    std::printf(
        "%llu scenarios from seed %llu on, no promise broken: %llu lock cycles, %llu events, %.0f simulated seconds "
        "in %.1f s; %.0f cycles a second\n",
        static_cast<unsigned long long>(runs), static_cast<unsigned long long>(how->first),
        static_cast<unsigned long long>(acquired), static_cast<unsigned long long>(events), simulated, passed.count(),
        static_cast<double>(acquired) / passed.count());
    return 0;
}
