#include "sim/fairness/table.hpp"

#include "sim/fairness/field.hpp"
#include "sim/scenario/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace redlatch::sim {
namespace {

constexpr char const* help = R"(redlatch_sim --fairness: who gets how much, in a simulated field

  --processes N      4
  --redisson N       of them, the last ones lock as Redisson does (0)
  --threads N        of each process (1)
  --locks N          1
  --zipf S           lock n is chosen in proportion to 1 / n ^ S (0: all alike)
  --hold US          microseconds (500)
  --pause US         500
  --last MS          2000; a tenth of it is not counted, while all connect
  --seed N           the first (1)
  --runs N           so many seeds (5), and the median of each column
  --scripts, --no-hand-off, --strict, --detached   the settings of the clients
  --delay LEAST MOST bytes on their way, each way, in microseconds (50 150)
  --wake LEAST MOST  until a thread that was woken runs (1 40)
  --stalls N         one wake-up in N takes 1 to 5 ms (64; 0: none)
  --each             the acquisitions and the longest wait of each process too
)";

struct wanted {
    field what{};
    std::uint64_t seed = 1;
    int runs = 5;
    bool each = false;
};

/// False: not understood.
bool parse(std::span<char* const> words, wanted& into) {
    auto& what = into.what;
    auto& fast = what.how_fast;
    std::size_t at = 0;
    bool whole = true;
    auto const next = [&]() -> char const* {
        whole = whole && at + 1 < words.size();
        return whole ? words[++at] : "0";
    };
    auto const integer = [&] { return std::strtoll(next(), nullptr, 10); };
    auto const count = [&] { return static_cast<int>(integer()); };
    std::map<std::string, std::function<void()>> const all{
        {"--processes", [&] { what.processes = count(); }},
        {"--redisson", [&] { what.redisson = count(); }},
        {"--threads", [&] { what.threads = count(); }},
        {"--locks", [&] { what.locks = count(); }},
        {"--zipf", [&] { what.zipf = std::strtod(next(), nullptr); }},
        {"--hold", [&] { what.hold_us = integer(); }},
        {"--pause", [&] { what.pause_us = integer(); }},
        {"--last", [&] { what.lasts = integer(); }},
        {"--seed", [&] { into.seed = std::strtoull(next(), nullptr, 10); }},
        {"--runs", [&] { into.runs = count(); }},
        {"--scripts", [&] { what.scripts_only = true; }},
        {"--no-hand-off", [&] { what.hands_over = false; }},
        {"--strict", [&] { what.strictly = true; }},
        {"--detached", [&] { what.detached_unlock = true; }},
        {"--delay",
         [&] {
             fast.least_delay = integer();
             fast.most_delay = integer();
         }},
        {"--wake",
         [&] {
             fast.least_wake = integer();
             fast.most_wake = integer();
         }},
        {"--stalls", [&] { fast.stalls = count(); }},
        {"--each", [&] { into.each = true; }},
    };
    for (; at < words.size(); ++at) {
        auto const found = all.find(words[at]);
        if (found == all.end()) return false;
        found->second();
    }
    return whole && what.processes > 0 && what.redisson >= 0 && what.redisson <= what.processes && what.threads > 0
           && what.locks > 0 && what.lasts > 0 && into.runs > 0;
}

template <class Of> auto median(std::vector<shares> const& all, Of of) {
    std::vector<decltype(of(all[0]))> values;
    for (auto const& one : all) values.push_back(of(one));
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print_each(shares const& seen) {
    for (std::size_t i = 0; i < seen.acquired.size(); ++i)
        std::printf("      process %zu: %llu, longest wait %.1f ms\n", i,
                    static_cast<unsigned long long>(seen.acquired[i]),
                    static_cast<double>(seen.longest_waits[i].count()) / 1e6);
}

void print_medians(std::vector<shares> const& all) {
    auto const ms = [](moment of) { return static_cast<double>(of.count()) / 1e6; };
    std::printf("median: %.0f/s, max/min %.2f, wait p99 %.1f, longest %.1f ms, passed over by %llu, run %.1f ms, "
                "%.2f commands, %.1f wakes each\n",
                median(all,
                       [](auto& one) {
                           return static_cast<double>(one.total()) * 1e9 / static_cast<double>(one.lasted.count());
                       }),
                median(all, [](auto& one) { return one.most_by_least(); }),
                ms(median(all, [](auto& one) { return one.wait_of(0.99); })),
                ms(median(all, [](auto& one) { return one.wait_of(1); })),
                static_cast<unsigned long long>(median(all, [](auto& one) { return one.most_passed_over; })),
                ms(median(all, [](auto& one) { return one.longest_slice; })),
                median(all, [](auto& one) { return one.commands; }), median(all, [](auto& one) { return one.wakes; }));
}

} // namespace

int print_fairness(std::span<char* const> words) {
    wanted how;
    if (!parse(words, how)) {
        bool const asked = words.size() == 1 && std::string(words[0]) == "--help";
        std::fputs(help, asked ? stdout : stderr);
        return asked ? 0 : 64;
    }
    std::printf("%s\n", to_text(how.what).c_str());
    moment const until = std::chrono::milliseconds(how.what.lasts);
    std::vector<shares> all;
    for (int i = 0; i < how.runs; ++i) {
        auto const plan = generate(how.what, how.seed + static_cast<std::uint64_t>(i));
        auto const seen = run(plan);
        all.push_back(shares_of(seen.facts, how.what.processes, until / 10, until));
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(plan.seed), to_text(all.back()).c_str());
        if (how.each) print_each(all.back());
        if (seen.broken) {
            std::printf("broke a promise, %s: %s\n", seen.broken->checker.c_str(), seen.broken->text.c_str());
            return 1;
        }
    }
    print_medians(all);
    return 0;
}

} // namespace redlatch::sim
