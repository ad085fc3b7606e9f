#include "measure/server.hpp"

#include "floor/raw_connection.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace redlatch::bench {

namespace {

std::uint16_t free_port() {
    int const probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    auto* const generic = reinterpret_cast<sockaddr*>(&name);
    bool const found = ::bind(probe, generic, size) == 0 && ::getsockname(probe, generic, &size) == 0;
    ::close(probe);
    if (!found) throw std::runtime_error("no free TCP port on 127.0.0.1");
    return ntohs(name.sin_port);
}

} // namespace

struct server::probe {
    explicit probe(address const& where) : connection(where) {}
    raw_connection connection;
};

server::temporary_folder::temporary_folder()
    : path((std::filesystem::temp_directory_path() / "redlatch-bench-XXXXXX")) {
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + path);
}

server::temporary_folder::~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

server::server(std::string const& program)
    : port_(free_port()), process_({program, "--port", std::to_string(port_), "--bind", "127.0.0.1", "--maxclients",
                                    "20000", "--unixsocket", unix_socket().path, "--save", "", "--appendonly", "no",
                                    "--dir", folder_.path, "--loglevel", "warning"}) {
    for (int attempt = 0; attempt < 1000 && !probe_; ++attempt) {
        try {
            probe_ = std::make_unique<probe>(tcp());
        } catch (std::exception const&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    if (!probe_) throw std::runtime_error(program + " does not come up");
}

server::~server() = default;

std::string server::info(std::string const& section) const {
    return probe_->connection.ask(raw_command({"INFO", section})).text;
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
    return static_cast<int>(probe_->connection.ask(raw_command({"DBSIZE"})).integer);
}

void server::flush() const {
    probe_->connection.ask(raw_command({"FLUSHALL"}));
}

} // namespace redlatch::bench
