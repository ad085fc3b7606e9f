// A PostgreSQL server of the test's own, on a Unix socket.
#pragma once

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace redlatch::test {

/// The folder of initdb, postgres and psql, by Debian's rules; empty: they are not installed.
std::filesystem::path postgresql_programs();

/// Makes a database in a temporary folder and starts a server for it, in a second or two; ends with its object. PostgreSQL does
/// not run as root: for root, server and folder belong to nobody. Thread safety: not safe.
class postgresql_server {
public:
    /// Throws std::runtime_error with the server's log when it does not start.
    postgresql_server();
    postgresql_server(postgresql_server const&) = delete;
    ~postgresql_server();

    /// What a client connects with.
    std::string connection() const;
    /// The first line of what the statement answers; throws std::runtime_error with the server's words when it fails.
    std::string run(std::string const& statement) const;

private:
    std::string log() const;

    temporary_folder folder_;
    std::unique_ptr<child_process> process_;
};

} // namespace redlatch::test
