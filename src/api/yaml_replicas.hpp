// The settings about replicas: what Redisson does unasked where there are several servers, its two keys, and ours.
#pragma once

#include "api/yaml_level.hpp"

#include <redlatch/config.hpp>

#include <span>

namespace redlatch::yaml_replicas {

/// checkLockSyncedSlaves, slavesSyncTimeout.
std::span<yaml_key const> keys();
/// Under `redlatch`.
std::span<yaml_key const> own_keys();

/// Of a document for several servers, before its keys are applied: what Redisson does where they say nothing.
void begin(config& settings);
/// Of a document for Redisson whose keys have been applied, but for those under `redlatch`: a single server has no replicas for
/// Redisson, which one debug line for each key tells.
void finish(config& settings, yaml_settings const& top);

} // namespace redlatch::yaml_replicas
