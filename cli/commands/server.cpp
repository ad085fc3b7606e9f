// redlatch server status|stop: the private server.
#include "commands/commands.hpp"
#include "json_line.hpp"
#include "options.hpp"
#include "subcommands.hpp"
#include "text.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>

#include <string>

namespace redlatch::cli {
namespace {

char const* const server_help = "Usage: redlatch server status|stop [FLAGS]\n"
                                "\n"
                                "The private server of this user on this machine, which is used when no other\n"
                                "one is named. It lives in /tmp/redlatch-UID (REDLATCH_RUNTIME_DIR overrides).\n"
                                "\n"
                                "Commands:\n"
                                "  status    Does it run? Exit status 0: yes, 1: no.\n"
                                "  stop      End it. Refused while locks or permits are held, unless forced.\n"
                                "\n"
                                "redlatch server COMMAND --help tells more.\n";

std::string text_of_state(embedded_server::state const& server) {
    if (!server.running) return "no server runs at " + printable(server.socket.string()) + '\n';
    return printable(server.socket.string()) + "  " + printable(server.software) + ' ' + printable(server.version)
           + "  pid " + std::to_string(server.pid) + "  up " + std::to_string(server.uptime_seconds) + "s  clients "
           + std::to_string(server.clients) + "  keys " + std::to_string(server.keys) + '\n';
}

int status(arguments const& words) {
    bool json = false;
    command_line line("server status [FLAGS]", "Show the private server of this user, if it runs. Never starts it.");
    line.flag("--json", "One JSON object on stdout.", json);
    line.example("redlatch server status --json");
    line.footer("Exit status:\n  0    it runs\n  1    it does not\n  64   its folder cannot be used\n"
                "  69   it is alive and cannot be reached, as its folder or socket was removed\n"
                "  74   the output cannot be written to stdout\n");
    line.parse(words);
    auto const server = embedded_server().status();
    print(json ? json_of(server) : text_of_state(server));
    return server.running ? 0 : 1;
}

int stop(arguments const& words) {
    bool force = false;
    command_line line("server stop [FLAGS]", "End the private server of this user.");
    line.flag("--force", "Also while locks are held. Whoever holds one loses it.", force);
    line.example("redlatch server stop");
    line.footer("Exit status:\n  0    it was ended\n  1    it did not run\n  64   its folder cannot be used\n"
                "  69   it cannot be reached; with --force it is ended nevertheless\n"
                "  74   the output cannot be written to stdout\n  75   locks or permits are held\n");
    line.parse(words);
    bool ended = false;
    try {
        ended = embedded_server().stop(force);
    } catch (error const& problem) {
        if (problem.reason() != errc::busy) throw;
        throw error(errc::busy, std::string(problem.what()) + ": redlatch server stop --force");
    }
    print(ended ? "the server was ended\n" : "no server runs\n");
    return ended ? 0 : 1;
}

} // namespace

int serve(arguments const& words) {
    return run_subcommand("server", {{"status", &status}, {"stop", &stop}}, server_help, words);
}

} // namespace redlatch::cli
