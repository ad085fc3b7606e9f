#include "api/yaml_replicas.hpp"

#include "api/replica_rules.hpp"
#include "io/log.hpp"

#include <algorithm>

namespace redlatch::yaml_replicas {

namespace {

constexpr duration shortest_time{1}; // for Redis, 0 is for ever

constexpr yaml_key redisson_keys[]{
    {"checkLockSyncedSlaves",
     [](config& settings, yaml_setting const& value) {
         if (!value.truth()) settings.replicas = replica_policy::none();
     }},
    {"slavesSyncTimeout",
     [](config& settings, yaml_setting const& value) { settings.replicas.time = value.milliseconds(shortest_time); }},
};

void set_replicas(config& settings, yaml_setting const& value) {
    auto const time = settings.replicas.time;
    auto const word = value.text();
    if (word == "none")
        settings.replicas = replica_policy::none();
    else if (word == "all")
        settings.replicas = replica_policy::all(time);
    else if (word == "redisson")
        settings.replicas = replica_policy::redisson_default(time);
    else if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos)
        refuse_yaml("must be none, all, redisson or a number of replicas");
    else
        settings.replicas = replica_policy::at_least(value.whole_number(0, detail::most_replicas), time);
}

void set_shortage(config& settings, yaml_setting const& value) {
    auto const word = value.text();
    if (word == "fail")
        settings.replicas.shortage = replica_shortage::fail;
    else if (word == "giveBack")
        settings.replicas.shortage = replica_shortage::give_back;
    else if (word == "accept")
        settings.replicas.shortage = replica_shortage::accept;
    else
        refuse_yaml("must be fail, giveBack or accept");
}

constexpr yaml_key ours[]{
    {"replicas", set_replicas},
    {"replicasTimeout",
     [](config& settings, yaml_setting const& value) { settings.replicas.time = value.milliseconds(shortest_time); }},
    {"replicasRetries",
     [](config& settings, yaml_setting const& value) {
         settings.replicas.retries = value.whole_number(0, detail::most_replica_retries);
     }},
    {"onTooFewReplicas", set_shortage},
};

} // namespace

std::span<yaml_key const> keys() {
    return redisson_keys;
}

std::span<yaml_key const> own_keys() {
    return ours;
}

void begin(config& settings) {
    settings.replicas = replica_policy::redisson_default();
}

void finish(config& settings, yaml_settings const& top) {
    if (settings.topology.mode != server_mode::single) {
        if (settings.replicas.replicas != 0)
            settings.replicas.retries = std::min(settings.retry_attempts, detail::most_replica_retries);
        return;
    }
    settings.replicas = replica_policy::none();
    for (auto const& key : redisson_keys)
        if (auto const found = top.find(key.name); found != top.end() && !found->second.is_null())
            io::log(log_level::debug, "configuration, " + found->second.at()
                                          + " is ignored: Redisson waits for no replicas of a single server; "
                                            "replicas under redlatch does");
}

} // namespace redlatch::yaml_replicas
