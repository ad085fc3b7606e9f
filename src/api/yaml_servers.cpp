#include "api/yaml_servers.hpp"

#include "api/config_limits.hpp"
#include "api/redisson_keys.hpp"
#include "api/yaml_mappers.hpp"
#include "api/yaml_tls.hpp"
#include "io/log.hpp"
#include "io/server_uri.hpp"

#include <limits>
#include <string>
#include <utility>

namespace redlatch::yaml_servers {

namespace {

constexpr duration one_millisecond{1};
constexpr duration shortest_scan_interval{10};

/// Redisson reads scheme, credentials, host and port of an address, and `database` says which one is used: who wrote another
/// one behind the host would be in another than Java.
std::string as_redisson_reads(std::string const& address) {
    auto const read = io::parse_server_uri(address);
    bool const is_redissons =
        read.type == io::server_uri::kind::tcp && read.mode == server_mode::single; // of both schemes
    if (!read.database || !is_redissons) return address;
    io::log(log_level::warning, "configuration, an address names database " + std::to_string(*read.database)
                                    + ", which Redisson does not read, and is ignored: write `database` instead");
    auto const host = address.find("://") + 3;
    return address.substr(0, address.find_first_of("/?", host));
}

void set_address(config& settings, yaml_setting const& value) {
    settings.address = as_redisson_reads(value.text());
}

void add_nodes(config& settings, yaml_setting const& value) {
    for (auto const& address : value.texts()) settings.topology.nodes.push_back(as_redisson_reads(address));
}

/// Credentials in the address of a Sentinel are the Sentinels', as Redisson has it; the servers' are `username` and `password`.
void add_sentinels(config& settings, yaml_setting const& value) {
    for (auto const& text : value.texts()) {
        auto address = as_redisson_reads(text);
        auto const read = io::parse_server_uri(address);
        if (read.username || read.password) {
            auto& names = settings.topology;
            if (names.sentinel_username.empty()) names.sentinel_username = read.username.value_or("");
            if (names.sentinel_password.empty()) names.sentinel_password = read.password.value_or("");
            auto const begin = address.find("://") + 3;
            address.erase(begin, address.rfind('@') + 1 - begin);
        }
        settings.topology.nodes.push_back(std::move(address));
    }
}

void set_sharded(config& settings, yaml_setting const& value) {
    auto const word = value.text();
    if (word == "AUTO")
        settings.topology.sharded = sharded_messages::automatic;
    else if (word == "ON")
        settings.topology.sharded = sharded_messages::on;
    else if (word == "OFF")
        settings.topology.sharded = sharded_messages::off;
    else
        refuse_yaml("must be AUTO, ON or OFF");
}

constexpr yaml_key common_keys[]{
    {"database",
     [](config& settings, yaml_setting const& value) {
         settings.database = value.whole_number(0, std::numeric_limits<int>::max());
     }},
    {"username", [](config& settings, yaml_setting const& value) { settings.username = value.text(); }},
    {"password", [](config& settings, yaml_setting const& value) { settings.password = value.text(); }},
    {"clientName", [](config& settings, yaml_setting const& value) { settings.client_name = value.text(); }},
    {"timeout",
     [](config& settings, yaml_setting const& value) { settings.timeout = value.milliseconds(one_millisecond); }},
    {"connectTimeout",
     [](config& settings, yaml_setting const& value) {
         settings.connect_timeout = value.milliseconds(one_millisecond);
     }},
    {"retryAttempts",
     [](config& settings, yaml_setting const& value) {
         settings.retry_attempts = value.whole_number(0, config_limits::most_retry_attempts);
     }},
    // The older name; where both stand, the later one in this table wins.
    {"retryInterval",
     [](config& settings, yaml_setting const& value) { settings.retry_delay = value.milliseconds(one_millisecond); }},
    {"retryDelay",
     [](config& settings, yaml_setting const& value) { settings.retry_delay = value.delay(one_millisecond); }},
    {"pingConnectionInterval",
     [](config& settings, yaml_setting const& value) { settings.ping_interval = value.milliseconds(duration(0)); }},
    {"nameMapper", yaml_mappers::set_name_prefix},
    {"commandMapper", yaml_mappers::refuse_java_code},
    {"credentialsResolver", yaml_mappers::refuse_credentials_resolver},
};

constexpr yaml_key single_keys[]{{"address", set_address}};

constexpr yaml_key scan_keys[]{
    {"scanInterval",
     [](config& settings, yaml_setting const& value) {
         settings.topology.scan_interval = value.milliseconds(shortest_scan_interval);
     }},
    {"natMapper", yaml_mappers::set_address_map},
    {"natMap", yaml_mappers::add_address_map}, // the older name
};

constexpr yaml_key sentinel_keys[]{
    {"sentinelAddresses", add_sentinels},
    {"masterName", [](config& settings, yaml_setting const& value) { settings.topology.master_name = value.text(); }},
    {"sentinelUsername",
     [](config& settings, yaml_setting const& value) { settings.topology.sentinel_username = value.text(); }},
    {"sentinelPassword",
     [](config& settings, yaml_setting const& value) { settings.topology.sentinel_password = value.text(); }},
    {"sentinelsDiscovery",
     [](config& settings, yaml_setting const& value) { settings.topology.discover_sentinels = value.truth(); }},
};

constexpr yaml_key node_keys[]{{"nodeAddresses", add_nodes}};

constexpr yaml_key sharded_keys[]{{"shardedSubscriptionMode", set_sharded}};

constexpr yaml_key master_slave_keys[]{{"masterAddress", add_nodes}, {"slaveAddresses", add_nodes}};

yaml_level level(std::string_view title, std::vector<std::span<yaml_key const>> keys,
                 std::vector<std::span<ignored_yaml_key const>> ignored) {
    for (auto const more : {std::span<yaml_key const>(common_keys), yaml_tls::keys(), yaml_tls::own_keys()})
        keys.push_back(more);
    ignored.push_back(redisson_keys::ignored_in_servers());
    return {.title = title, .keys = std::move(keys), .ignored = std::move(ignored)};
}

std::vector<section> all_sections() {
    auto const several = redisson_keys::ignored_in_several_servers();
    constexpr duration often{1000};
    constexpr duration seldom{5000};
    return {
        {.name = "singleServerConfig",
         .mode = server_mode::single,
         .scan_interval = seldom,
         .address = "address",
         .example = "address: redis://127.0.0.1:6379",
         .level = level("in singleServerConfig", {single_keys}, {redisson_keys::ignored_in_single_server()})},
        {.name = "sentinelServersConfig",
         .mode = server_mode::sentinel,
         .scan_interval = often,
         .address = "sentinelAddresses",
         .example = "sentinelAddresses: [\"redis://127.0.0.1:26379\"]",
         .level = level("in sentinelServersConfig", {sentinel_keys, scan_keys},
                        {several, redisson_keys::ignored_in_sentinel_servers()})},
        {.name = "clusterServersConfig",
         .mode = server_mode::cluster,
         .scan_interval = seldom,
         .address = "nodeAddresses",
         .example = "nodeAddresses: [\"redis://127.0.0.1:7000\"]",
         .level = level("in clusterServersConfig", {node_keys, scan_keys, sharded_keys},
                        {several, redisson_keys::ignored_in_cluster_servers()})},
        {.name = "replicatedServersConfig",
         .mode = server_mode::replicated,
         .scan_interval = often,
         .address = "nodeAddresses",
         .example = "nodeAddresses: [\"redis://127.0.0.1:6379\"]",
         .level = level("in replicatedServersConfig", {node_keys, scan_keys},
                        {several, redisson_keys::ignored_in_replicated_servers()})},
        {.name = "masterSlaveServersConfig",
         .mode = server_mode::master_slave,
         .scan_interval = seldom,
         .address = "masterAddress",
         .example = "masterAddress: redis://127.0.0.1:6379",
         .level = level("in masterSlaveServersConfig", {master_slave_keys}, {several})},
    };
}

} // namespace

std::span<section const> sections() {
    static std::vector<section> const all = all_sections();
    return all;
}

void apply(config& settings, yaml_settings const& entries, section const& chosen) {
    settings.topology.mode = chosen.mode;
    settings.topology.scan_interval = chosen.scan_interval;
    redlatch::apply(settings, entries, chosen.level);
}

} // namespace redlatch::yaml_servers
