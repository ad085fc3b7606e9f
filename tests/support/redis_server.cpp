#include "support/redis_server.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace redlatch::test {
namespace {

bool in_path(std::string const& program) {
    char const* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

std::string program_to_run(server_options const& options) {
    if (!options.program.empty()) return options.program;
    if (char const* const named = std::getenv("REDLATCH_TEST_SERVER"); named != nullptr && *named != '\0') return named;
    for (std::string const candidate : {"redis-server", "valkey-server"})
        if (in_path(candidate)) return candidate;
    throw std::runtime_error("the tests need redis-server or valkey-server: apt-get install redis-server");
}

char process_state(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(file, line);
    auto const at = line.rfind(')');
    return at == std::string::npos || at + 2 >= line.size() ? '?' : line[at + 2];
}

/// `Redis server v=6.2.14 …`. Not one of a package, which is no path: those of Debian 12 and later are 7 and more. Nor Valkey,
/// whose first version was 7.2: it is not started once more for each test.
bool says_that_it_is_before_7(std::string const& program) {
    auto const slash = program.rfind('/');
    if (slash == std::string::npos || program.compare(slash + 1, 6, "valkey") == 0) return false;
    temporary_folder folder;
    auto const output = folder.path() / "version";
    child_process({.arguments = {program, "--version"}, .output_file = output}).wait();
    std::ostringstream text;
    text << std::ifstream(output).rdbuf();
    auto const at = text.str().find(" v=");
    return at != std::string::npos && std::atoi(text.str().c_str() + at + 3) < 7;
}

bool is_before_7(std::string const& program) {
    static std::map<std::string, bool> known;
    static std::mutex mutex;
    std::lock_guard const guard(mutex);
    auto const found = known.find(program);
    return found != known.end() ? found->second : (known[program] = says_that_it_is_before_7(program));
}

} // namespace

bool test_server_is_before_7() {
    return is_before_7(program_to_run({}));
}

redis_server::redis_server(server_options options) : options_(std::move(options)) {
    if (options_.over == server_options::transport::unix_socket) {
        address_.path = (folder_.path() / "redis.sock").string();
    } else {
        address_.port = port_.emplace().number();
    }
    start();
}

redis_server::~redis_server() = default;

void redis_server::start() {
    std::vector<std::string> arguments{program_to_run(options_), "--dir", folder_.path().string(), "--save", ""};
    auto const add = [&](std::string name, std::string value) {
        arguments.push_back(std::move(name));
        arguments.push_back(std::move(value));
    };
    add("--port", std::to_string(address_.port));
    add("--bind", "127.0.0.1");
    if (address_.is_unix()) add("--unixsocket", address_.path);
    add("--appendonly", options_.persistent ? "yes" : "no");
    add("--appendfsync", "always");
    if (!is_before_7(arguments.front())) add("--enable-debug-command", "yes"); // before, it is allowed
    add("--maxclients", "4000");
    arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
    process_ = std::make_unique<child_process>(child_options{
        .arguments = arguments, .environment = options_.environment, .output_file = folder_.path() / "server.log"});
    bool const answers = wait_until([&] {
        if (process_->ended()) return true;
        try {
            auto const reply = raw_client(address_).command("PING");
            return reply.is_text() || reply.is_error_named("NOAUTH") || reply.is_error_named("NOPERM");
        } catch (std::runtime_error const&) {
            return false;
        }
    });
    if (answers && !process_->ended()) return;
    process_.reset();
    throw std::runtime_error("the server did not start:\n" + log());
}

std::string redis_server::log() const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() / "server.log").rdbuf();
    return text.str();
}

void redis_server::stop() {
    if (!process_) return;
    // A stopped process does not see SIGTERM before it continues.
    process_->signal(SIGCONT);
    process_->signal(SIGTERM);
    if (!process_->wait()) process_->signal(SIGKILL);
    process_.reset();
}

void redis_server::kill9() {
    process_.reset();
}
void redis_server::pause() {
    process_->signal(SIGSTOP);
    // The signal is on its way, not there: on another processor the server may still answer.
    if (!wait_until([this] { return process_state(pid()) == 'T'; }))
        throw std::runtime_error("the server did not stop");
}
void redis_server::resume() {
    process_->signal(SIGCONT);
}

void redis_server::restart(data what) {
    if (what == data::kept && !options_.persistent)
        throw std::logic_error("restart with data needs a persistent server");
    stop();
    if (what == data::lost) {
        std::filesystem::remove_all(folder_.path() / "appendonlydir");
        std::filesystem::remove(folder_.path() / "appendonly.aof"); // before Redis 7.0
    }
    if (address_.is_unix()) std::filesystem::remove(address_.path);
    start();
}

bool redis_server::has_replicated(std::size_t replicas) const {
    auto const role = run("ROLE");
    if (role.items.size() != 3 || role.items[2].items.size() < replicas) return false;
    auto const executed = role.items[1].integer;
    for (auto const& replica : role.items[2].items)
        if (executed == 0 || replica.items.size() != 3 || replica.items[2].text != std::to_string(executed))
            return false;
    return true;
}

} // namespace redlatch::test
