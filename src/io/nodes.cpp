#include "io/nodes.hpp"

#include "io/make_locator.hpp"

namespace redlatch::io {

nodes::nodes(std::shared_ptr<reactor> const& loop, config const& settings, server_set const& servers,
             std::string const& connection_name, cluster::hooks const& to_tell)
    : mode_(servers.mode) {
    if (servers.mode == server_mode::cluster)
        cluster_ = std::make_shared<cluster>(loop, settings, servers, connection_name, to_tell);
    else
        single_ = std::make_unique<node>(
            loop, settings, servers.mode == server_mode::sentinel ? servers.master : servers.nodes.front(),
            connection_name, to_tell.of_node(), make_locator(settings, servers, connection_name));
}

void nodes::watch(std::shared_ptr<reactor> const& loop) {
    cluster_ ? cluster_->watch() : single_->watch(loop);
}

bool nodes::connect_now(base::instant until, errc& reason, std::string& problem) {
    return cluster_ ? cluster_->connect_now(until, reason, problem) : single_->connect_now(until, reason, problem);
}

void nodes::close() {
    cluster_ ? cluster_->close() : single_->close();
}

void nodes::barrier() const {
    for (auto* const one : all()) one->data().barrier();
}

std::uint64_t nodes::commands_sent() const {
    std::uint64_t sum = 0;
    for (auto const* const one : all()) sum += one->commands_sent();
    return sum;
}

std::size_t nodes::subscriptions() const {
    std::size_t sum = 0;
    for (auto const* const one : all()) sum += one->subscriptions();
    return sum;
}

} // namespace redlatch::io
