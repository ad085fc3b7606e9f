#include "measure/rounds.hpp"

#include "measure/command_origin.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>

namespace redlatch::bench {

namespace {

using all_rounds = std::map<std::string, std::vector<measurement>>; // by contender

/// Who sends what is asked in a round of its own, which is not measured: watching slows the server down.
void count_commands(server const& at, contender const& who, std::chrono::milliseconds sample,
                    std::vector<measurement>& rounds) {
    if (rounds.empty() || !rounds.front().calls) return;
    auto const origin = observe(at.tcp(), [&] { who.round(sample); });
    for (auto& round : rounds) round[figure::commands] = origin.sent_by_clients(*round.calls);
}

all_rounds play(server const& at, scenario const& what, int rounds, std::chrono::milliseconds period,
                std::vector<std::string>& notes) {
    all_rounds seen;
    std::vector<contender const*> remaining;
    for (auto const& who : what.contenders) remaining.push_back(&who);
    auto const attempt = [&](contender const* who, auto const& task) {
        try {
            task();
        } catch (std::exception const& problem) {
            if (!who->is_peer) throw;
            notes.push_back(who->name + " left out: " + problem.what());
            std::fprintf(stderr, "%s\n", notes.back().c_str());
            std::erase(remaining, who);
            seen.erase(who->name);
        }
    };
    for (int round = 0; round < rounds; ++round) {
        auto turn = remaining;
        // Each is first in turn, so that none always follows the same other.
        if (!turn.empty()) std::rotate(turn.begin(), turn.begin() + round % std::ssize(turn), turn.end());
        for (auto const* who : turn) attempt(who, [&] { seen[who->name].push_back(who->round(period)); });
    }
    for (auto const* who : std::vector(remaining))
        attempt(who, [&] { count_commands(at, *who, std::min(period, what.longest_sample), seen[who->name]); });
    return seen;
}

line summary(contender const& who, all_rounds const& seen, std::string const& floor) {
    auto const rounds_of = [&](std::string const& name) {
        auto const found = seen.find(name);
        return found == seen.end() ? std::vector<measurement>{} : found->second;
    };
    auto const own = rounds_of(who.name);
    line result{who.name, median_of(own)};
    if (auto const seen_ratios = ratios(figure::value, own, rounds_of(floor)); !seen_ratios.empty()) {
        result.ratio = median(seen_ratios);
        result.ratio_low = std::ranges::min(seen_ratios);
        result.ratio_high = std::ranges::max(seen_ratios);
    }
    for (auto const& each : who.aims) result.judgements.push_back(judge(each, own, rounds_of(each.beside)));
    return result;
}

} // namespace

result measure(server const& at, scenario const& what, std::string const& placement, int rounds,
               std::optional<std::chrono::milliseconds> period) {
    result all{placement, what.name, what.unit, {}, {}, what.limits};
    auto const seen = play(at, what, std::min(rounds, what.most_rounds.value_or(rounds)),
                           period.value_or(what.usual_period), all.notes);
    for (auto const& who : what.contenders)
        if (seen.contains(who.name)) all.lines.push_back(summary(who, seen, what.floor));
    return all;
}

} // namespace redlatch::bench
