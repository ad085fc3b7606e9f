#include "measure/server.hpp"

#include <utility>

namespace redlatch::bench {

server::server(std::string const& program)
    : socket_((folder_.path() / "socket").string()),
      process_({.over = test::server_options::transport::tcp,
                .arguments = {"--maxclients", "20000", "--unixsocket", socket_, "--loglevel", "warning"},
                .program = program}),
      probe_(process_.admin()) {}

server_work server::work() const {
    return work_seen_by(probe_);
}

std::string server::version() const {
    auto const version = info_field(probe_, "server", "redis_version");
    auto const name = info_field(probe_, "server", "server_name");
    return (name.empty() ? "Redis" : name) + " "
           + (name == "valkey" ? info_field(probe_, "server", "valkey_version") : version);
}

int server::connections() const {
    return std::stoi(info_field(probe_, "clients", "connected_clients")) - 1;
}

int server::keys() const {
    return static_cast<int>(probe_.command("DBSIZE").integer);
}

void server::flush() const {
    probe_.command("FLUSHALL");
}

} // namespace redlatch::bench
