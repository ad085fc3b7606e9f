// A document of Redisson's, or of Spring Boot's, as a config.
#include "api/config_yaml.hpp"

#include "api/config_limits.hpp"
#include "api/redisson_keys.hpp"
#include "api/yaml_document.hpp"
#include "api/yaml_field_names.hpp"
#include "api/yaml_level.hpp"
#include "api/yaml_mappers.hpp"
#include "api/yaml_own.hpp"
#include "api/yaml_replicas.hpp"
#include "api/yaml_servers.hpp"
#include "api/yaml_spring.hpp"
#include "api/yaml_tls.hpp"
#include "io/log.hpp"
#include "io/server_set.hpp"
#include "io/server_uri.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace redlatch {

namespace {

using yaml_servers::section;

constexpr yaml_key top_keys[]{
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
    {"lazyInitialization",
     [](config& settings, yaml_setting const& value) {
         settings.connect = value.truth() ? connect_mode::lazily : connect_mode::eagerly;
     }},
    {"username", [](config& settings, yaml_setting const& value) { settings.username = value.text(); }},
    {"password", [](config& settings, yaml_setting const& value) { settings.password = value.text(); }},
    {"nameMapper", yaml_mappers::set_name_prefix},
    {"commandMapper", yaml_mappers::refuse_java_code},
    {"credentialsResolver", yaml_mappers::refuse_credentials_resolver},
};

yaml_level const& top_level() {
    auto const make = [] {
        yaml_level result{
            .title = "at the top level",
            .keys = {top_keys, yaml_replicas::keys(), yaml_own::keys_at_top(), yaml_tls::keys(), yaml_tls::own_keys()},
            .ignored = {redisson_keys::ignored_at_top()},
            .groups = {yaml_own::section},
        };
        for (auto const& one : yaml_servers::sections()) result.groups.push_back(one.name);
        return result;
    };
    static yaml_level const top = make();
    return top;
}

/// A key that is unknown where it stands may be known in one of these: `first` before others.
std::vector<yaml_level> levels_beginning_with(section const* first) {
    std::vector<yaml_level> result;
    if (first != nullptr) result.push_back(first->level);
    for (auto const& one : yaml_servers::sections()) result.push_back(one.level);
    result.push_back(top_level());
    result.push_back(yaml_own::level());
    return result;
}

/// The one that has settings. Null: there is none.
section const* chosen_section(yaml_settings const& top) {
    section const* chosen = nullptr;
    for (auto const& one : yaml_servers::sections()) {
        auto const found = top.find(one.name);
        if (found == top.end() || (chosen != nullptr && found->second.is_null())) continue;
        auto const former = chosen == nullptr ? top.end() : top.find(chosen->name);
        if (former != top.end() && !former->second.is_null())
            refuse_yaml(found->second.at() + ": there is " + former->second.name() + " in line "
                        + std::to_string(former->second.line()) + " already; a client has one of them");
        chosen = &one;
    }
    return chosen;
}

yaml_settings settings_of_section(section const& one, yaml_setting const& setting, int first_line) {
    if (!setting.node().IsMap()) refuse_yaml(setting.at() + " must be a group of keys");
    auto entries = settings_of(setting.node(), first_line);
    check_names(entries, one.level, levels_beginning_with(nullptr)); // a mistyped address is not a missing one
    if (!has_value(entries, one.address))
        refuse_yaml(setting.at() + " has no " + std::string(one.address) + ", as in " + std::string(one.example));
    return entries;
}

/// Without it a connection would be less safe than the document says.
void refuse_what_tls_cannot(yaml_settings const& entries) {
    for (auto const name : yaml_tls::beyond_us)
        if (auto const found = entries.find(name); found != entries.end() && !found->second.is_null())
            refuse_yaml(found->second.at()
                        + " cannot be honoured by this library: take it out, if its absence is safe");
}

/// `redlatch: {…}`. What stands in it.
yaml_settings apply_own(config& settings, yaml_setting const& group, int first_line, section const* chosen = nullptr) {
    if (group.node().IsNull()) return {};
    if (!group.node().IsMap()) refuse_yaml(group.at() + " must be a group of keys");
    auto entries = settings_of(group.node(), first_line);
    check_names(entries, yaml_own::level(), levels_beginning_with(chosen));
    apply(settings, entries, yaml_own::level());
    return entries;
}

/// Runs a check of the whole; what it refuses is said in the words of the document.
template <class Check> auto checked(std::initializer_list<yaml_settings const*> written, Check check) {
    try {
        return check();
    } catch (error const& problem) {
        refuse_yaml(in_words_of_document(problem.what(), std::span(written.begin(), written.size())));
    }
}

/// What is Java code, and the key under `redlatch` that says what it does.
struct java_code {
    std::string_view name;
    std::string_view instead;
};
constexpr java_code replaceable[]{{"nameMapper", "namePrefix"}, {"credentialsResolver", "passwordFile"}};

bool says(yaml_setting const& own, int first_line, std::string_view name) {
    if (!own.node().IsMap()) return false;
    return has_value(settings_of(own.node(), first_line), name);
}

/// What stands under `redlatch`; whoever applies it says what is wrong with it.
bool servers_use_tls(yaml_setting const& own, int first_line) {
    if (!own.node().IsMap()) return false;
    auto const entries = settings_of(own.node(), first_line);
    auto const found = entries.find("serversUseTls");
    try {
        return found != entries.end() && found->second.truth();
    } catch (error const&) {
        return true;
    }
}

void leave_out(yaml_settings& entries, java_code const& one) {
    auto const found = entries.find(one.name);
    if (found == entries.end()) return;
    io::log(log_level::debug, "configuration, " + found->second.at() + " is ignored: " + std::string(one.instead)
                                  + " under redlatch says what it does");
    entries.erase(found);
}

/// No server is reached with TLS by the addresses of its section.
bool is_plain(yaml_settings const& servers, section const& chosen) {
    try {
        return std::ranges::none_of(servers.find(chosen.address)->second.texts(),
                                    [](std::string const& one) { return io::parse_server_uri(one).tls; });
    } catch (error const&) { // whoever applies it says what is wrong, and where
        return false;
    }
}

/// Redisson takes no notice of them beside addresses without TLS, and such files are used.
void leave_out_tls(yaml_settings& entries) {
    for (auto const& key : yaml_tls::keys()) {
        auto const found = entries.find(key.name);
        if (found == entries.end()) continue;
        bool const expects_tls = key.name == "sslTruststore" || key.name == "sslKeystore"; // others may be defaults
        if (!found->second.is_null())
            io::log(expects_tls ? log_level::warning : log_level::debug,
                    "configuration, " + found->second.at()
                        + " has no effect: the address of the servers does not use TLS (rediss://)");
        entries.erase(found);
    }
}

/// Where Java's values are written in another form than ours, its locks on them do not exclude ours.
void warn_of_codec(yaml_settings const& top) {
    auto const found = top.find("codec");
    if (found == top.end() || found->second.is_null()) return;
    auto const& node = found->second.node();
    auto named = node.Tag(); // !<org.redisson.client.codec.StringCodec> {}
    if (node.IsMap() && node["class"] && node["class"].IsScalar()) named = node["class"].Scalar();
    if (node.IsScalar()) named += node.Scalar();
    if (named.ends_with("StringCodec")) return;
    io::log(log_level::warning,
            found->second.at()
                + " is not StringCodec: a faster_multi_lock of this library and Java's FasterMultiLock, "
                  "getMultiLock(group, values), then do not exclude each other, because Java writes the values in "
                  "another form. All other locks are the same with every codec. Set codec: "
                  "!<org.redisson.client.codec.StringCodec> {} for Java too, where both take such locks");
}

yaml_config read_redisson(yaml_document const& document) {
    auto top = settings_of(document.redisson, document.first_line);
    auto const* const chosen = chosen_section(top);
    check_names(top, top_level(), levels_beginning_with(chosen));
    if (chosen == nullptr)
        refuse_yaml(
            "it has no singleServerConfig, and none of the sections for several servers: sentinelServersConfig, "
            "clusterServersConfig, replicatedServersConfig, masterSlaveServersConfig");
    warn_of_codec(top);
    auto servers = settings_of_section(*chosen, top.find(chosen->name)->second, document.first_line);
    auto const own = top.find(yaml_own::section);
    for (auto const& one : replaceable) {
        if (!(own != top.end() && says(own->second, document.first_line, one.instead))
            && !(document.beside && says(*document.beside, 1, one.instead)))
            continue;
        leave_out(top, one);
        leave_out(servers, one);
    }
    yaml_config result;
    result.shows_password = shows_password(top) || shows_password(servers);
    bool const tls_of_servers = (own != top.end() && servers_use_tls(own->second, document.first_line))
                                || (document.beside && servers_use_tls(*document.beside, 1));
    if (!tls_of_servers && is_plain(servers, *chosen)) {
        leave_out_tls(top);
        leave_out_tls(servers);
    }
    if (chosen->mode != server_mode::single) yaml_replicas::begin(result.settings);
    apply(result.settings, top, top_level());
    yaml_servers::apply(result.settings, servers, *chosen);
    yaml_replicas::finish(result.settings, top);
    yaml_settings within;
    if (own != top.end()) within = apply_own(result.settings, own->second, document.first_line, chosen);
    result.shows_password |= shows_password(within);
    yaml_settings outside;
    if (document.beside) outside = apply_own(result.settings, *document.beside, 1, chosen);
    result.shows_password_beside = shows_password(outside);
    bool const tls = checked({&top, &servers, &within, &outside}, [&] {
        result.settings.validate();
        auto const servers_of_file = io::resolve_servers(result.settings);
        return servers_of_file.nodes.front().tls || servers_of_file.master.tls;
    });
    if (tls) {
        refuse_what_tls_cannot(top);
        refuse_what_tls_cannot(servers);
    }
    return result;
}

yaml_config read_document(yaml_document const& document) {
    if (document.kind == yaml_document::form::redisson) return read_redisson(document);
    yaml_config result;
    result.shows_password = shows_password(document.spring);
    yaml_spring::apply(result.settings, document.spring);
    yaml_settings outside;
    if (document.beside) outside = apply_own(result.settings, *document.beside, 1);
    result.shows_password_beside = shows_password(outside);
    checked({&document.spring, &outside}, [&] { result.settings.validate(); });
    return result;
}

yaml_config read(std::string_view text, other_yaml_file const& read_other) {
    auto document = open_yaml(text);
    if (document.file) {
        if (!read_other) refuse_yaml(document.file->at() + " names another file; give that file instead of this one");
        auto const beside = document.beside;
        document = open_redisson_yaml(read_other(*document.file));
        document.beside = beside;
    }
    return read_document(document);
}

} // namespace

yaml_config read_yaml(std::string_view text, other_yaml_file const& read_other) {
    try {
        return read(text, read_other);
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
