#include "options.hpp"

#include "durations.hpp"
#include "exit_code.hpp"

#include <redlatch/log.hpp>

#include <algorithm>
#include <cstdlib>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_name = 64 * 1024;
constexpr duration shortest_lease = 30ms; // of which the margin for drift and scheduling takes 20 ms

std::optional<std::string> from_environment(char const* name) {
    char const* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
}

void refuse_shorter(std::optional<duration> const& value, duration least, std::string const& flag,
                    std::string const& why) {
    if (value && *value < least) throw usage_error(flag + " " + to_text(*value) + " is too short: " + why);
}

} // namespace

char const* const exit_status_help = "Exit status:\n"
                                     "  64   the command line, the address or the configuration cannot be used\n"
                                     "  69   no server, or it refused, or the key is not a lock\n"
                                     "  70   internal error\n";

void declare(command_line& line, common_options& options, std::string const& json_text) {
    line.text("--server", "URI",
              "The server: redis://[user:password@]host[:port][/db] or unix:///path[?db=n]. "
              "Also REDLATCH_SERVER. Default: a private server of this user on this machine.",
              options.server);
    line.text("--config", "FILE", "A YAML file as Redisson and Spring users write it. Also REDLATCH_CONFIG.",
              options.config_file);
    line.flag("--json", json_text, options.json);
    line.flag("--verbose", "Say on stderr what happens.", options.verbose);
}

void declare(command_line& line, lock_options& options) {
    line.time("--wait", "How long to wait for the lock; 0s asks once. Default: for ever.", options.wait);
    line.flag("--no-wait", "Do not wait: the same as --wait 0s.", options.no_wait);
    line.time("--lease", "A fixed lease, never renewed. Default: renewed for as long as it is held.", options.lease);
    line.time("--watchdog", "The lease of a renewed lock, renewed after each third of it. Default: 30s.",
              options.watchdog);
    line.time("--max-hold", "Hold the lock no longer than this; then it counts as lost.", options.max_hold);
    line.number("--conflict-exit-code", "The exit status when the lock is busy or the wait timed out. Default: 75.", 0,
                255, options.conflict_exit_code);
    declare(line, options.common, "Events as JSON lines on stderr.");
}

void check_name(std::string const& name) {
    if (name.empty()) throw usage_error("the name of the lock is empty; a name has 1 byte to 64 KiB");
    if (name.size() > longest_name)
        throw usage_error("the name of the lock has " + std::to_string(name.size()) + " bytes; 65536 are the most");
}

void check(lock_options& options) {
    check_name(options.name);
    if (options.no_wait && options.wait) throw usage_error("--wait and --no-wait exclude each other; give one of them");
    if (options.wait == 0ms) options.no_wait = true;
    if (options.lease && options.watchdog)
        throw usage_error("--lease is never renewed, --watchdog is the lease of a renewed lock; give one of them");
    if (options.lease && options.max_hold)
        throw usage_error("a lock with --lease ends by itself, --max-hold bounds a renewed one; give one of them");
    std::string const why = "a lease needs at least 30ms, of which 20ms are kept in reserve for clocks and scheduling";
    refuse_shorter(options.lease, shortest_lease, "--lease", why);
    refuse_shorter(options.watchdog, shortest_lease, "--watchdog", why);
    refuse_shorter(options.max_hold, 1ms, "--max-hold", "it must be longer than nothing");
}

config choose_server(common_options const& options) {
    if (options.verbose)
        set_log_sink([reporter = options.reporter()](log_level, std::string_view line) { reporter.note("log", line); },
                     log_level::debug);
    if (options.server && options.config_file)
        throw usage_error("--server and --config exclude each other; give one of them");
    bool const by_flag = options.server || options.config_file;
    auto const server = by_flag ? options.server : from_environment("REDLATCH_SERVER");
    auto const file = by_flag ? options.config_file : from_environment("REDLATCH_CONFIG");
    if (!server && file) return config::from_file(*file);
    // A tool says at once that there is no server; whoever wants to try longer says so in a file.
    config settings = server ? config::from_uri(*server) : config::local();
    settings.retry_attempts = 0;
    settings.connect_timeout = 5s;
    return settings;
}

config choose_server(lock_options const& options) {
    config settings = choose_server(options.common);
    if (options.watchdog) settings.lock_watchdog_timeout = *options.watchdog;
    if (options.wait && !options.no_wait)
        settings.connect_timeout = std::min(settings.connect_timeout, std::max<duration>(*options.wait, 1s));
    settings.lazy_threads = true;
    return settings;
}

} // namespace redlatch::cli
