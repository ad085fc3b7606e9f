#include "api/yaml_spring.hpp"

#include "api/config_limits.hpp"
#include "api/yaml_nearest.hpp"
#include "api/yaml_own_values.hpp"
#include "api/yaml_replicas.hpp"
#include "io/server_uri.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

namespace redlatch::yaml_spring {

namespace {

constexpr std::array<std::string_view, 2> places{"spring.redis", "spring.data.redis"};
constexpr std::array<std::string_view, 5> groups{"redisson", "ssl", "sentinel", "cluster", "masterreplica"};

/// A number of milliseconds, or with a unit as in 5s, or PT5S.
duration time(yaml_setting const& value) {
    struct unit {
        std::string_view name;
        duration length;
    };
    constexpr std::array<unit, 5> units{{{"ms", std::chrono::milliseconds(1)},
                                         {"s", std::chrono::seconds(1)},
                                         {"m", std::chrono::minutes(1)},
                                         {"h", std::chrono::hours(1)},
                                         {"d", std::chrono::hours(24)}}};
    constexpr duration least{1};
    auto const text = io::lower_case(value.text());
    auto const digits = std::min(text.find_first_not_of("0123456789"), text.size());
    auto const named = std::ranges::find(units, std::string_view(text).substr(digits), &unit::name);
    if (digits == 0 || named == units.end()) return value.delay(least);
    std::int64_t number = 0;
    auto const problem = std::from_chars(text.data(), text.data() + digits, number).ec;
    if (problem != std::errc{} || number < 1 || number > config_limits::longest / named->length)
        refuse_yaml("'" + io::printable(text) + "' is out of range; it must be from 1 ms to ten years");
    return number * named->length;
}

constexpr yaml_key keys[]{
    {"username", [](config& settings, yaml_setting const& value) { settings.username = value.text(); }},
    {"password", [](config& settings, yaml_setting const& value) { settings.password = value.text(); }},
    {"database",
     [](config& settings, yaml_setting const& value) {
         settings.database = value.whole_number(0, std::numeric_limits<int>::max());
     }},
    {"timeout", [](config& settings, yaml_setting const& value) { settings.timeout = time(value); }},
    {"connect-timeout", [](config& settings, yaml_setting const& value) { settings.connect_timeout = time(value); }},
    {"client-name", [](config& settings, yaml_setting const& value) { settings.client_name = value.text(); }},
    {"sentinel.master",
     [](config& settings, yaml_setting const& value) { settings.topology.master_name = value.text(); }},
    {"sentinel.username",
     [](config& settings, yaml_setting const& value) { settings.topology.sentinel_username = value.text(); }},
    {"sentinel.password",
     [](config& settings, yaml_setting const& value) { settings.topology.sentinel_password = value.text(); }},
    {"ssl.bundle",
     [](config&, yaml_setting const&) {
         refuse_yaml("names certificates that only Spring knows; take it out, and name their files under redlatch "
                     "with tlsCaFile, tlsCertificateFile and tlsKeyFile");
     }},
};

constexpr std::string_view of_springs_clients = "it is about another client than Redisson";
constexpr ignored_yaml_key ignored[]{
    {"client-type", of_springs_clients},
    {"jedis", of_springs_clients},
    {"lettuce", of_springs_clients},
    {"listener", "it is about Spring's listeners"},
    {"repositories", "it is about Spring's repositories"},
    {"cluster.max-redirects", "redirections are followed as far as they lead"},
};

/// What is read below from several keys together.
yaml_level const& level() {
    static yaml_level const all{.title = "under spring.redis or spring.data.redis",
                                .keys = {keys},
                                .ignored = {ignored},
                                .groups = {"url", "host", "port", "ssl", "ssl.enabled", "sentinel.nodes",
                                           "cluster.nodes", "masterreplica.nodes", "redisson.config", "redisson.file"}};
    return all;
}

/// As this file writes it.
std::string canonical(std::string_view name) {
    auto const folded = folded_key(name);
    auto const alike = [&](std::string_view known) { return folded_key(known) == folded; };
    for (auto const& key : keys)
        if (alike(key.name)) return std::string(key.name);
    for (auto const& key : ignored)
        if (alike(key.name) || folded.starts_with(folded_key(key.name) + ".")) return std::string(key.name);
    for (auto const known : level().groups)
        if (alike(known)) return std::string(known);
    return std::string(name);
}

bool is_ignored(std::string_view name) {
    return std::ranges::find(ignored, name, &ignored_yaml_key::name) != std::end(ignored);
}

/// Names the line of whatever `read` refuses.
template <class Read> auto read(yaml_setting const& setting, Read read) {
    try {
        return read();
    } catch (error const& problem) {
        refuse_yaml(setting.at() + ": " + problem.what());
    }
}

class search {
public:
    explicit search(YAML::Node const& document) : own_(document) {}

