// The redis-server of the benchmark, and what it says about its work.
#pragma once

#include "measure/address.hpp"
#include "measure/spawn.hpp"

#include <map>
#include <memory>
#include <string>
#include <sys/types.h>

namespace redlatch::bench {

/// Differences of two of these are what a round has cost the server.
struct server_work {
    double cpu_seconds = 0;
    std::map<std::string, double> calls{}; ///< by command, those inside scripts too; without our own questions
};

/// Starts in the constructor, listens on TCP and on a Unix socket, ends in the destructor.
class server {
public:
    explicit server(std::string const& program);
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server();

    pid_t pid() const noexcept { return process_.pid(); }
    address tcp() const { return {.port = port_}; }
    address unix_socket() const { return {.path = folder_.path + "/socket"}; }
    server_work work() const;
    std::string version() const;
    /// Of clients, without ours.
    int connections() const;
    int keys() const;
    void flush() const;

private:
    std::string info(std::string const& section) const;
    std::string field(std::string const& section, std::string const& name) const;

    /// Goes with everything in it.
    struct temporary_folder {
        std::string path;
        temporary_folder();
        temporary_folder(temporary_folder const&) = delete;
        ~temporary_folder();
    };
    struct probe;

    temporary_folder folder_;
    std::uint16_t port_;
    background_program process_;
    std::unique_ptr<probe> probe_{};
};

} // namespace redlatch::bench
