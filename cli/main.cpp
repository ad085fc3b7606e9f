// redlatch: a command under a distributed lock, and what else one wants to know about locks.
#include "commands/commands.hpp"
#include "die_of_signal.hpp"
#include "exit_code.hpp"
#include "nearest.hpp"
#include "report.hpp"
#include "text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace redlatch::cli {
namespace {

char const* const help_text = "Usage: redlatch COMMAND ...\n"
                              "\n"
                              "Distributed locks on Redis, shared with Redisson; semaphores and latches too.\n"
                              "\n"
                              "Commands:\n"
                              "  run NAME [FLAGS] -- COMMAND   Take the lock, run the command, give the lock back.\n"
                              "  elect NAME [FLAGS] -- COMMAND Run the command while this candidate leads.\n"
                              "  hold NAME [FLAGS]             Hold the lock until a signal comes.\n"
                              "  status NAME                   Who holds it? Exit status 0: held, 1: free.\n"
                              "  list [PATTERN]                Show locks in a table.\n"
                              "  unlock NAME --force           End anybody's hold.\n"
                              "  semaphore COMMAND NAME        Permits that all share: set, acquire, release ...\n"
                              "  permits COMMAND NAME          Permits with ids and leases: set, show, release ...\n"
                              "  latch COMMAND NAME            A gate for all: set, count-down, wait ...\n"
                              "  ping                          Show the server, its version and the round trip.\n"
                              "  doctor                        Say what the servers promise for locks, and advise.\n"
                              "  acl                           Print the least rights that a user needs.\n"
                              "  config check FILE             Show what a configuration file says.\n"
                              "  server status|stop            The private server that is used when none is named.\n"
                              "  version                       Show the version of the tool.\n"
                              "\n"
                              "Flags of all commands that speak to a server:\n"
                              "  --server URI                  Also REDLATCH_SERVER.\n"
                              "  --config FILE                 Also REDLATCH_CONFIG.\n"
                              "  --password-file FILE          Holds the password.\n"
                              "  --ca-file FILE                With TLS: the authorities that are trusted; and\n"
                              "                                --certificate-file and --key-file: of this client.\n"
                              "  --require-server              Never the private one. Also REDLATCH_REQUIRE_SERVER=1.\n"
                              "  --json                        One JSON object per line.\n"
                              "  --verbose                     Say on stderr what happens.\n"
                              "\n"
                              "redlatch COMMAND --help tells more, and so do redlatch help COMMAND and man redlatch.\n";

using command = int (*)(arguments const&);

command find_command(std::string_view name) {
    if (name == "run") return &run;
    if (name == "elect") return &elect;
    if (name == "hold") return &hold_lock;
    if (name == "status") return &show_status;
    if (name == "list") return &list_locks;
    if (name == "unlock") return &unlock;
    if (name == "semaphore") return &use_semaphore;
    if (name == "permits") return &use_permits;
    if (name == "latch") return &use_latch;
    if (name == "ping") return &ping;
    if (name == "doctor") return &consult_doctor;
    if (name == "acl") return &show_acl;
    if (name == "config") return &show_config;
    if (name == "server") return &serve;
    if (name == "version" || name == "--version") return &show_version;
    return nullptr;
}

std::string about_unknown_command(std::string const& name, arguments const& others) {
    std::string const said = "there is no command '" + name + "'; ";
    if (name.starts_with('-')) return said + "flags stand behind the command, as in: redlatch status NAME --json";
    auto const meant = nearest(name, {"run", "elect", "hold", "status", "list", "unlock", "semaphore", "permits",
                                      "latch", "ping", "doctor", "acl", "config", "server", "version", "help"});
    if (!meant.empty()) return said + "did you mean " + meant + "? redlatch --help shows all";
    if (std::find(others.begin(), others.end(), "--") != others.end())
        return said + "did you mean: redlatch run " + name + " -- COMMAND";
    return said + "redlatch --help shows them";
}

int dispatch(arguments words) {
    if (words.empty()) throw usage_error("there is no command; redlatch --help shows them");
    std::string const name = words.front();
    words.erase(words.begin());
    if (name == "help" && !words.empty() && words.front() != "help" && !words.front().starts_with('-')) {
        words.push_back("--help"); // help run: as run --help
        return dispatch(std::move(words));
    }
    if (name == "help" || name == "--help" || name == "-h") throw help_requested{help_text};
    auto const found = find_command(name);
    if (found == nullptr) throw usage_error(about_unknown_command(name, words));
    try {
        return found(words);
    } catch (usage_error const& problem) {
        throw usage_error(std::string(problem.what()) + " (see redlatch " + name + " --help)");
    }
}

/// Errors are told as the user asked for, also when the command line is what is wrong.
report reporter_for(arguments const& words) {
    auto const end = std::find(words.begin(), words.end(), "--");
    return {false, std::find(words.begin(), end, "--json") != end};
}

/// A descriptor that the caller has closed would otherwise be given to a socket, and what we print would go to the server.
/// Neither reading nor writing works on what is put there, and the command finds it closed as it was.
void occupy_standard_descriptors() {
    for (int const number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0)
            ::open("/dev/null",
                   (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC); // the lowest free number: this one
}

int fail(report const& reporter, int status, std::string_view message) {
    reporter.problem("error", message, {{"status", std::int64_t{status}}});
    return status;
}

} // namespace
} // namespace redlatch::cli

int main(int count, char** words) {
    using namespace redlatch::cli;
    occupy_standard_descriptors();
    arguments all(words + std::min(count, 1), words + count);
    report const reporter = reporter_for(all);
    try {
        try {
            return dispatch(std::move(all));
        } catch (help_requested const& help) {
            print(help.text);
            return 0;
        }
    } catch (output_error const& problem) {
        return fail(reporter, exit_code::no_output, problem.what());
    } catch (ended_by_signal const& end) {
        die_of(end.number);
    } catch (usage_error const& problem) {
        return fail(reporter, exit_code::usage, problem.what());
    } catch (redlatch::error const& problem) {
        return fail(reporter, exit_code_of(problem.reason()), problem.what());
    } catch (std::exception const& problem) {
        return fail(reporter, exit_code::internal, problem.what());
    }
}
