#include "report.hpp"

#include "support/redis_server.hpp"

#include <redlatch/version.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/utsname.h>
#include <thread>

namespace redlatch::chaos {

namespace {

std::string server_version() {
    test::redis_server const server;
    std::istringstream lines(server.run("INFO", "server").text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("redis_version:")) return "Redis " + line.substr(14, line.find('\r') - 14);
    return "unknown";
}

std::string redisson_version(std::string const& java_classes) {
    if (java_classes.empty()) return {};
    for (auto const& file : std::filesystem::directory_iterator(java_classes + "/lib")) {
        auto const name = file.path().stem().string();
        if (name.starts_with("redisson-")) return name.substr(9);
    }
    return "unknown";
}

std::string first_word_of(char const* file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

/// What a figure was in the runs: the least and the greatest, once where both read the same.
template <class Figure, class Text> std::string range(result const& one, Figure figure, Text text) {
    if (one.runs.empty()) return {};
    auto least = figure(one.runs.front().seen);
    auto greatest = least;
    for (auto const& each : one.runs) {
        least = std::min(least, figure(each.seen));
        greatest = std::max(greatest, figure(each.seen));
    }
    auto const from = text(least);
    auto const to = text(greatest);
    return from == to ? from : from + " to " + to;
}

} // namespace

surroundings surroundings_of_run(programs const& used) {
    char day[32];
    std::time_t const now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    utsname kernel{};
    ::uname(&kernel);
    surroundings result{{"date", day},
                        {"redlatch", REDLATCH_VERSION_STRING},
                        {"server", server_version()},
                        {"kernel", kernel.release},
                        {"processors", std::to_string(std::thread::hardware_concurrency())},
                        {"load before the run", first_word_of("/proc/loadavg")}};
    if (auto const version = redisson_version(used.java_classes); !version.empty())
        result.insert(result.begin() + 2, {"Redisson", version});
    return result;
}

std::string name_of(library by) {
    return by == library::redlatch ? "redlatch" : "Redisson";
}

std::string duration_text(std::optional<std::int64_t> us) {
    if (!us) return "–";
    char text[32];
    if (*us < 1'000'000)
        std::snprintf(text, sizeof text, "%lld ms", static_cast<long long>((*us + 500) / 1000));
    else
        std::snprintf(text, sizeof text, "%.2f s", static_cast<double>(*us) / 1e6);
    return text;
}

std::vector<std::string> cells(result const& one) {
    auto const count = [&](int figures::*which) {
        return range(
            one, [=](figures const& seen) { return seen.*which; }, [](int value) { return std::to_string(value); });
    };
    auto const time = [&](std::optional<std::int64_t> figures::*which) {
        return range(
            one, [=](figures const& seen) { return seen.*which; }, duration_text);
    };
    auto notice = time(&figures::notice_us);
    bool const at_release =
        std::any_of(one.runs.begin(), one.runs.end(), [](one_run const& each) { return each.seen.noticed_at_release; });
    if (at_release) notice += ", at its release";
    auto const longest_wait = range(
        one, [](figures const& seen) { return std::optional(seen.longest_wait_us); }, duration_text);
    auto const overlaps = range(
        one, [](figures const& seen) { return std::pair(seen.overlap_us, seen.overlaps); },
        [](std::pair<std::int64_t, int> const& value) {
            auto const text = std::to_string(value.second);
            return value.second == 0 ? text : text + " (" + duration_text(value.first) + ")";
        });
    return {count(&figures::losses),     notice,       time(&figures::ahead_us),
            time(&figures::recovery_us), longest_wait, count(&figures::unheard),
            count(&figures::errors),     overlaps};
}

std::string fault_cell(result const& one) {
    return range(
        one, [](figures const& seen) { return seen.fault_us; }, duration_text);
}

std::string verdict_text(result const& one) {
    std::vector<std::pair<violation, std::size_t>> kinds; // one of a kind is enough for a cell
    for (auto const& run : one.runs) {
        std::set<std::string> of_this_run;
        for (auto const& each : run.broken) {
            if (!of_this_run.insert(each.check).second) continue;
            auto const same = [&](auto const& other) { return other.first.check == each.check; };
            auto const found = std::find_if(kinds.begin(), kinds.end(), same);
            if (found != kinds.end())
                ++found->second;
            else
                kinds.emplace_back(each, 1);
        }
    }
    std::string text;
    for (auto const& [each, times] : kinds) {
        text += (text.empty() ? "" : "; ") + each.check + ": " + each.message.substr(0, each.message.find('\n'));
        if (one.runs.size() > 1)
            text += " (" + std::to_string(times) + " of " + std::to_string(one.runs.size()) + " runs)";
    }
    if (one.by == library::redisson) return text.empty() ? "–" : text;
    return text.empty() ? "kept ✓" : "✗ " + text;
}

std::string as_text(result const& one) {
    std::string text = one.of->name + " (" + name_of(one.by) + "): ";
    if (!one.skipped.empty()) return text + (one.kept() ? "skipped: " + one.skipped : one.runs[0].broken[0].message);
    auto const each = cells(one);
    auto const entries = range(
        one, [](figures const& seen) { return seen.entries; }, [](int value) { return std::to_string(value); });
    text += entries + " entries, fault lasted " + fault_cell(one) + ", lost " + each[0] + ", noticed " + each[1]
            + ", ahead of expiry " + each[2] + ", back after " + each[3] + ", longest wait " + each[4] + ", unheard "
            + each[5] + ", calls failed " + each[6] + ", two at once " + each[7];
    if (one.by == library::redlatch && one.kept()) text += ": kept";
    for (auto const& run : one.runs)
        for (auto const& broken : run.broken) text += "\n    " + broken.check + ": " + broken.message;
    return text;
}

} // namespace redlatch::chaos
