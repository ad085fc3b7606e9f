#include "sim/server/pubsub.hpp"

#include <algorithm>

namespace redlatch::sim {
namespace {

auto& list(auto& names, pubsub::kind what) {
    return what == pubsub::kind::channel   ? names.channels
           : what == pubsub::kind::pattern ? names.patterns
                                           : names.of_shard;
}

} // namespace

void pubsub::subscribe(client who, kind what, std::string_view name) {
    auto& mine = list(by_client_[who], what);
    if (std::ranges::find(mine, name) != mine.end()) return;
    mine.emplace_back(name);
    auto& listeners_of = index_of(what);
    auto place = listeners_of.find(name);
    if (place == listeners_of.end()) place = listeners_of.emplace(name, std::vector<client>()).first;
    place->second.push_back(who);
}

void pubsub::unsubscribe(client who, kind what, std::string_view name) {
    auto const place = by_client_.find(who);
    if (place == by_client_.end()) return;
    auto& mine = list(place->second, what);
    auto const found = std::ranges::find(mine, name);
    if (found == mine.end()) return;
    auto& listeners_of = index_of(what);
    auto const listeners = listeners_of.find(name);
    std::erase(listeners->second, who);
    if (listeners->second.empty()) listeners_of.erase(listeners);
    mine.erase(found);
    auto const& left = place->second;
    if (left.channels.empty() && left.patterns.empty() && left.of_shard.empty()) by_client_.erase(place);
}

void pubsub::leave(client who) {
    for (auto const what : {kind::channel, kind::pattern, kind::shard}) {
        for (auto const& name : names(who, what)) unsubscribe(who, what, name);
    }
}

std::size_t pubsub::count(client who) const {
    return count(who, kind::channel) + count(who, kind::pattern);
}

std::size_t pubsub::count(client who, kind what) const {
    auto const place = by_client_.find(who);
    return place == by_client_.end() ? 0 : list(place->second, what).size();
}

std::vector<std::string> pubsub::names(client who, kind what) const {
    auto const place = by_client_.find(who);
    return place == by_client_.end() ? std::vector<std::string>() : list(place->second, what);
}

std::span<pubsub::client const> pubsub::listeners(std::string_view channel, kind what) const {
    auto const& all = index_of(what);
    auto const place = all.find(channel);
    if (place == all.end()) return {};
    return place->second;
}

std::vector<std::string> pubsub::channels(kind what) const {
    std::vector<std::string> all;
    for (auto const& [name, listeners] : index_of(what)) all.push_back(name);
    return all;
}

} // namespace redlatch::sim
