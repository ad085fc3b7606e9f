// What the server executed, by MONITOR.
#pragma once

#include "support/byte_proxy.hpp"
#include "support/redis_server.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::test {

/// Records from its construction on. Commands inside scripts are recorded too, with the client "lua".
/// Thread safety: distinct objects: safe. Shared objects: safe.
class monitor {
public:
    struct entry {
        std::string client; ///< address and port, the path of a Unix socket, or "lua"
        words command;
    };

    explicit monitor(redis_server const& server);
    monitor(monitor const&) = delete;
    monitor& operator=(monitor const&) = delete;
    ~monitor();

    /// All that was executed before this call, without the helper's own commands.
    std::vector<entry> entries();
    /// Commands of clients, without those inside scripts.
    std::vector<words> commands();
    std::size_t count(matcher which);
    void forget();

private:
    void read_all();

    redis_server const& server_;
    raw_client connection_;
    std::atomic<bool> ending_{false};
    std::mutex mutex_;
    std::vector<entry> entries_;
    int marker_ = 0;
    std::thread reader_;
};

} // namespace redlatch::test
