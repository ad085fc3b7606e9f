// What the flags and the environment say, as values.
#pragma once

#include "command_line.hpp"
#include "permit_request.hpp"
#include "report.hpp"

#include <redlatch/config.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace redlatch::cli {

/// Which server, and how to speak of it.
struct common_options {
    std::optional<std::string> server{};
    std::optional<std::string> config_file{};
    std::optional<std::string> password_file{};
    std::optional<std::string> ca_file{};
    std::optional<std::string> certificate_file{};
    std::optional<std::string> key_file{};
    bool require_server = false;
    bool verbose = false;
    bool json = false;

    report reporter() const noexcept { return {verbose, json}; }
};

/// How long to wait.
struct wait_flags {
    std::optional<duration> wait{}; ///< none: for ever
    bool no_wait = false;
    int conflict_exit_code = 75;
    lease_clock::time_point began = lease_clock::now(); ///< connecting counts, too

    /// Of `wait`, now; zero: ask once; none: for ever.
    std::optional<duration> wait_left() const;
};

/// How to take a lock.
struct lock_options : wait_flags {
    common_options common{};
    std::string name{};
    std::optional<duration> lease{};
    std::optional<duration> watchdog{};
    std::optional<duration> max_hold{};
    bool fair = false;
    bool fenced = false;
    std::optional<duration> min_hold{};
    std::optional<duration> lock_delay{};
    std::optional<std::string> replicas_text{};
    std::optional<duration> replicas_timeout{};
    std::optional<replica_policy>
        replicas{};        ///< by check() of these; none: what the configuration says, until that is read
    bool shared = false;   ///< of a read-write lock, to read
    bool write = false;    ///< and to write
    bool election = false; ///< as the leader of an election
    std::optional<std::string> candidate{};
    std::optional<std::string> permits_text{};
    std::optional<permit_request> permits{}; ///< not a lock, but these; by check() of the text

    bool waits_for_replicas() const noexcept { return replicas && replicas->replicas != 0; }
    /// How long the key lives after each renewal, or in all.
    duration lease_or(config const& settings) const noexcept { return lease ? *lease : settings.lock_watchdog_timeout; }
};

void declare(command_line& line, common_options& options, std::string const& json_text);
/// `subject`: what is waited for. `conflict`: when it was in vain.
void declare(command_line& line, wait_flags& flags, std::string const& subject, std::string const& conflict);
/// Without its name.
void declare(command_line& line, lock_options& options);
/// Of these, how long to wait and to hold.
void declare_times(command_line& line, lock_options& options);

/// Throws usage_error: values that cannot be used, or not together.
void check(lock_options& options);
/// Throws usage_error: --wait beside --no-wait.
void check(wait_flags& flags);
/// Throws usage_error unless it has 1 byte to 64 KiB. `kind`: what it is the name of.
void check_name(std::string const& name, std::string const& kind = "lock");
/// Throws usage_error, with the reason.
void refuse_shorter(std::optional<duration> const& value, duration least, std::string const& flag,
                    std::string const& reason);

/// A flag beats the environment, an address beats a file: --server, --config, REDLATCH_SERVER, REDLATCH_CONFIG; then the
/// private server, of which a line on stderr tells, unless a server is required. Throws error(bad_config), usage_error.
config choose_server(common_options const& options);
/// As above, for a wait: connecting takes no longer than that, or a second, and who does not wait tries once. No thread is
/// started before it is needed.
config choose_server(common_options const& options, wait_flags const& flags);
/// As above, with what the lock's flags say about times.
config choose_server(lock_options const& options);

/// For help texts: the exit statuses that all commands have, behind the lines of those that this one has.
std::string exit_status_text(std::string_view of_this_command = {});

} // namespace redlatch::cli
