// A master with a replica that clients know by their addresses: the master stays the one that was named.
#pragma once

#include "topology.hpp"

#include <memory>
#include <string>
#include <vector>

namespace redlatch::chaos {

/// On TCP. Has all that the master has, and confirms it, when the function returns.
std::unique_ptr<test::redis_server> replica_of(test::redis_server const& master);

class named_master : public topology {
public:
    /// Restarts with its data.
    test::redis_server& master() { return master_; }
    test::redis_server& replica() { return *replica_; }

    std::string uri() const override { return master_.uri() + " " + replica_->uri(); }
    std::string mode() const override { return "master_slave"; }
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override {
        return keys_of(master_.admin(), pattern);
    }

private:
    test::redis_server master_{{.over = test::server_options::transport::tcp,
                                .persistent = true,
                                .arguments = {"--repl-diskless-sync-delay", "0"}}};
    std::unique_ptr<test::redis_server> replica_ = replica_of(master_);
};

} // namespace redlatch::chaos
