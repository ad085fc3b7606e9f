// The keys for TLS in YAML: Redisson's, as far as OpenSSL can honour them, and ours for files in PEM.
#pragma once

#include "api/yaml_setting.hpp"

#include <redlatch/config.hpp>

#include <array>
#include <string_view>

namespace redlatch::yaml_tls {

struct key {
    std::string_view name;
    void (*apply)(config&, yaml_setting const&);
};

/// Known at the top level and in singleServerConfig; where two say the same thing, the later one wins.
extern std::array<key, 14> const keys;

/// What would make TLS stricter, or choose other certificates, and cannot be honoured: an error where TLS is used.
inline constexpr std::array<std::string_view, 3> beyond_us{"sslCiphers", "sslKeyManagerFactory",
                                                           "sslTrustManagerFactory"};

} // namespace redlatch::yaml_tls
