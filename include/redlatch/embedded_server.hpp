// The private server: a redis-server or valkey-server of this user on this machine, for programs that name no other.
//
// All of a user's processes - login shells, cron, `env -i` - find the same one, in /tmp/redlatch-<uid>/ (REDLATCH_RUNTIME_DIR
// overrides): a Unix socket, no TCP, nothing on disk, bounded memory without eviction. It is started on first use and outlives
// its starter.
#pragma once

#include <redlatch/export.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>

namespace redlatch {

/// Thread safety: distinct objects: safe, also in different processes (a file lock orders them). Shared objects: const safe.
class REDLATCH_EXPORT embedded_server {
public:
    struct state {
        bool running = false;
        ::pid_t pid = 0;
        std::string software; ///< "redis" or "valkey"
        std::string version;
        std::int64_t uptime_seconds = 0;
        std::int64_t clients = 0;
        std::int64_t keys = 0;
        std::filesystem::path socket;
    };

    /// Checks the folder: a real directory of this user, mode 0700, no link; makes it if it is not there. Throws
    /// error(bad_config) with a message if it is something else, and in a program that has more rights than its caller.
    embedded_server();
    /// The same in another folder.
    explicit embedded_server(std::filesystem::path folder);

    /// Starts the server if it does not answer; returns when it does. Ten simultaneous first calls start one server. A socket
    /// that nobody serves is replaced. Blocks, for at most 10 s. Throws error(disconnected) where no server program is
    /// installed, naming the package; and where a server is alive whose folder or socket was removed, naming its process: locks
    /// may be held on it. Throws error(bad_config) where another user has taken its name.
    void ensure_running();

    /// Asks the server; never starts it. Blocks for at most 1 s. Throws error(disconnected) when it is alive and cannot be
    /// reached.
    state status() const;

    /// Ends the server and returns true, or returns false when none runs. Refuses with error(busy) while locks or permits are
    /// held, and with error(disconnected) when it cannot be asked, unless forced.
    bool stop(bool force);

    std::filesystem::path const& folder() const noexcept { return folder_; }
    std::filesystem::path socket() const { return folder_ / "redis.sock"; }
    /// `unix:///…/redis.sock`, with %XX where the path needs it.
    std::string uri() const;

private:
    std::filesystem::path folder_;
};

} // namespace redlatch
