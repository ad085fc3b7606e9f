#include "api/yaml_own.hpp"

#include "api/config_limits.hpp"
#include "api/yaml_replicas.hpp"
#include "api/yaml_tls.hpp"

namespace redlatch::yaml_own {

namespace {

constexpr duration one_millisecond{1};

void set_commands(config& settings, yaml_setting const& value) {
    auto const word = value.text();
    if (word == "automatic")
        settings.commands = command_set::automatic;
    else if (word == "plain")
        settings.commands = command_set::plain;
    else if (word == "scripts")
        settings.commands = command_set::scripts;
    else
        refuse_yaml("must be automatic, plain or scripts");
}

void set_connect(config& settings, yaml_setting const& value) {
    auto const word = value.text();
    if (word != "eagerly" && word != "lazily") refuse_yaml("must be eagerly or lazily");
    settings.connect = word == "lazily" ? connect_mode::lazily : connect_mode::eagerly;
}

constexpr yaml_key top_keys[]{
    {"fencingCounterTtl",
     [](config& settings, yaml_setting const& value) {
         settings.fencing_counter_ttl = value.milliseconds(one_millisecond);
     }},
    {"holderLabel", [](config& settings, yaml_setting const& value) { settings.holder_label = value.text(); }},
};

constexpr yaml_key own_keys[]{
    {"passwordFile",
     [](config& settings, yaml_setting const& value) { settings.password_file = yaml_tls::file(value); }},
    {"sentinelPasswordFile",
     [](config& settings, yaml_setting const& value) {
         settings.topology.sentinel_password_file = yaml_tls::file(value);
     }},
    top_keys[0],
    top_keys[1],
    {"namePrefix", [](config& settings, yaml_setting const& value) { settings.name_prefix = value.text(); }},
    {"validityMargin",
     [](config& settings, yaml_setting const& value) { settings.validity_margin = value.milliseconds(duration(0)); }},
    {"watchedHolds",
     [](config& settings, yaml_setting const& value) {
         settings.watched_holds = value.whole_number(0, config_limits::most_watched_holds);
     }},
    {"connect", set_connect},
    {"failFast", [](config& settings, yaml_setting const& value) { settings.fail_fast = value.truth(); }},
    {"commands", set_commands},
    {"localHandoff",
     [](config& settings, yaml_setting const& value) { settings.local_handoff.enabled = value.truth(); }},
    {"localHandoffTime",
     [](config& settings, yaml_setting const& value) {
         settings.local_handoff.time = value.milliseconds(one_millisecond);
     }},
    {"localHandoffStrict",
     [](config& settings, yaml_setting const& value) { settings.local_handoff.strict = value.truth(); }},
    {"detachedUnlock", [](config& settings, yaml_setting const& value) { settings.detached_unlock = value.truth(); }},
    {"outageLimit",
     [](config& settings, yaml_setting const& value) { settings.outage_limit = value.milliseconds(duration(0)); }},
    {"closeTimeout",
     [](config& settings, yaml_setting const& value) { settings.close_timeout = value.milliseconds(duration(0)); }},
    {"lazyThreads", [](config& settings, yaml_setting const& value) { settings.lazy_threads = value.truth(); }},
};

} // namespace

std::span<yaml_key const> keys() {
    return own_keys;
}

std::span<yaml_key const> keys_at_top() {
    return top_keys;
}

yaml_level const& level() {
    static yaml_level const own{
        .title = "under redlatch",
        .keys = {keys(), yaml_replicas::own_keys(), yaml_tls::own_keys(), yaml_tls::sentinel_keys()}};
    return own;
}

} // namespace redlatch::yaml_own
