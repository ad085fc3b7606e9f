// The redis-server of the benchmark.
#pragma once

#include "measure/address.hpp"
#include "measure/work_meter.hpp"
#include "support/redis_server.hpp"

#include <string>
#include <sys/types.h>

namespace redlatch::bench {

/// Starts in the constructor, listens on TCP and on a Unix socket, ends in the destructor.
class server final : public work_meter {
public:
    explicit server(std::string const& program);

    pid_t pid() const { return process_.pid(); }
    address tcp() const { return {.port = process_.address().port}; }
    address unix_socket() const { return {.path = socket_}; }
    server_work work() const override;
    std::string version() const;
    /// Of clients, without ours.
    int connections() const;
    int keys() const;
    void flush() const;

private:
    test::temporary_folder folder_{}; ///< of the socket
    std::string socket_;
    test::redis_server process_;
    mutable test::raw_client probe_;
};

} // namespace redlatch::bench
