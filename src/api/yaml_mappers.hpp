// Java classes that map names and addresses, as far as they can be honoured without Java.
#pragma once

#include "api/yaml_setting.hpp"

#include <redlatch/config.hpp>

namespace redlatch::yaml_mappers {

/// `natMapper`: DefaultNatMapper, HostPortNatMapper or HostNatMapper. Throws error(bad_config) for others.
void set_address_map(config& settings, yaml_setting const& value);

/// `natMap`: hosts with ports.
void add_address_map(config& settings, yaml_setting const& value);

/// `nameMapper`: DefaultNameMapper, or a class of the application that is called PrefixNameMapper and has a `prefix`. Throws
/// error(bad_config) for others, which `namePrefix` under `redlatch` can stand for.
void set_name_prefix(config& settings, yaml_setting const& value);

/// Code that changes what is sent cannot be honoured; to ignore it would break exclusion with Java silently. Throws
/// error(bad_config) for all but Redisson's default.
void refuse_java_code(config& settings, yaml_setting const& value);

/// `credentialsResolver`. Throws error(bad_config) for all but Redisson's default; `passwordFile` under `redlatch` can stand
/// for others.
void refuse_credentials_resolver(config& settings, yaml_setting const& value);

} // namespace redlatch::yaml_mappers
