// Redisson's YAML as a config: which key means what.
#include "api/config_yaml.hpp"

#include "api/config_limits.hpp"
#include "api/environment_text.hpp"
#include "api/redisson_keys.hpp"
#include "api/yaml_document.hpp"
#include "api/yaml_setting.hpp"
#include "api/yaml_tls.hpp"
#include "io/log.hpp"
#include "io/server_uri.hpp"
#include "io/uri_text.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace redlatch {

namespace {

using effect = void (*)(config&, yaml_setting const&);

struct known_key {
    std::string_view name;
    effect apply;
};

constexpr duration one_millisecond{1};

void set_username(config& settings, yaml_setting const& value) {
    settings.username = value.text();
}

void set_password(config& settings, yaml_setting const& value) {
    settings.password = value.text();
}

void set_address(config& settings, yaml_setting const& value) {
    settings.address = value.text();
    io::parse_server_uri(settings.address);
}

constexpr known_key top_keys[]{
    {"lockWatchdogTimeout",
     [](config& settings, yaml_setting const& value) {
         settings.lock_watchdog_timeout = value.milliseconds(config_limits::shortest_watchdog_timeout);
     }},
    {"fairLockWaitTimeout",
     [](config& settings, yaml_setting const& value) {
         settings.fair_lock_wait_timeout = value.milliseconds(config_limits::shortest_fair_lock_wait_timeout);
     }},
    {"lockWatchdogBatchSize",
     [](config& settings, yaml_setting const& value) {
         settings.renewal_batch = value.whole_number(1, config_limits::most_names_in_a_renewal);
     }},
    {"username", set_username},
    {"password", set_password},
    // Ours; Redisson does not know them.
    {"fencingCounterTtl",
     [](config& settings, yaml_setting const& value) {
         settings.fencing_counter_ttl = value.milliseconds(one_millisecond);
     }},
    {"holderLabel", [](config& settings, yaml_setting const& value) { settings.holder_label = value.text(); }},
};

constexpr known_key server_keys[]{
    {"address", set_address},
    {"database",
     [](config& settings, yaml_setting const& value) {
         settings.database = value.whole_number(0, std::numeric_limits<int>::max());
     }},
    {"username", set_username},
    {"password", set_password},
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
};

constexpr std::string_view server_section = "singleServerConfig";

/// A level of the document: what may stand there.
struct level {
    std::string_view title;
    std::span<known_key const> keys;
    std::span<std::string_view const> ignored;

