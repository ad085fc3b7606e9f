// redlatch ping: is there a server, which, and how far away.
#include "commands/commands.hpp"
#include "durations.hpp"
#include "json_line.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_software = 60;

} // namespace

int ping(arguments const& words) {
    common_options options;
    command_line line("ping [FLAGS]", "Show the server, its version and the time of a round trip.");
    declare(line, options, "One JSON object on stdout.");
    line.example("redlatch ping --server redis://db1:6379");
    line.footer(exit_status_text("  0    the server answered\n"));
    line.parse(words);
    client owner(choose_server(options));
    auto const server = owner.ping();
    if (options.json) {
        print(json_of(server));
        return 0;
    }
    auto const software = server.software + ' ' + server.version;
    print(printable(server.address) + "  "
          + (server.version.empty() ? "(this user may not ask for its version)" : shortened(software, longest_software))
          + "  " + to_precise_text(server.round_trip) + '\n');
    return 0;
}

} // namespace redlatch::cli
