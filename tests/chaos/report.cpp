#include "report.hpp"

#include "support/redis_server.hpp"

#include <redlatch/version.hpp>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
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
    auto const& seen = one.seen;
    std::string overlaps = std::to_string(seen.overlaps);
    if (seen.overlaps > 0) overlaps += " (" + duration_text(seen.overlap_us) + ")";
    std::string notice = duration_text(seen.notice_us);
    if (seen.noticed_at_release) notice += ", at its release";
    return {std::to_string(seen.losses),         notice,
            duration_text(seen.ahead_us),        duration_text(seen.recovery_us),
            duration_text(seen.longest_wait_us), std::to_string(seen.unheard),
            std::to_string(seen.errors),         overlaps};
}

std::string verdict_text(result const& one) {
    std::string text;
    for (auto const& each : one.broken) {
        if (text.find(each.check) != std::string::npos) continue; // one of a kind is enough for a cell
        text += (text.empty() ? "" : "; ") + each.check + ": " + each.message;
    }
    if (one.by == library::redisson) return text.empty() ? "–" : text;
    return text.empty() ? "kept ✓" : "✗ " + text;
}

std::string as_text(result const& one) {
    std::string text = one.of->name + " (" + name_of(one.by) + "): ";
    if (!one.skipped.empty())
        return text + (one.broken.empty() ? "skipped: " + one.skipped : one.broken.front().message);
    auto const each = cells(one);
    text += std::to_string(one.seen.entries) + " entries, lost " + each[0] + ", noticed " + each[1]
            + ", ahead of expiry " + each[2] + ", back after " + each[3] + ", longest wait " + each[4] + ", unheard "
            + each[5] + ", calls failed " + each[6] + ", two at once " + each[7];
    if (one.by == library::redlatch && one.broken.empty()) text += ": kept";
    for (auto const& broken : one.broken) text += "\n    " + broken.check + ": " + broken.message;
    return text;
}

} // namespace redlatch::chaos
