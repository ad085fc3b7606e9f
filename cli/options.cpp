#include "options.hpp"

#include "durations.hpp"
#include "exit_code.hpp"
#include "log_lines.hpp"
#include "message_warnings.hpp"
#include "replicas_flag.hpp"
#include "text.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/log.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_name = 64 * 1024;
constexpr duration shortest_lease = 30ms; // of which the margin for drift and scheduling takes 20 ms
constexpr duration longest_watchdog = std::chrono::hours(24 * 366 * 10); // as of config::lock_watchdog_timeout

std::optional<std::string> from_environment(char const* name) {
    char const* const value = ::secure_getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
}

} // namespace

std::string exit_status_text(std::string_view of_this_command) {
    return "Exit status:\n" + std::string(of_this_command)
           + "  64   the command line, the address or the configuration cannot be used\n"
             "  69   no server, or it refused, or the key is not a lock\n"
             "  70   internal error\n"
             "  74   the output cannot be written to stdout\n";
}

void declare(command_line& line, common_options& options, std::string const& json_text) {
    line.text("--server", "URI",
              "The server: redis://[user:password@]host[:port][/db], rediss:// with TLS, or unix:///path[?db=n]; "
              "Sentinels: redis-sentinel://host:port,host:port/#master; a cluster: "
              "redis-cluster://host:port,host:port; several, one of them the master: "
              "redis-replicated://host:port,host:port. "
              "Also REDLATCH_SERVER. Default: a private server of this user on this machine.",
              options.server);
    line.text("--config", "FILE", "A YAML file as Redisson and Spring users write it. Also REDLATCH_CONFIG.",
              options.config_file);
    line.text("--password-file", "FILE", "Holds the password for the server, read at each connect.",
              options.password_file);
    line.text("--ca-file", "FILE", "With TLS: the authorities that are trusted. Default: the system's.",
              options.ca_file);
    line.text("--certificate-file", "FILE", "With TLS: the certificate of this client.", options.certificate_file);
    line.text("--key-file", "FILE", "The key of that certificate. Default: it is in the same file.", options.key_file);
    line.flag("--require-server",
              "Refuse to use the private server: a server must be named. Also REDLATCH_REQUIRE_SERVER=1.",
              options.require_server);
    line.flag("--json", json_text, options.json);
    line.flag("--verbose", "Say on stderr what happens.", options.verbose);
}

void declare(command_line& line, wait_flags& flags, std::string const& subject, std::string const& conflict) {
    line.time("--wait", "How long to wait for " + subject + "; 0s asks once. Default: for ever.", flags.wait);
    line.flag("--no-wait", "Do not wait: the same as --wait 0s.", flags.no_wait);
    line.number("--conflict-exit-code", "The exit status when " + conflict + ". Default: 75.", 0, 255,
                flags.conflict_exit_code);
}

void declare_times(command_line& line, lock_options& options) {
    declare(line, options, "the lock", "the lock is busy or the wait timed out");
    line.time("--lease", "A fixed lease, never renewed. Default: renewed for as long as it is held.", options.lease);
    line.time("--watchdog", "The lease of a renewed lock, renewed after each third of it. Default: 30s.",
              options.watchdog);
    line.time("--max-hold", "Hold the lock no longer than this; then it counts as lost.", options.max_hold);
    line.time("--min-hold",
              "Nobody else gets the lock sooner than this after it was taken, however soon it is given back: for jobs "
              "that many machines start at the same time.",
              options.min_hold);
    line.time("--lock-delay", "After the lock was lost nobody else gets it for this time. Default: 0s.",
              options.lock_delay);
    line.text(
        "--replicas", "N|all|none",
        "Hold the lock, or the permits, only when N replicas have them too, or all that are connected: they survive a "
        "failover to one of them. Default: what the configuration says, else none.",
        options.replicas_text);
    line.time("--replicas-timeout",
              "How long the replicas are waited for; then what was taken is given back, with status 69. Default: 1s.",
              options.replicas_timeout);
}

