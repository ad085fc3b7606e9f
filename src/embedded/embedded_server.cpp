// Starting, asking and ending. Only the holder of the start lock starts or ends a server in the folder.
#include "base/error_text.hpp"
#include "embedded/exchange.hpp"
#include "embedded/held_locks.hpp"
#include "embedded/runtime_folder.hpp"
#include "embedded/server_process.hpp"
#include "embedded/server_program.hpp"
#include "embedded/unreachable_server.hpp"
#include "io/log.hpp"
#include "io/uri_text.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>
#include <redlatch/lease_clock.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <initializer_list>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace redlatch {

namespace {

using embedded::exchange;

constexpr std::chrono::seconds start_limit{10};
constexpr std::chrono::seconds stop_limit{10};
constexpr std::chrono::seconds answer_limit{1};
constexpr std::chrono::seconds unreachable_limit{2};
constexpr std::chrono::seconds end_limit{3};

constexpr char const* end_by_force = "when no program of yours holds one, end it with 'redlatch server stop --force'";
constexpr char const* no_second_one = "no second one is started; when no program of yours holds one, end it with "
                                      "'redlatch server stop --force', or name a server, as in redis://host:6379";

/// The folder as such: lstat follows a link before a slash.
std::filesystem::path plain(std::filesystem::path const& folder) {
    std::error_code problem;
    auto text = std::filesystem::absolute(folder, problem).string();
    if (problem || folder.empty())
        throw error(errc::bad_config, "the private server needs a folder; this path names none");
    while (text.size() > 1 && (text.ends_with('/') || text.ends_with("/."))) text.pop_back();
    return text;
}

[[noreturn]] void fail(errc code, std::filesystem::path const& socket, std::string const& reason) {
    throw error(code, "the private server at " + io::printable(socket.string()) + " " + reason);
}

void end_process(::pid_t process, std::initializer_list<int> signals, std::filesystem::path const& socket) {
    for (int const signal : signals) {
        ::kill(process, signal);
        if (embedded::wait_for_end(process, lease_clock::now() + end_limit)) return;
    }
    fail(errc::disconnected, socket, "is in process " + std::to_string(process) + ", which does not end");
}

void require_room_for_socket(std::filesystem::path const& socket) {
    struct stat status {};
    if (::lstat(socket.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode))
        fail(errc::bad_config, socket, "cannot be started: the file there is not a socket");
}

void wait_until_it_answers(::pid_t process, std::filesystem::path const& folder, lease_clock::time_point deadline) {
    auto const socket = embedded::socket_in(folder);
    while (!embedded::answers(socket, deadline)) {
        if (!embedded::is_alive(process)) {
            auto const words = embedded::last_words(folder);
            fail(errc::disconnected, socket,
                 "ended as soon as it was started; it said: " + (words.empty() ? "nothing" : io::printable(words)));
        }
        if (lease_clock::now() >= deadline) fail(errc::disconnected, socket, "was started, but does not answer");
        embedded::pause_before_next_look();
    }
    io::log(log_level::info, "started the private server in process " + std::to_string(process));
}

/// With the start lock held. That alone keeps nobody out, as its file can be removed; the claim does.
void start_server(std::filesystem::path const& folder, lease_clock::time_point deadline) {
    auto const socket = embedded::socket_in(folder);
    auto const limit = lease_clock::now() + unreachable_limit;
    for (;; embedded::pause_before_next_look()) {
        if (auto const other = embedded::find_unreachable_server(folder, limit, deadline))
            embedded::refuse_unreachable(*other, folder, no_second_one);
        if (embedded::answers(socket, deadline)) return;
        require_room_for_socket(socket);
        auto const program = embedded::require_server_program();
        auto const process = embedded::start_detached(program, folder, embedded::claim_address(folder));
        if (process) return wait_until_it_answers(*process, folder, deadline);
        // Another start came in between; or somebody has merely taken the name.
        if (lease_clock::now() >= limit)
            embedded::refuse_unreachable({.is_foreign = true, .text = "an unknown process"}, folder, "");
    }
}

/// A connection on which the server answers; none where nobody serves the socket. Throws when it hangs.
std::optional<exchange> reach(std::filesystem::path const& socket, lease_clock::time_point deadline) {
    for (;;) {
        try {
            auto server = exchange::connect(socket, deadline);
            if (server) server->command("PING");
            return server;
        } catch (error const& problem) {
            // A connection that is closed belongs to a server that is ending.
            if (problem.reason() != errc::disconnected || lease_clock::now() >= deadline) throw;
            embedded::pause_before_next_look();
        }
    }
}

std::int64_t number_in(std::string const& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

embedded_server::state ask(exchange& server) {
    auto const reply = server.command("INFO");
    if (!reply.is_text()) throw error(errc::server_refused, "the private server refused INFO: " + reply.text);
    auto const value = [&](char const* key) { return embedded::info_value(reply.text, key); };
    embedded_server::state result;
    result.running = true;
    result.pid = server.peer() != 0 ? server.peer() : static_cast<::pid_t>(number_in(value("process_id")));
    result.version = value("valkey_version");
    result.software = result.version.empty() ? "redis" : "valkey";
    if (result.version.empty()) result.version = value("redis_version");
    result.uptime_seconds = number_in(value("uptime_in_seconds"));
    result.clients = std::max<std::int64_t>(0, number_in(value("connected_clients")) - 1); // but for this one
    result.keys = embedded::parse_keyspace(reply.text).keys;
    return result;
}

[[noreturn]] void refuse_to_stop(embedded::held_locks const& found, std::filesystem::path const& socket) {
    auto const name = "'" + io::printable(found.example, 80) + "'";
    auto const which =
        found.count == 1 ? (found.of_permits ? "permits of " + name + " are taken" : "the lock " + name + " is held")
                               + "; end the work that holds " + (found.of_permits ? "them" : "it")
        : found.count == embedded::most_counted
            ? "very many locks are held, " + name + " among them; end the work"
            : std::to_string(found.count) + " locks are held, " + name + " among them; end the work that holds them";
    fail(errc::busy, socket, "is not stopped: " + which + ", or use force");
}

/// No lock can be taken between the look and the end: writers wait. Servers before 6.2 refuse that, and the gap remains.
void require_no_locks(exchange& server, std::filesystem::path const& socket) {
    server.command("CLIENT", "PAUSE", "5000", "WRITE");
    auto const found = embedded::find_held_locks(server);
    if (found.count == 0) return;
    server.command("CLIENT", "UNPAUSE");
    refuse_to_stop(found, socket);
}

void kill_hanging_server(std::filesystem::path const& socket) {
    auto const server = exchange::connect(socket, lease_clock::now() + answer_limit);
    auto const process = server ? server->peer() : 0;
    if (process <= 1) fail(errc::disconnected, socket, "does not answer, and its process is not visible from here");
    end_process(process, {SIGKILL}, socket);
}

/// Where nobody serves the socket. It cannot be asked what is held.
bool stop_unreachable(embedded::unreachable_server const& other, std::filesystem::path const& folder, bool force) {
    if (other.is_foreign) return false;
    if (!force) embedded::refuse_unreachable(other, folder, end_by_force);
    if (other.process == 0)
        embedded::refuse_unreachable(other, folder, "it must be ended where its process can be seen");
    end_process(other.process, {SIGTERM, SIGKILL}, embedded::socket_in(folder));
    return true;
}

/// Takes the start lock, or fails at the deadline.
embedded::start_lock take_start_lock(std::filesystem::path const& folder, lease_clock::time_point deadline) {
    for (;;) {
        if (auto lock = embedded::start_lock::try_take(folder)) return *std::move(lock);
        if (lease_clock::now() >= deadline)
            throw error(errc::disconnected, "another process is starting or stopping the private server in "
                                                + io::printable(folder.string()) + ", and does not finish");
        embedded::pause_before_next_look();
    }
}

} // namespace

embedded_server::embedded_server() : embedded_server(embedded::default_folder()) {}

embedded_server::embedded_server(std::filesystem::path folder) : folder_(plain(folder)) {
    embedded::require_own_rights();
    embedded::require_private_folder(folder_);
}

std::string embedded_server::uri() const {
    return "unix://" + io::percent_encoded_path(socket().native());
}

void embedded_server::ensure_running() {
    auto const deadline = lease_clock::now() + start_limit;
    for (;;) {
        if (embedded::answers(socket(), deadline)) return;
        if (auto const lock = embedded::start_lock::try_take(folder_)) return start_server(folder_, deadline);
        if (lease_clock::now() >= deadline) fail(errc::disconnected, socket(), "is being started, but does not answer");
        embedded::pause_before_next_look();
    }
}

embedded_server::state embedded_server::status() const {
    auto const limit = lease_clock::now() + answer_limit;
    auto server = reach(socket(), limit);
    if (!server) {
        auto const other = embedded::find_unreachable_server(folder_, limit, limit);
        if (other && !other->is_foreign) embedded::refuse_unreachable(*other, folder_, end_by_force);
        server = reach(socket(), limit); // it may have been starting
    }
    auto result = server ? ask(*server) : state{};
    result.socket = socket();
    return result;
}

bool embedded_server::stop(bool force) {
    auto const deadline = lease_clock::now() + stop_limit;
    auto const lock = take_start_lock(folder_, deadline);
    std::optional<exchange> server;
    try {
        server = reach(socket(), lease_clock::now() + answer_limit);
    } catch (error const&) {
        if (!force) throw;
        kill_hanging_server(socket());
        return true;
    }
    if (!server) {
        auto const limit = lease_clock::now() + answer_limit;
        if (auto const other = embedded::find_unreachable_server(folder_, limit, limit))
            return stop_unreachable(*other, folder_, force);
        server = reach(socket(), lease_clock::now() + answer_limit); // it may have been starting
        if (!server) return false;
    }
    auto const process = server->peer();
    server->set_deadline(deadline);
    if (!force) require_no_locks(*server, socket());
    try {
        // An answer comes only where it refuses.
        auto const reply = server->command("SHUTDOWN", "NOSAVE");
        fail(errc::server_refused, socket(), "refused to stop: " + reply.text);
    } catch (error const& problem) {
        if (problem.reason() != errc::disconnected) throw;
    }
    if (server->wait_for_close() && (process <= 1 || embedded::wait_for_end(process, deadline))) return true;
    if (!force) fail(errc::disconnected, socket(), "does not end; use force");
    if (process <= 1) fail(errc::disconnected, socket(), "does not end, and its process is not visible from here");
    end_process(process, {SIGKILL}, socket());
    return true;
}

} // namespace redlatch
