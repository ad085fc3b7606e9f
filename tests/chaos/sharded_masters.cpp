#include "sharded_masters.hpp"

#include "support/lock_helpers.hpp"

namespace redlatch::chaos {

sharded_masters::sharded_masters(std::string const& lock) : owner_(cluster_.owner_of(lock)) {}

bool sharded_masters::somebody_listens(std::string const& lock) const {
    auto const channel = test::channel_of(lock);
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
        auto& node = cluster_.node(i);
        if (node.running() && !node.run("PUBSUB", "SHARDCHANNELS", channel).items.empty()) return true;
    }
    return false;
}

std::vector<std::string> sharded_masters::keys(std::string const& pattern) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
        auto& node = cluster_.node(i);
        if (!node.running() || !test::redis_cluster::is_master(node)) continue;
        auto const some = keys_of(node.admin(), pattern);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

} // namespace redlatch::chaos
