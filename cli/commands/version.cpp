// redlatch version
#include "commands/commands.hpp"
#include "json_line.hpp"
#include "text.hpp"

#include <redlatch/version.hpp>

namespace redlatch::cli {

int show_version(arguments const& words) {
    bool json = false;
    command_line line("version [FLAGS]", "Show the version of the tool.");
    line.flag("--json", "One JSON object on stdout.", json);
    line.example("redlatch version --json");
    line.parse(words);
    print(json ? json_of_version(REDLATCH_VERSION_STRING) : "redlatch " REDLATCH_VERSION_STRING "\n");
    return 0;
}

} // namespace redlatch::cli