    bool has(std::string_view name) const {
        auto const is_named = [&](auto const& key) { return key.name == name; };
        return std::ranges::any_of(keys, is_named) || std::ranges::any_of(yaml_tls::keys, is_named)
               || std::ranges::find(ignored, name) != ignored.end();
    }
};

level const top{"at the top level", top_keys, redisson_keys::ignored_at_top()};
level const server{"in singleServerConfig", server_keys, redisson_keys::ignored_in_server()};

using settings_by_name = std::map<std::string, yaml_setting, std::less<>>;

settings_by_name entries_of(YAML::Node const& node, int first_line) {
    settings_by_name result;
    for (auto const& entry : node) {
        yaml_setting setting(entry.first, entry.second, first_line);
        auto const [former, is_new] = result.try_emplace(setting.name(), setting);
        if (!is_new) refuse_yaml(setting.at() + " stands already in line " + std::to_string(former->second.line()));
    }
    return result;
}

/// Java code that changes what is sent cannot be honoured; to ignore it would break exclusion with Java silently.
void check_java_code(yaml_setting const& setting) {
    if (setting.is_null() || setting.node().Tag().find(".Default") != std::string::npos) return;
    refuse_yaml(setting.at() + " needs Java code; this library can only do without it");
}

[[noreturn]] void refuse_unknown(yaml_setting const& setting, level const& here, level const& elsewhere) {
    if (setting.name().find(':') != std::string::npos)
        refuse_yaml(setting.at() + " is not a key; a space is missing after its colon, as in password: secret");
    if (elsewhere.has(setting.name()) || (&here == &server && setting.name() == server_section))
        refuse_yaml(setting.at() + " belongs " + std::string(elsewhere.title) + ", not " + std::string(here.title));
    std::vector<std::string_view> names(here.ignored.begin(), here.ignored.end());
    for (auto const& key : here.keys) names.push_back(key.name);
    for (auto const& key : yaml_tls::keys) names.push_back(key.name);
    if (&here == &top) names.push_back(server_section);
    auto const near = redisson_keys::nearest(setting.name(), names);
    refuse_yaml(setting.at() + " is not known " + std::string(here.title)
                + (near.empty() ? std::string() : "; the nearest known name is " + near));
}

void check_names(settings_by_name const& entries, level const& here, level const& elsewhere) {
    for (auto const& entry : entries) {
        auto const& name = entry.first;
        auto const& setting = entry.second;
        auto const is_named = [&](std::string_view other) { return other == name; };
        if (&here == &top && name == server_section) continue;
        if (std::ranges::any_of(redisson_keys::java_code(), is_named))
            check_java_code(setting);
        else if (!here.has(name))
            refuse_unknown(setting, here, elsewhere);
        else if (std::ranges::any_of(here.ignored, is_named))
            io::log(log_level::debug, "configuration, " + setting.at() + " has no meaning here and is ignored");
    }
}

template <class Keys> void apply(config& result, settings_by_name const& entries, Keys const& keys) {
    for (auto const& key : keys) {
        auto const found = entries.find(key.name);
        if (found == entries.end()) continue;
        try {
            if (!found->second.is_null()) key.apply(result, found->second);
        } catch (error const& problem) {
            refuse_yaml(found->second.at() + ": " + problem.what());
        }
    }
}

void apply_values(config& result, settings_by_name const& entries, level const& here) {
    apply(result, entries, here.keys);
    apply(result, entries, yaml_tls::keys);
}

/// Without it a connection would be less safe than the document says.
void refuse_what_tls_cannot(config const& settings, settings_by_name const& entries) {
    if (!io::parse_server_uri(settings.address).tls) return;
    for (auto const name : yaml_tls::beyond_us)
        if (auto const found = entries.find(name); found != entries.end() && !found->second.is_null())
            refuse_yaml(found->second.at()
                        + " cannot be honoured by this library: take it out, if its absence is safe");
}

void refuse_other_servers(settings_by_name const& entries) {
    for (auto const name : redisson_keys::other_servers())
        if (auto const found = entries.find(name); found != entries.end() && !found->second.node().IsNull())
            refuse_yaml(found->second.at() + ": this version speaks to one server only; use singleServerConfig");
}

bool shows_password(settings_by_name const& entries) {
    auto const own_text = [&](char const* name) {
        auto const found = entries.find(name);
        if (found == entries.end() || !found->second.node().IsScalar()) return std::string();
        auto text = without_environment(found->second.node().Scalar());
        return text == "null" ? std::string() : text;
    };
    return !own_text("password").empty() || !own_text("sslKeystorePassword").empty()
           || !own_text("tlsKeyPassword").empty() || io::has_password(own_text("address"));
}

yaml_config read(std::string_view text) {
    auto const document = open_yaml(text);
    auto const top_entries = entries_of(document.settings, document.first_line);
    refuse_other_servers(top_entries);
    check_names(top_entries, top, server);
    auto const section = top_entries.find(server_section);
    if (section == top_entries.end()) refuse_yaml("it has no singleServerConfig");
    if (!section->second.node().IsMap()) refuse_yaml(section->second.at() + " must be a group of keys");
    auto const server_entries = entries_of(section->second.node(), document.first_line);
    check_names(server_entries, server, top); // a mistyped address is not a missing one
    auto const address = server_entries.find("address");
    if (address == server_entries.end() || address->second.is_null())
        refuse_yaml(section->second.at() + " has no address, as in address: redis://127.0.0.1:6379");
    yaml_config result;
    result.shows_password = shows_password(top_entries) || shows_password(server_entries);
    apply_values(result.settings, top_entries, top);
    apply_values(result.settings, server_entries, server);
    refuse_what_tls_cannot(result.settings, top_entries);
    refuse_what_tls_cannot(result.settings, server_entries);
    result.settings.validate();
    return result;
}

} // namespace

yaml_config read_yaml(std::string_view text) {
    try {
        return read(text);
    } catch (error const& problem) {
        throw error(errc::bad_config, std::string("the YAML configuration cannot be used: ") + problem.what());
    } catch (YAML::Exception const& problem) {
        throw error(errc::bad_config, std::string("the YAML configuration cannot be used: ") + problem.what());
    }
}

config config::from_yaml(std::string_view text) {
    return read_yaml(text).settings;
}

} // namespace redlatch
