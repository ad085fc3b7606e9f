// The servers of a client: one, or the nodes of a cluster; and which of them has a key.
#pragma once

#include "io/cluster.hpp"
#include "io/node.hpp"
#include "io/server_set.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class nodes {
public:
    nodes(std::shared_ptr<reactor> const& loop, config const& settings, server_set const& servers,
          std::string const& connection_name, cluster::hooks const& to_tell);

    node& of(std::string_view key) noexcept { return cluster_ ? cluster_->of(key) : *single_; }
    /// For what is about no key.
    node& any() { return cluster_ ? cluster_->any() : *single_; }
    /// All that have keys.
    std::vector<node*> masters() { return cluster_ ? cluster_->masters() : std::vector<node*>{single_.get()}; }
    server_mode mode() const noexcept { return mode_; }
    /// See master_locator.
    std::optional<sentinel_facts> sentinels() const { return single_ ? single_->sentinels() : std::nullopt; }
    /// Null: a single server.
    cluster* of_cluster() const noexcept { return cluster_.get(); }

    /// Connects on the calling thread. False: failed, see `problem`.
    bool connect_now(base::instant until, errc& reason, std::string& problem);
    /// In its place: connections are made when calls need them.
    void connect_later() {
        if (cluster_) cluster_->connect_later();
    }
    /// From now on it notices by itself where servers are others.
    void watch(std::shared_ptr<reactor> const& loop);
    void close();

    /// Whatever other threads are just submitting is staged when this returns.
    void barrier() const;
    /// Who waits for calls on all data connections reads this one. Null: there are several, and the reactor reads.
    lane* only_line() const noexcept { return single_ ? &single_->data().line() : nullptr; }

    std::uint64_t commands_sent() const;
    std::size_t subscriptions() const;

private:
    std::vector<node*> all() const { return cluster_ ? cluster_->all() : std::vector<node*>{single_.get()}; }

    server_mode const mode_;
    std::unique_ptr<node> single_;
    std::shared_ptr<cluster> cluster_;
};

} // namespace redlatch::io