void declare(command_line& line, lock_options& options) {
    declare_times(line, options);
    line.flag("--fair", "Take the lock as a fair one: whoever waits gets it in the order of coming, in any process.",
              options.fair);
    line.flag(
        "--fenced",
        "Take the lock with a fencing token, also together with --fair or --write: each acquisition has a greater "
        "one, which run puts into REDLATCH_TOKEN and hold writes behind `held`.",
        options.fenced);
    line.flag("--shared", "Take a read-write lock to read: together with others that read, while nobody writes.",
              options.shared);
    line.flag("--write", "Take a read-write lock to write: alone.", options.write);
    line.text(
        "--permits", "N[/OF]",
        "Take no lock, but N permits of a permit semaphore of OF in all, so that at most OF/N commands run at once, "
        "on whatever machines. OF sets it if it is not set yet, and is refused where it has another number.",
        options.permits_text);
    declare(line, options.common, "Events as JSON lines on stderr.");
}

void refuse_shorter(std::optional<duration> const& value, duration least, std::string const& flag,
                    std::string const& reason) {
    if (value && *value < least) throw usage_error(flag + " " + to_text(*value) + " is too short: " + reason);
}

void check_name(std::string const& name, std::string const& kind) {
    if (name.empty()) throw usage_error("the name of the " + kind + " is empty; a name has 1 byte to 64 KiB");
    if (name.size() > longest_name)
        throw usage_error("the name of the " + kind + " has " + std::to_string(name.size())
                          + " bytes; 65536 are the most");
}

std::optional<duration> wait_flags::wait_left() const {
    if (no_wait) return 0ms;
    if (!wait) return std::nullopt;
    return std::max<duration>(*wait - std::chrono::duration_cast<duration>(lease_clock::now() - began), 0ms);
}

void check(wait_flags& flags) {
    if (flags.no_wait && flags.wait) throw usage_error("--wait and --no-wait exclude each other; give one of them");
    if (flags.wait == 0ms) flags.no_wait = true;
}

void check(lock_options& options) {
    check_name(options.name);
    check(static_cast<wait_flags&>(options));
    if (options.lease && options.watchdog)
        throw usage_error("--lease is never renewed, --watchdog is the lease of a renewed lock; give one of them");
    if (options.lease && options.max_hold)
        throw usage_error("a lock with --lease ends by itself, --max-hold bounds a renewed one; give one of them");
    if (int{options.fair} + int{options.shared} + int{options.write} > 1)
        throw usage_error("--fair, --shared and --write say how to take the lock; give one of them");
    if (options.fenced && options.shared)
        throw usage_error("--fenced is for who holds a lock alone, and several may read with --shared at a time; give "
                          "--write in place of --shared, or leave --fenced away");
    if (options.permits_text) options.permits = parse_permit_request(*options.permits_text);
    options.replicas = parse_replicas(options.replicas_text, options.replicas_timeout);
    bool const about_locks =
        options.fair || options.fenced || options.shared || options.write || options.min_hold || options.lock_delay;
    if (options.permits && about_locks)
        throw usage_error("--permits takes permits of a semaphore; --fair, --fenced, --shared, --write, --min-hold and "
                          "--lock-delay say how to take a lock: leave one of them out");
    std::string const why = "a lease needs at least 30ms, of which 20ms are kept in reserve for clocks and scheduling";
    refuse_shorter(options.lease, shortest_lease, "--lease", why);
    refuse_shorter(options.watchdog, shortest_lease, "--watchdog", why);
    if (options.watchdog && *options.watchdog > longest_watchdog)
        throw usage_error("--watchdog " + to_text(*options.watchdog) + " is too long: ten years, "
                          + to_text(longest_watchdog) + ", are the most");
    refuse_shorter(options.max_hold, 1ms, "--max-hold", "give 1ms or more");
    refuse_shorter(options.min_hold, 1ms, "--min-hold", "give 1ms or more");
    if (options.min_hold && options.lease && *options.min_hold > *options.lease)
        throw usage_error("--min-hold " + to_text(*options.min_hold) + " is longer than --lease "
                          + to_text(*options.lease) + ", which is not renewed; give a longer lease, or none");
}

