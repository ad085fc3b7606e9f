#include "report/surroundings.hpp"

#include "measure/affinity.hpp"

#include <redlatch/version.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <hiredis/hiredis.h>
#include <sys/utsname.h>

namespace redlatch::bench {

namespace {

/// The value after the colon of the first line that begins with `key`.
std::string field(char const* file, std::string const& key) {
    std::ifstream lines(file);
    for (std::string text; std::getline(lines, text);)
        if (text.starts_with(key))
            if (auto const colon = text.find(": "); colon != std::string::npos) return text.substr(colon + 2);
    return "unknown";
}

std::string operating_system() {
    std::ifstream lines("/etc/os-release");
    std::string name = "Linux";
    for (std::string text; std::getline(lines, text);)
        if (text.starts_with("PRETTY_NAME=\"")) name = text.substr(13, text.size() - 14);
    utsname kernel{};
    ::uname(&kernel);
    return name + ", kernel " + kernel.release;
}

std::string compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

} // namespace

std::vector<std::pair<std::string, std::string>> surroundings(server const& at, machine_load const& before) {
    char day[32];
    std::time_t const now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    char hiredis[32];
    std::snprintf(hiredis, sizeof hiredis, "%d.%d.%d", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
    return {{"date", day},
            {"redlatch", REDLATCH_VERSION_STRING},
            {"processor", std::to_string(usable_cores().size()) + " × " + field("/proc/cpuinfo", "model name")},
            {"system", operating_system()},
            {"server", at.version()},
            {"hiredis (floors)", hiredis},
            {"compiler", compiler() + ", " REDLATCH_BENCH_BUILD},
            {"load before the run", text_of(before, static_cast<int>(usable_cores().size()))}};
}

} // namespace redlatch::bench
