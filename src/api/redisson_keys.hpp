// The keys of Redisson's configuration (Redisson 3 and 4) that are accepted and mean nothing here, each with the reason.
#pragma once

#include "api/yaml_level.hpp"

#include <span>

namespace redlatch::redisson_keys {

std::span<ignored_yaml_key const> ignored_at_top();
/// In the section of the servers, of whatever kind.
std::span<ignored_yaml_key const> ignored_in_servers();
std::span<ignored_yaml_key const> ignored_in_single_server();
/// Where there are several servers.
std::span<ignored_yaml_key const> ignored_in_several_servers();
std::span<ignored_yaml_key const> ignored_in_sentinel_servers();
std::span<ignored_yaml_key const> ignored_in_cluster_servers();
std::span<ignored_yaml_key const> ignored_in_replicated_servers();

} // namespace redlatch::redisson_keys