    /// Ends: with each level the path becomes longer, and only few paths lead on.
    void look_in(YAML::Node const& map, std::string const& path) {
        for (auto const& entry : map) {
            if (++seen_ > most_entries) refuse_yaml("it has too many keys");
            if (!entry.first.IsScalar()) continue;
            auto const whole = path.empty() ? entry.first.Scalar() : path + "." + entry.first.Scalar();
            auto const name = below_a_place(whole);
            bool const leads_on =
                name ? name->empty() || std::ranges::find(groups, *name) != groups.end() : is_on_the_way(whole);
            if (leads_on && entry.second.IsMap())
                look_in(entry.second, whole);
            else if (name && !name->empty())
                take(*name, entry);
        }
    }

    yaml_settings found;

private:
    static constexpr int most_entries = 100'000;

    static bool is_on_the_way(std::string const& path) {
        return std::ranges::any_of(places, [&](std::string_view place) { return place.starts_with(path + "."); });
    }

    static std::optional<std::string_view> below_a_place(std::string_view path) {
        for (auto const place : places) {
            if (!path.starts_with(place)) continue;
            auto const rest = path.substr(place.size());
            if (rest.empty()) return rest;
            if (rest.front() == '.') return rest.substr(1);
        }
        return std::nullopt;
    }

    template <class Entry> void take(std::string_view name, Entry const& entry) {
        yaml_setting const setting({entry.first, entry.second, 1}, canonical(name));
        read(setting, [&] { own_.resolve(entry.second); });
        // Of what is ignored one key says it for all of its group.
        if (!is_ignored(setting.name()) || !found.contains(setting.name())) add_setting(found, setting);
    }

    yaml_own_values own_;
    int seen_ = 0;
};

/// Null where it is missing or says nothing.
yaml_setting const* said(yaml_settings const& found, std::string_view name) {
    return has_value(found, name) ? &found.find(name)->second : nullptr;
}

bool wants_tls(yaml_settings const& found) {
    for (auto const* name : {"ssl", "ssl.enabled"})
        if (auto const* setting = said(found, name))
            if (read(*setting, [&] { return setting->truth(); })) return true;
    return false;
}

std::vector<std::string> nodes(yaml_setting const& setting, std::string const& scheme) {
    return read(setting, [&] {
        auto result = setting.texts();
        for (auto& node : result) {
            if (node.find("://") == std::string::npos) node.insert(0, scheme);
            io::parse_server_uri(node);
        }
        return result;
    });
}

std::string url(yaml_setting const& setting, bool tls) {
    return read(setting, [&] {
        auto result = setting.text();
        auto const parsed = io::parse_server_uri(result);
        if (tls && !parsed.tls) refuse_yaml("has no TLS, which ssl asks for; it must begin with rediss://");
        return result;
    });
}

std::string address(yaml_settings const& found, std::string const& scheme) {
    constexpr int highest_port = 65535;
    std::string host = "localhost";
    if (auto const* setting = said(found, "host")) host = read(*setting, [&] { return setting->text(); });
    if (host.find(':') != std::string::npos && !host.starts_with('[')) host.insert(0, "[").append("]");
    auto port = int{io::default_port};
    if (auto const* setting = said(found, "port"))
        port = read(*setting, [&] { return setting->whole_number(1, highest_port); });
    return scheme + host + ":" + std::to_string(port);
}

} // namespace

yaml_settings found_in(YAML::Node const& root) {
    search all(root);
    all.look_in(root, {});
    return std::move(all.found);
}

void apply(config& settings, yaml_settings const& found) {
    check_names(found, level(), {});
    redlatch::apply(settings, found, level());
    bool const tls = wants_tls(found);
    std::string const scheme = tls ? "rediss://" : "redis://";
    auto& topology = settings.topology;
    constexpr std::array several{"sentinel.nodes", "cluster.nodes", "masterreplica.nodes"};
    if (std::ranges::any_of(several, [&](auto const* name) { return said(found, name) != nullptr; }))
        yaml_replicas::begin(settings);
    if (auto const* sentinels = said(found, "sentinel.nodes")) {
        topology.mode = server_mode::sentinel;
        topology.nodes = nodes(*sentinels, scheme);
        topology.scan_interval = std::chrono::seconds(1);
    } else if (auto const* members = said(found, "cluster.nodes")) {
        topology.mode = server_mode::cluster;
        topology.nodes = nodes(*members, scheme);
    } else if (auto const* servers = said(found, "masterreplica.nodes")) {
        topology.mode = server_mode::replicated; // Spring's client, too, asks each of them whether it is the master
        topology.nodes = nodes(*servers, scheme);
        topology.scan_interval = std::chrono::seconds(1);
    } else if (auto const* whole = said(found, "url")) {
        settings.address = url(*whole, tls);
    } else if (auto const* master = said(found, "sentinel.master")) {
        refuse_yaml(master->at() + " has no Sentinels to ask for it; it needs sentinel.nodes");
    } else {
        settings.address = address(found, scheme);
        io::parse_server_uri(settings.address);
    }
    yaml_replicas::finish(settings, {});
}

} // namespace redlatch::yaml_spring
