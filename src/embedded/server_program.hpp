// The server to start.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace redlatch::embedded {

/// redis-server, else valkey-server, in the absolute folders of `search_path`.
std::optional<std::filesystem::path> find_server_program(std::string_view search_path);

/// In PATH, then where the packages put it: the PATH of cron is poor. Throws error(disconnected), naming the packages.
std::filesystem::path require_server_program();

} // namespace redlatch::embedded
