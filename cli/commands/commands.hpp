// The commands. Each gets the words behind its name, returns the tool's exit status, and throws redlatch::error, usage_error,
// help_requested or std::system_error, which main() turns into messages and statuses.
#pragma once

#include "command_line.hpp"

namespace redlatch::cli {

int run(arguments const& words);
int elect(arguments const& words);
int hold_lock(arguments const& words);
int show_status(arguments const& words);
int list_locks(arguments const& words);
int unlock(arguments const& words);
int use_semaphore(arguments const& words);
int use_permits(arguments const& words);
int use_latch(arguments const& words);
int show_acl(arguments const& words);
int show_config(arguments const& words);
int consult_doctor(arguments const& words);
int ping(arguments const& words);
int serve(arguments const& words);
int show_version(arguments const& words);

} // namespace redlatch::cli
