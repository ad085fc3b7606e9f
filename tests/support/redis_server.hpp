// A redis-server of the test's own.
#pragma once

#include "support/child_process.hpp"
#include "support/endpoint.hpp"
#include "support/raw_client.hpp"
#include "support/reserved_port.hpp"
#include "support/temporary_folder.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::test {

struct server_options {
    enum class transport { unix_socket, tcp };
    transport over = transport::unix_socket;
    /// Every write is on disk before it is answered, so that restart(data::kept) finds it also after kill9().
    bool persistent = false;
    std::vector<std::string> arguments{};   ///< further ones, as on the command line
    std::vector<std::string> environment{}; ///< "NAME=value", added to this process's own
    std::string program{};                  ///< empty: REDLATCH_TEST_SERVER, else redis-server, else valkey-server
};

/// Redis 6.2: no ACL rules that take a subcommand away or are about reading alone, no ACL DRYRUN, no messages of shards.
bool test_server_is_before_7();
/// Why tests of such rules are skipped there.
inline constexpr char const* needs_rules_of_7 =
    "ACL rules that take subcommands away or are about reading came with Redis 7.0";

/// Starts in the constructor and answers PING when it returns; ends in the destructor. Only ever signals its own
/// process. Thread safety: distinct objects: safe. Shared objects: address(), admin(), pid(), pause() and resume()
/// while it runs.
class redis_server {
public:
    enum class data { kept, lost };

    explicit redis_server(server_options options = {});
    redis_server(redis_server const&) = delete;
    redis_server& operator=(redis_server const&) = delete;
    ~redis_server();

    void stop();   ///< SHUTDOWN, as an administrator would
    void kill9();  ///< SIGKILL
    void pause();  ///< SIGSTOP: connections stay, nothing is answered
    void resume(); ///< SIGCONT
    /// At the same address; stops it first if it runs. data::kept needs server_options::persistent.
    void restart(data what);

    bool running() const noexcept { return process_ != nullptr; }
    pid_t pid() const { return process_->pid(); }

    /// Where clients connect, by the transport of the options.
    endpoint const& address() const noexcept { return address_; }
    std::string uri() const { return address_.uri(); }
    /// A fresh raw connection.
    raw_client admin() const { return raw_client(address_); }
    /// One command on a fresh connection.
    template <class... Arguments> resp::value run(Arguments const&... arguments) const {
        return admin().command(arguments...);
    }

    /// All that it executed has reached those that replicate it, of which there are so many at least.
    bool has_replicated(std::size_t replicas = 0) const;

private:
    void start();
    std::string log() const;

    server_options options_;
    temporary_folder folder_;
    std::optional<reserved_port> port_; ///< of TCP
    endpoint address_;
    std::unique_ptr<child_process> process_;
};

} // namespace redlatch::test
