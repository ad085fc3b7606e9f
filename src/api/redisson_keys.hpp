// The keys of Redisson's YAML configuration (Redisson 3 and 4), as far as a reader of single-server documents must know them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redlatch::redisson_keys {

/// Accepted without effect at the top level.
std::span<std::string_view const> ignored_at_top();
/// Accepted without effect in singleServerConfig.
std::span<std::string_view const> ignored_in_server();
/// The sections of the kinds of server that are not supported.
std::span<std::string_view const> other_servers();
/// Change key names, commands or credentials by Java code: only the default can be accepted, at the top or in the server.
std::span<std::string_view const> java_code();

/// The known name that is most like `name`, ignoring case and dashes; empty where none is near.
std::string nearest(std::string_view name, std::span<std::string_view const> known);

} // namespace redlatch::redisson_keys
