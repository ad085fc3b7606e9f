// One server, behind a proxy if wanted; another one may take its place there.
#pragma once

#include "support/byte_proxy.hpp"
#include "support/redis_server.hpp"
#include "support/temporary_folder.hpp"
#include "topology.hpp"

#include <memory>
#include <string>
#include <vector>

namespace redlatch::chaos {

class one_server : public topology {
public:
    one_server(test::server_options options, bool behind_proxy);

    test::redis_server& server() noexcept { return *server_; }
    test::byte_proxy& proxy() noexcept { return *proxy_; }
    /// A connection that no fault of the network reaches.
    test::raw_client admin() const;
    /// Keeps it to the end, and asks it from now on what is left.
    void take_over(std::unique_ptr<test::redis_server> by) { successor_ = std::move(by); }

    std::string uri() const override { return proxy_ ? proxy_->uri() : server_->uri(); }
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override { return keys_of(admin(), pattern); }

private:
    test::temporary_folder folder_;
    std::string socket_;
    std::unique_ptr<test::redis_server> server_;
    std::unique_ptr<test::redis_server> successor_;
    std::unique_ptr<test::byte_proxy> proxy_;
};

} // namespace redlatch::chaos
