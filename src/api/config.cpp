#include "api/config_limits.hpp"
#include "api/replica_rules.hpp"
#include "connection/holder_label.hpp"
#include "io/server_set.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace redlatch {

namespace {

[[noreturn]] void refuse(std::string const& message) {
    throw error(errc::bad_config, "the configuration cannot be used: " + message);
}

void check(char const* field, duration value, duration least) {
    if (value < least || value > config_limits::longest)
        refuse(std::string(field) + " is " + std::to_string(value.count()) + " ms; it must be from "
               + std::to_string(least.count()) + " ms to ten years");
}

void check(char const* field, int value, int least, int most) {
    if (value < least || value > most)
        refuse(std::string(field) + " is " + std::to_string(value) + "; it must be from " + std::to_string(least)
               + " to " + std::to_string(most));
}

void check_text(std::string const& field, std::string const& value) {
    if (value.size() > config_limits::longest_text) refuse(field + " is longer than 4096 bytes");
    if (value.find('\0') != std::string::npos) refuse(field + " contains a NUL byte");
}

/// `field`: what they are called.
void check_tls(tls_options const& tls, std::string const& field) {
    check_text(field + ".ca_file", tls.ca_file);
    check_text(field + ".ca_password", tls.ca_password);
    check_text(field + ".ca_folder", tls.ca_folder);
    check_text(field + ".certificate_file", tls.certificate_file);
    check_text(field + ".key_file", tls.key_file);
    check_text(field + ".key_password", tls.key_password);
    check_text(field + ".server_name", tls.server_name);
    for (auto const& cipher : tls.ciphers) {
        if (cipher.empty()) refuse(field + ".ciphers has an empty name");
        check_text(field + ".ciphers", cipher);
    }
    if (tls.certificate_file.empty() && !(tls.key_file.empty() && tls.key_password.empty()))
        refuse(field + (tls.key_file.empty() ? ".key_password" : ".key_file") + " needs " + field
               + ".certificate_file, the certificate of this key");
    if (tls.ca_file.empty() && !tls.ca_password.empty()) refuse(field + ".ca_password is for a " + field + ".ca_file");
    if (tls.verification < tls_verification::strict || tls.verification > tls_verification::none)
        refuse(field + ".verification must be strict, ca_only or none");
    if (tls.minimum_version < tls_version::tls_1_2 || tls.minimum_version > tls_version::tls_1_3)
        refuse(field + ".minimum_version must be tls_1_2 or tls_1_3");
}

/// How a client can be told who it is, beside a user name and a password.
struct login_fields {
    std::string const& file;
    char const* file_field;
    std::function<credentials()> const& function;
    char const* function_field;
    std::string of_whom; ///< behind "user name" and "password"
};

/// One of them alone may say how the client logs in.
void check_login(login_fields const& fields, std::string const& username, std::string const& password) {
    bool const has_file = !fields.file.empty();
    if (!has_file && !fields.function) return;
    std::string const field = fields.function ? fields.function_field : fields.file_field;
    if (has_file && fields.function) refuse(field + " and " + fields.file_field + " are both set; give one of them");
    if (!password.empty() || (fields.function && !username.empty()))
        refuse(field + " and a " + (password.empty() ? "user name" : "password") + fields.of_whom
               + " are both set; give one of them");
}

void check_logins(config const& settings, io::server_set const& servers) {
    auto const& topology = settings.topology;
    bool const by_sentinels = servers.mode == server_mode::sentinel;
    auto const& first = by_sentinels ? servers.master : servers.nodes.front();
    check_login({settings.password_file, "password_file", settings.credentials, "credentials", ""}, first.username,
                first.password);
    check_login({topology.sentinel_password_file, "topology.sentinel_password_file", settings.sentinel_credentials,
                 "sentinel_credentials", " of the Sentinels"},
                topology.sentinel_username, topology.sentinel_password);
}

} // namespace

config config::local() {
    return {.address = "local:"};
}

config config::from_uri(std::string_view uri) {
    config result{.address = std::string(uri)};
    io::resolve_servers(result); // refuses an empty one: what was to name a server names none
    return result;
}

void config::validate() const {
    check_text("username", username);
    check_text("password", password);
    check_text("password_file", password_file);
    check_text("name_prefix", name_prefix);
    check_text("client_name", client_name);
    // CLIENT SETNAME takes nothing else.
    if (std::ranges::any_of(client_name, [](char byte) { return byte < '!' || byte > '~'; }))
        refuse("client_name may have printable ASCII characters only, and no space");
    if (holder_label && !holder_label->empty() && !connection::is_holder_label(*holder_label))
        refuse("holder_label may have printable ASCII characters only, no space, and at most "
               + std::to_string(connection::longest_holder_label) + " of them");
    check_tls(tls, "tls");
    check("database", database, 0, std::numeric_limits<int>::max());
    check("timeout", timeout, duration(1));
    check("connect_timeout", connect_timeout, duration(1));
    check("retry_attempts", retry_attempts, 0, config_limits::most_retry_attempts);
    check("retry_delay", retry_delay, duration(1));
    check("ping_interval", ping_interval, duration(0));
    check("lock_watchdog_timeout", lock_watchdog_timeout, config_limits::shortest_watchdog_timeout);
    check("fair_lock_wait_timeout", fair_lock_wait_timeout, config_limits::shortest_fair_lock_wait_timeout);
    if (fencing_counter_ttl) check("fencing_counter_ttl", *fencing_counter_ttl, duration(1));
    if (fencing_counter_ttl && *fencing_counter_ttl < lock_watchdog_timeout)
        refuse("fencing_counter_ttl is " + std::to_string(fencing_counter_ttl->count())
               + " ms, less than lock_watchdog_timeout; a lock could be held for longer than the counter of its token "
                 "stays, and the next holder would get a smaller token");
    check("renewal_batch", renewal_batch, 1, config_limits::most_names_in_a_renewal);
    check("watched_holds", watched_holds, 0, config_limits::most_watched_holds);
    check("validity_margin", validity_margin, duration(0));
    if (validity_margin >= lock_watchdog_timeout)
        refuse("validity_margin must be less than lock_watchdog_timeout; otherwise no renewed lock is ever valid");
    if (commands < command_set::automatic || commands > command_set::scripts)
        refuse("commands must be automatic, plain or scripts");
    if (connect < connect_mode::eagerly || connect > connect_mode::lazily) refuse("connect must be eagerly or lazily");
    check("local_handoff.time", local_handoff.time, duration(1));
    if (auto const problem = detail::problem_of(replicas); !problem.empty()) refuse(problem);
    check("topology.scan_interval", topology.scan_interval, duration(10));
    check_text("topology.master_name", topology.master_name);
    check_text("topology.sentinel_username", topology.sentinel_username);
    check_text("topology.sentinel_password", topology.sentinel_password);
    check_text("topology.sentinel_password_file", topology.sentinel_password_file);
    if (topology.sentinel_tls) check_tls(*topology.sentinel_tls, "topology.sentinel_tls");
    check("outage_limit", outage_limit, duration(0));
    check("close_timeout", close_timeout, duration(0));
    if (!address.empty() || !topology.nodes.empty() || topology.mode != server_mode::single)
        check_logins(*this, io::resolve_servers(*this));
}

} // namespace redlatch
