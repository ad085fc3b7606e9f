#include "one_server.hpp"

#include "support/lock_helpers.hpp"

namespace redlatch::chaos {

namespace {

test::server_options with_socket(test::server_options options, std::string const& socket) {
    options.over = test::server_options::transport::tcp;
    for (auto const* word : {"--unixsocket", socket.c_str(), "--repl-diskless-sync-delay", "0"})
        options.arguments.emplace_back(word);
    return options;
}

} // namespace

one_server::one_server(test::server_options options, bool behind_proxy)
    : socket_((folder_.path() / "admin.sock").string()),
      server_(std::make_unique<test::redis_server>(with_socket(std::move(options), socket_))) {
    if (behind_proxy) proxy_ = std::make_unique<test::byte_proxy>(server_->address());
}

test::raw_client one_server::admin() const {
    return successor_ ? successor_->admin() : test::raw_client(test::endpoint{.path = socket_});
}

bool one_server::somebody_listens(std::string const& lock) const {
    return has_subscriber(admin(), test::channel_of(lock));
}

} // namespace redlatch::chaos
