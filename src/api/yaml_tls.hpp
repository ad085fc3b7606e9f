// The keys for TLS in YAML: Redisson's, as far as OpenSSL can honour them, and ours for files in PEM.
#pragma once

#include "api/yaml_level.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace redlatch::yaml_tls {

/// Redisson's, at the top level and in the section of the servers; where two say the same thing, the later one wins.
std::span<yaml_key const> keys();
/// Ours, in these places and under `redlatch`.
std::span<yaml_key const> own_keys();
/// Ours under `redlatch`: of Sentinels whose TLS is not that of the servers.
std::span<yaml_key const> sentinel_keys();

/// A path, or a URL of a file, as Java names files. Throws error(bad_config).
std::string file(yaml_setting const& value);

/// What would make TLS stricter, or choose other certificates, and cannot be honoured: an error where TLS is used.
inline constexpr std::array<std::string_view, 2> beyond_us{"sslKeyManagerFactory", "sslTrustManagerFactory"};

} // namespace redlatch::yaml_tls
