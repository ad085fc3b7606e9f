// The commands. Each gets the words behind its name, returns the tool's exit status, and throws redlatch::error, usage_error,
// help_requested or std::system_error, which main() turns into sentences and statuses.
#pragma once

#include "command_line.hpp"

namespace redlatch::cli {

int run(arguments words);
int hold_lock(arguments words);
int show_status(arguments words);
int list_locks(arguments words);
int unlock(arguments words);
int ping(arguments words);
int serve(arguments words);
int show_version(arguments words);

} // namespace redlatch::cli
