#include "measure/server.hpp"

#include <sstream>
#include <utility>

namespace redlatch::bench {

server::server(std::string const& program)
    : socket_((folder_.path() / "socket").string()),
      process_({.over = test::server_options::transport::tcp,
                .arguments = {"--maxclients", "20000", "--unixsocket", socket_, "--loglevel", "warning"},
                .program = program}),
      probe_(process_.admin()) {}

std::string server::info(std::string const& section) const {
    return probe_.command("INFO", section).text;
}

std::string server::field(std::string const& section, std::string const& name) const {
    std::istringstream lines(info(section));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(name + ":")) return line.substr(name.size() + 1, line.find('\r') - name.size() - 1);
    return {};
}

server_work server::work() const {
    server_work result;
    std::istringstream commands(info("commandstats"));
    for (std::string line; std::getline(commands, line);) {
        // cmdstat_evalsha:calls=2,usec=...
        auto const colon = line.find(":calls=");
        if (colon == std::string::npos) continue;
        auto const name = line.substr(8, colon - 8);
        if (name != "info") result.calls[name] = std::stod(line.substr(colon + 7));
    }
    result.cpu_seconds = std::stod(field("cpu", "used_cpu_sys")) + std::stod(field("cpu", "used_cpu_user"));
    return result;
}

std::string server::version() const {
    auto const version = field("server", "redis_version");
    auto const name = field("server", "server_name");
    return (name.empty() ? "Redis" : name) + " " + (name == "valkey" ? field("server", "valkey_version") : version);
}

int server::connections() const {
    return std::stoi(field("clients", "connected_clients")) - 1;
}

int server::keys() const {
    return static_cast<int>(probe_.command("DBSIZE").integer);
}

void server::flush() const {
    probe_.command("FLUSHALL");
}

} // namespace redlatch::bench
