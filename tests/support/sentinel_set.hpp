// Sentinels with the master and the replicas that they watch, all of the test's own.
#pragma once

#include "resp/value.hpp"
#include "support/child_process.hpp"
#include "support/redis_server.hpp"
#include "support/reserved_port.hpp"
#include "support/temporary_folder.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::test {

/// Servers that replicate the first one, on TCP. Ready when the constructor returns.
class replica_set {
public:
    /// `network`: see sentinel_options.
    /// `more`: further arguments of each server, as on the command line.
    explicit replica_set(std::size_t replicas, std::string const& network = {},
                         std::vector<std::string> const& more = {});

    std::size_t size() const noexcept { return servers_.size(); }
    redis_server& operator[](std::size_t which) const noexcept { return *servers_[which]; }
    std::uint16_t port(std::size_t which) const noexcept { return servers_[which]->address().port; }
    std::string uri(std::size_t which) const { return servers_[which]->uri(); }
    /// All that this one executed has reached those that replicate it.
    bool has_replicated(std::size_t master) const { return servers_[master]->has_replicated(); }
    /// What ROLE says first; empty: it does not answer.
    std::string role(std::size_t which) const;
    /// As an administrator does it: this one is the master, and the others that run replicate it.
    void promote(std::size_t which);

private:
    std::vector<std::unique_ptr<redis_server>> servers_;
};

struct sentinel_options {
    std::size_t sentinels = 3;
    std::size_t replicas = 1;
    /// From when on a silent master counts as gone. Long: a machine that is busy must not look like one.
    std::chrono::milliseconds down_after{60'000};
    std::string password{};           ///< of the Sentinels; empty: none
    std::vector<std::string> lines{}; ///< further ones of their configuration
    /// Commands that the servers have under other names, which the Sentinels alone know.
    std::vector<std::string> hidden_commands{};
    /// "127.0.2.": where the connections of servers and Sentinels to each other come from, unlike those of clients. Needs
    /// Redis 7. Empty: as those of clients.
    std::string network{};
};

/// They know each other when the constructor returns, and can carry out a failover.
class sentinel_set {
public:
    static constexpr char const* master_name = "orders";
    /// A failover takes a few seconds, and many more on a busy machine.
    static constexpr std::chrono::seconds longest_failover{60};

    explicit sentinel_set(sentinel_options options = {});

    replica_set& servers() noexcept { return servers_; }
    /// Of the connections of this server to others.
    std::string source_address(std::size_t server) const { return options_.network + std::to_string(server + 1); }
    std::string sentinel_address(std::size_t which) const;
    /// `redis-sentinel://…` with all Sentinels, or with this one.
    std::string uri() const;
    std::string uri(std::size_t which) const;

    /// One command to a Sentinel, by whoever may do everything there.
    resp::value ask(std::size_t which, std::vector<std::string> const& command) const;

    void stop_sentinel(std::size_t which) { sentinels_[which].process.reset(); }
    void pause_sentinel(std::size_t which) const { sentinels_[which].process->signal(SIGSTOP); }
    void resume_sentinel(std::size_t which) const { sentinels_[which].process->signal(SIGCONT); }

    /// What it has written so far.
    std::string log(std::size_t which) const;

    /// Which server a Sentinel names; none: it does not answer.
    std::optional<std::size_t> named_master(std::size_t which = 0) const;
    /// SENTINEL FAILOVER, and waits until all Sentinels that run name another master. Which one.
    std::size_t fail_over();
    /// Waits until all Sentinels that run name another one than this. Which one.
    std::size_t wait_for_another_than(std::size_t old) const;

private:
    struct sentinel {
        reserved_port port{};
        temporary_folder folder{};
        std::unique_ptr<child_process> process{};
    };
    void start(std::size_t which);
    bool is_ready(std::size_t which) const;

    sentinel_options const options_;
    replica_set servers_;
    std::vector<sentinel> sentinels_;
};

} // namespace redlatch::test