namespace {

/// Nobody asked for it: two machines, containers or users have one each, and each would run the same job.
void announce_private_server(common_options const& options) {
    auto const required = from_environment("REDLATCH_REQUIRE_SERVER").value_or("0") != "0";
    if (options.require_server || required)
        throw usage_error(std::string("no server is named, and ")
                          + (options.require_server ? "--require-server" : "REDLATCH_REQUIRE_SERVER")
                          + " forbids the private server of this user: name one with --server or REDLATCH_SERVER");
    auto const socket = embedded_server().socket().string();
    options.reporter().problem("private_server",
                               "no server is named: using the private server of this user on this machine, "
                                   + printable(socket)
                                   + " (--server or REDLATCH_SERVER names another one, --server local: means this one)",
                               {{"socket", socket}});
}

config read_file(std::string const& file, common_options const& options) {
    // What is wrong with it is said in any case.
    if (!options.verbose)
        set_log_sink(
            [reporter = options.reporter()](log_level, std::string_view line) {
                // The tool takes no such lock; `config check` says it.
                if (line.find("faster_multi_lock") == std::string_view::npos) reporter.problem("warning", line);
            },
            log_level::warning);
    auto result = config::from_file(file);
    if (!options.verbose) set_log_sink({});
    return result;
}

constexpr duration longest_connecting = 5s; ///< of a tool that was told no other time

/// All attempts together, with the pauses between them, which double.
void bound_connecting(config& settings, wait_flags const& flags) {
    if (flags.no_wait) {
        settings.connect_timeout = std::min(settings.connect_timeout, longest_connecting);
        settings.retry_attempts = 0;
    } else if (flags.wait) {
        constexpr duration least = 1s; // for one
        int further = 0;
        duration pauses{0};
        for (auto pause = settings.retry_delay; further < settings.retry_attempts; pause *= 2) {
            if (pauses + pause + least * (further + 2) > *flags.wait) break;
            pauses += pause;
            ++further;
        }
        settings.retry_attempts = further;
        settings.connect_timeout =
            std::min(settings.connect_timeout, std::max<duration>((*flags.wait - pauses) / (further + 1), least));
    }
}

config named_server(common_options const& options) {
    if (options.server && options.config_file)
        throw usage_error("--server and --config exclude each other; give one of them");
    bool const by_flag = options.server || options.config_file;
    auto const server = by_flag ? options.server : from_environment("REDLATCH_SERVER");
    auto const file = by_flag ? options.config_file : from_environment("REDLATCH_CONFIG");
    if (!server && file) return read_file(*file, options);
    if (!server) announce_private_server(options);
    // A tool says at once that there is no server; whoever wants to try longer says so in a file.
    config settings = server ? config::from_uri(*server) : config::local();
    settings.retry_attempts = 0;
    settings.connect_timeout = longest_connecting;
    return settings;
}

/// What a flag says beats what a file says.
config chosen_settings(common_options const& options) {
    config settings = named_server(options);
    auto const take = [](std::optional<std::string> const& flag, std::string& field) {
        if (flag) field = *flag;
    };
    take(options.password_file, settings.password_file);
    take(options.ca_file, settings.tls.ca_file);
    take(options.certificate_file, settings.tls.certificate_file);
    take(options.key_file, settings.tls.key_file);
    settings.validate();
    return settings;
}

} // namespace

config choose_server(common_options const& options) {
    if (options.verbose)
        set_log_sink([lines = std::make_shared<log_lines>(options.reporter())](
                         log_level, std::string_view line) { lines->show(line); },
                     log_level::debug);
    auto settings = chosen_settings(options);
    if (!options.verbose)
        set_log_sink([warnings = std::make_shared<message_warnings>(options.reporter())](
                         log_level, std::string_view line) { warnings->show(line); },
                     log_level::warning);
    return settings;
}

config choose_server(common_options const& options, wait_flags const& flags) {
    config settings = choose_server(options);
    bound_connecting(settings, flags);
    // Whoever leaves has written behind its last request, on the same connection, what gives back what that may have taken: a
    // server that hangs will read both. There is nothing more to wait for.
    settings.close_timeout = std::min<duration>(settings.close_timeout, 100ms);
    settings.lazy_threads = true;
    return settings;
}

config choose_server(lock_options const& options) {
    config settings = choose_server(options.common, options);
    if (options.watchdog) settings.lock_watchdog_timeout = *options.watchdog;
    return settings;
}

} // namespace redlatch::cli
