#include "embedded/unreachable_server.hpp"

#include "base/time.hpp"
#include "embedded/exchange.hpp"
#include "embedded/server_claim.hpp"
#include "embedded/server_process.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

namespace redlatch::embedded {

namespace {

/// From the first look that finds the socket bound to the last one for an answer: between bind(2) and listen(2) a server may
/// have to wait for a processor.
constexpr base::milliseconds time_to_listen{500};

std::string described(::pid_t process) {
    return process != 0 ? "process " + std::to_string(process) : "a process that is not visible from here";
}

std::optional<unreachable_server> find_server(std::filesystem::path const& folder) {
    auto const found = find_claimant(claim_address(folder));
    if (found && found->user != ::geteuid())
        return unreachable_server{found->process, true,
                                  described(found->process) + " of the user with id " + std::to_string(found->user)};
    auto const process = found && found->process != 0 ? found->process : find_server_process(folder).value_or(0);
    if (!found && process == 0) return std::nullopt;
    return unreachable_server{process, false, described(process)};
}

/// A server that listens, or did before its folder or socket was removed, has bound its socket; one that is starting has not.
/// True where the kernel's list of sockets cannot be read.
bool is_bound(std::filesystem::path const& socket) {
    std::ifstream list("/proc/net/unix");
    if (!list) return true;
    auto const path = " " + socket.string();
    for (std::string line; std::getline(list, line);)
        if (line.ends_with(path)) return true;
    return false;
}

} // namespace

std::optional<unreachable_server> find_unreachable_server(std::filesystem::path const& folder,
                                                          lease_clock::time_point limit,
                                                          lease_clock::time_point limit_of_a_start) {
    auto const socket = socket_in(folder);
    auto bound_at = base::never;
    for (;;) {
        auto other = find_server(folder);
        if (!other || other->is_foreign) return other;
        do { // each look for the server takes a place in the queue of its claim, so it is not looked for meanwhile
            if (answers(socket, limit_of_a_start)) return std::nullopt;
            auto const now = lease_clock::now();
            if (now >= limit) {
                if (now >= limit_of_a_start) return other;
                bound_at = is_bound(socket) ? std::min(bound_at, now) : base::never;
                if (now >= base::later(bound_at, time_to_listen)) return other;
            }
            pause_before_next_look();
        } while (other->process == 0 || is_alive(other->process));
    }
}

void refuse_unreachable(unreachable_server const& other, std::filesystem::path const& folder,
                        std::string const& advice) {
    auto const server = "the private server at " + io::printable(socket_in(folder).string());
    if (other.is_foreign)
        throw error(errc::bad_config,
                    server + " cannot be started: " + other.text + " has taken its name, the abstract socket "
                        + claim_address(folder).text()
                        + "; have that process ended, or let REDLATCH_RUNTIME_DIR name another folder");
    throw error(errc::disconnected,
                server + " is " + other.text
                    + ", which is alive and cannot be reached: its folder or socket was removed, or this program sees "
                      "another folder there (a container, PrivateTmp of systemd). Locks may be held on it: "
                    + advice);
}

} // namespace redlatch::embedded
