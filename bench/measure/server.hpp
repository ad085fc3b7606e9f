// The redis-server of the benchmark, and what it says about its work.
#pragma once

#include "measure/address.hpp"
#include "support/redis_server.hpp"

#include <map>
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

    pid_t pid() const { return process_.pid(); }
    address tcp() const { return {.port = process_.address().port}; }
    address unix_socket() const { return {.path = socket_}; }
    server_work work() const;
    std::string version() const;
    /// Of clients, without ours.
    int connections() const;
    int keys() const;
    void flush() const;

private:
    std::string info(std::string const& section) const;
    std::string field(std::string const& section, std::string const& name) const;

    test::temporary_folder folder_{}; ///< of the socket
    std::string socket_;
    test::redis_server process_;
    mutable test::raw_client probe_;
};

} // namespace redlatch::bench
