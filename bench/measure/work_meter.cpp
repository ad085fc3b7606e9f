#include "measure/work_meter.hpp"

#include <sstream>

namespace redlatch::bench {

namespace {

std::string info(test::raw_client& probe, std::string const& section) {
    return probe.command("INFO", section).text;
}

} // namespace

std::string info_field(test::raw_client& probe, std::string const& section, std::string const& name) {
    std::istringstream lines(info(probe, section));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(name + ":")) return line.substr(name.size() + 1, line.find('\r') - name.size() - 1);
    return {};
}

server_work work_seen_by(test::raw_client& probe) {
    server_work result;
    std::istringstream commands(info(probe, "commandstats"));
    for (std::string line; std::getline(commands, line);) {
        // cmdstat_evalsha:calls=2,usec=...
        auto const colon = line.find(":calls=");
        if (colon == std::string::npos) continue;
        auto const name = line.substr(8, colon - 8);
        if (name != "info") result.calls[name] = std::stod(line.substr(colon + 7));
    }
    result.cpu_seconds =
        std::stod(info_field(probe, "cpu", "used_cpu_sys")) + std::stod(info_field(probe, "cpu", "used_cpu_user"));
    return result;
}

} // namespace redlatch::bench
