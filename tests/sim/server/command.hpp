// One command: what it is called, when it is refused, what it does.
#pragma once

#include "sim/server/node_state.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace redlatch::sim {

/// A command that is being executed, by a client or by its script.
struct call {
    node_state& node;
    connection& from;
    std::size_t& database; ///< a script's SELECT does not touch its client's
    std::span<std::string_view const> argv;
    std::string& out;
    bool in_script;

    std::string_view operator[](std::size_t position) const { return argv[position]; }
};

enum trait : unsigned {
    writes = 1,            ///< refused by a replica
    grows = 2,             ///< refused without memory
    not_in_scripts = 4,    ///< refused there
    while_loading = 8,     ///< allowed then
    while_subscribed = 16, ///< allowed on a connection with subscriptions
    without_auth = 32,     ///< allowed then, and to every user
    dangerous = 64,        ///< in the ACL category of that name
    while_busy = 128,      ///< allowed then
    needs_disk = 256,      ///< refused while snapshots fail, like writes
    one_key = 512,         ///< its first word is a key, or a channel of a shard
    many_keys = 1024,      ///< all of its words are
    counted_keys = 2048,   ///< so many as its second word says, behind that
    of_shard = 4096,       ///< they are channels
};

struct command {
    std::string_view name; ///< lower case; a subcommand as "client|kill"
    int arity;             ///< words, its name included; -n: at least n
    unsigned traits;
    void (*run)(call&); ///< none: it only has subcommands
};

namespace refused {
inline constexpr std::string_view no_replicas = "NOREPLICAS Not enough good replicas to write.";
inline constexpr std::string_view disk_error =
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that "
    "may "
    "modify the data set are disabled, because this instance is configured to report errors during writes if RDB "
    "snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB "
    "error.";
inline constexpr std::string_view busy =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
} // namespace refused

/// By its first word or two, in any case; none if there is no such command, or if it is one of `removed`. A container whose
/// subcommand is unknown or missing is found itself.
command const* find_command(std::span<std::string_view const> argv, std::set<std::string, std::less<>> const& removed);
bool has_arity(command const& which, std::size_t words) noexcept;
/// True if the user may run it.
bool permitted(user const& who, command const& which);

/// Checks everything that a server checks before it runs a client's command, then runs it.
void execute(node_state& node, connection& from, std::span<std::string_view const> argv);

} // namespace redlatch::sim
