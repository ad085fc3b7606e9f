#include "embedded/server_program.hpp"

#include <redlatch/error.hpp>

#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::embedded {

namespace {

constexpr std::string_view usual_folders =
    "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/redis/bin";

bool can_be_run(std::filesystem::path const& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

} // namespace

std::optional<std::filesystem::path> find_server_program(std::string_view search_path) {
    for (auto const* const name : {"redis-server", "valkey-server"}) {
        auto rest = search_path;
        while (!rest.empty()) {
            auto const folder = rest.substr(0, rest.find(':'));
            rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
            // A relative folder would make the server depend on where one happens to stand.
            if (!folder.starts_with('/')) continue;
            auto file = std::filesystem::path(folder) / name;
            if (can_be_run(file)) return file;
        }
    }
    return std::nullopt;
}

std::filesystem::path require_server_program() {
    char const* const search_path = ::secure_getenv("PATH");
    auto found = find_server_program(std::string(search_path ? search_path : "") + ":" + std::string(usual_folders));
    if (!found)
        throw error(errc::disconnected,
                    "there is no redis-server and no valkey-server on this machine: install the package "
                    "redis-server or valkey-server, or name a server, as in redis://host:6379");
    return *std::move(found);
}

} // namespace redlatch::embedded
