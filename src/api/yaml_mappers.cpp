#include "api/yaml_mappers.hpp"

#include "api/environment_text.hpp"
#include "api/yaml_nearest.hpp"
#include "io/server_uri.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace redlatch::yaml_mappers {

namespace {

constexpr std::string_view package = "org.redisson.";
constexpr std::array defaults{".DefaultNameMapper", ".DefaultNatMapper", ".DefaultCommandMapper",
                              ".DefaultCredentialsResolver"};

/// One of Redisson's own; an application's class may have a similar name.
bool is_default(yaml_setting const& value) {
    auto const& name = value.node().Tag();
    return name.starts_with(package) && std::any_of(defaults.begin(), defaults.end(), [&name](std::string_view one) {
               return name.ends_with(one);
           });
}

std::string plain_text(YAML::Node const& node) {
    if (!node.IsScalar()) refuse_yaml("needs single values in its map");
    return with_environment(node.Scalar());
}

/// A host with a port; without one, where all its ports stay as they are.
void check_place(std::string const& text, bool has_port) {
    try {
        // A port that the text does not have comes from here.
        auto const as_it_is = io::parse_host_and_port(text, 1);
        auto const otherwise = io::parse_host_and_port(text, 2);
        if ((as_it_is.port == otherwise.port) == has_port) return;
    } catch (error const& problem) {
        refuse_yaml("'" + text + "' in it is no address: " + problem.what());
    }
    refuse_yaml("'" + text + "' in it " + (has_port ? "needs a port, as in 10.0.0.1:6379" : "may have no port"));
}

constexpr std::array<std::string_view, 3> names_of_maps{"class", "hostsPortMap", "hostsMap"};

/// Another class than Redisson's two that have maps, as far as the document says.
bool is_own_nat_mapper(YAML::Node const& value) {
    auto const named = value.IsMap() && value["class"] ? value["class"] : YAML::Node();
    auto const name = named.IsScalar() ? plain_text(named) : value.Tag();
    return name.find('.') != std::string::npos && !name.ends_with(".HostPortNatMapper")
           && !name.ends_with(".HostNatMapper");
}

[[noreturn]] void refuse_in_maps(YAML::Node const& value, std::string const& name) {
    if (is_own_nat_mapper(value))
        refuse_yaml("needs Java code; where all that it does is to replace addresses, say which: "
                    "natMapper: !<org.redisson.api.HostPortNatMapper> {hostsPortMap: {'10.0.0.1:6379': 'db1:6379'}}");
    auto const near = nearest_key(name, names_of_maps);
    if (near.empty()) refuse_yaml("needs a map of addresses in it: hostsPortMap, or hostsMap");
    refuse_yaml(name + " is not known in it; the nearest known name is " + near);
}

void add(config& settings, YAML::Node const& map, bool has_port) {
    if (!map.IsMap()) refuse_yaml("needs a map of addresses in it");
    for (auto const& entry : map) {
        auto const told = plain_text(entry.first);
        auto const reachable = plain_text(entry.second);
        check_place(told, has_port);
        check_place(reachable, has_port);
        settings.topology.address_map[told] = reachable;
    }
}

} // namespace

void refuse_java_code(config&, yaml_setting const& value) {
    if (!is_default(value)) refuse_yaml("needs Java code; this library can only do without it");
}

void refuse_credentials_resolver(config&, yaml_setting const& value) {
    if (!is_default(value))
        refuse_yaml("needs Java code; where a file has the password, name that file: "
                    "redlatch: {passwordFile: /path}; a program leaves this key out and sets config::credentials");
}

void set_name_prefix(config& settings, yaml_setting const& value) {
    if (is_default(value)) return;
    auto is_known = value.node().Tag().ends_with(".PrefixNameMapper");
    std::string prefix;
    if (value.node().IsMap())
        for (auto const& entry : value.node()) {
            auto const name = plain_text(entry.first);
            if (name == "class")
                is_known = plain_text(entry.second).ends_with(".PrefixNameMapper");
            else if (name == "prefix")
                prefix = plain_text(entry.second);
            else
                is_known = false;
        }
    if (!is_known)
        refuse_yaml("needs Java code; where all that it does is to put a prefix before names, say which one: "
                    "redlatch: {namePrefix: 'app:'}");
    settings.name_prefix = prefix;
}

void set_address_map(config& settings, yaml_setting const& value) {
    if (is_default(value)) return;
    if (!value.node().IsMap() || value.node().size() == 0) refuse_in_maps(value.node(), {});
    for (auto const& entry : value.node()) {
        auto const name = plain_text(entry.first);
        if (name == "hostsPortMap")
            add(settings, entry.second, true);
        else if (name == "hostsMap")
            add(settings, entry.second, false);
        else if (name != "class")
            refuse_in_maps(value.node(), name);
    }
}

void add_address_map(config& settings, yaml_setting const& value) {
    add(settings, value.node(), true);
}

} // namespace redlatch::yaml_mappers
