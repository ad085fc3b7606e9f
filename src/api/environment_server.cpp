#include "api/environment_server.hpp"

#include "io/log.hpp"

#include <redlatch/error.hpp>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace redlatch::detail {

namespace {

/// Empty counts as not set. In a program that has more rights than its caller nothing is set.
std::string_view variable(char const* name) {
    char const* const value = ::secure_getenv(name);
    return value != nullptr ? value : std::string_view{};
}

/// What still is at its default is taken from the file.
config filled_in(config settings, config const& file) {
    config const untouched;
    // Does not compile where config has got another field: it belongs into the list below, too, unless no file can have it.
    [[maybe_unused]] auto const& [address, username, password, password_file, credentials, sentinel_credentials,
                                  name_prefix, client_name, holder_label, database, topology, tls, timeout,
                                  connect_timeout, connect, fail_fast, retry_attempts, retry_delay, ping_interval,
                                  lock_watchdog_timeout, fair_lock_wait_timeout, fencing_counter_ttl, renewal_batch,
                                  validity_margin, watched_holds, commands, local_handoff, detached_unlock, replicas,
                                  outage_limit, close_timeout, lazy_threads] = untouched;
    auto const take = [&](auto... fields) {
        ((settings.*fields = settings.*fields == untouched.*fields ? file.*fields : settings.*fields), ...);
    };
    take(&config::address, &config::username, &config::password, &config::password_file, &config::name_prefix,
         &config::client_name, &config::database, &config::timeout, &config::connect_timeout, &config::connect,
         &config::fail_fast, &config::retry_attempts, &config::retry_delay, &config::ping_interval,
         &config::lock_watchdog_timeout, &config::fair_lock_wait_timeout, &config::fencing_counter_ttl,
         &config::renewal_batch, &config::tls, &config::topology, &config::holder_label, &config::validity_margin,
         &config::watched_holds, &config::commands, &config::local_handoff, &config::detached_unlock, &config::replicas,
         &config::outage_limit, &config::close_timeout, &config::lazy_threads);
    settings.validate();
    return settings;
}

} // namespace

config with_server_of_environment(config settings) {
    if (auto const server = variable("REDLATCH_SERVER"); !server.empty()) {
        settings.address = server;
        settings.validate();
        return settings;
    }
    if (auto const file = variable("REDLATCH_CONFIG"); !file.empty())
        return filled_in(std::move(settings), config::from_file(file));
    if (auto const required = variable("REDLATCH_REQUIRE_SERVER"); !required.empty() && required != "0")
        throw error(errc::bad_config,
                    "no server is named, and REDLATCH_REQUIRE_SERVER forbids the private server of this "
                    "user: set REDLATCH_SERVER, or name one in the configuration");
    io::log(log_level::warning,
            "no server is named: the private server of this user on this machine is used; what runs "
            "elsewhere, or as another user, is not kept out");
    settings.address = config::local().address;
    return settings;
}

} // namespace redlatch::detail
