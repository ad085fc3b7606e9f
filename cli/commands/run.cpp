// redlatch run NAME -- COMMAND: the command runs while the lock is held.
#include "commands/commands.hpp"
#include "locked_command.hpp"

#include <string>

namespace redlatch::cli {

int run(arguments const& words) {
    locked_command options;
    command_line line("run NAME [FLAGS] -- COMMAND [ARGUMENTS]",
                      "Take the lock, run the command, renew the lock while it runs, give it back.");
    declare(line, options.lock);
    locked_command_line whole(line, "run", options);
    line.example("redlatch run backup -- ./backup.sh");
    line.example("redlatch run sync --no-wait --conflict-exit-code 0 -- ./sync");
    line.example("redlatch run ledger --fenced -- ./post  # which sends $REDLATCH_TOKEN along");
    line.example("redlatch run reports --permits 1/3 -- ./report  # three at once");
    line.example("redlatch run deploy --wait 30s --server redis://db1 -- make deploy");
    line.footer(std::string(locked_command_exit_status)
                + "Durations: 500ms, 30s, 5m, 1h, 1m30s. The command finds REDLATCH_LOCK,\n"
                  "REDLATCH_OWNER, REDLATCH_VALID_UNTIL (ms since the epoch) and, with --fenced,\n"
                  "REDLATCH_TOKEN in its environment.\n");
    whole.parse(words);
    whole.require_command();
    return run_locked(options);
}

} // namespace redlatch::cli
