#include "server.hpp"

#include "floor/raw_connection.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <set>
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
    : port_(free_port()),
      process_({program, "--port", std::to_string(port_), "--bind", "127.0.0.1", "--unixsocket", unix_socket().path,
                "--save", "", "--appendonly", "no", "--dir", folder_.path, "--loglevel", "warning"}) {
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

server_work server::work() const {
    // What the scripts call is counted beside what clients send.
    static std::set<std::string> const not_counted{"del",  "exists", "hdel", "hexists", "hget", "hgetall", "hincrby",
                                                   "hlen", "hset",   "info", "pexpire", "pttl", "publish"};
    server_work result;
    std::istringstream commands(info("commandstats"));
    for (std::string line; std::getline(commands, line);) {
        // cmdstat_evalsha:calls=2,usec=...
        auto const colon = line.find(":calls=");
        if (colon == std::string::npos || not_counted.contains(line.substr(8, colon - 8))) continue;
        result.commands += std::stod(line.substr(colon + 7));
    }
    std::istringstream cpu(info("cpu"));
    for (std::string line; std::getline(cpu, line);)
        if (line.starts_with("used_cpu_sys:") || line.starts_with("used_cpu_user:"))
            result.cpu_seconds += std::stod(line.substr(line.find(':') + 1));
    return result;
}

std::string server::version() const {
    std::istringstream all(info("server"));
    for (std::string line; std::getline(all, line);)
        if (line.starts_with("redis_version:")) return "Redis " + line.substr(14, line.size() - 15);
    return "unknown";
}

void server::flush() const {
    probe_->connection.ask(raw_command({"FLUSHALL"}));
}

} // namespace redlatch::bench
