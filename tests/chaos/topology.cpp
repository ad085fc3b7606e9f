#include "topology.hpp"

#include "support/wait_until.hpp"

#include <chrono>
#include <stdexcept>

namespace redlatch::chaos {

namespace {

constexpr std::chrono::seconds longest_election{60};

} // namespace

std::vector<std::string> keys_of(test::raw_client server, std::string const& pattern) {
    std::vector<std::string> result;
    for (auto const& key : server.command("KEYS", pattern).items) result.push_back(key.text);
    return result;
}

bool has_subscriber(test::raw_client server, std::string const& channel) {
    return server.command("PUBSUB", "NUMSUB", channel).items.at(1).integer > 0;
}

void replicated_topology::wait_until_replicated(std::string const& key) {
    auto connection = replica().admin();
    connection.command("READONLY"); // an error where there is no cluster
    if (!test::wait_until([&] { return connection.command("EXISTS", key).integer == 1; }))
        throw std::runtime_error("the lock was not replicated");
}

void replicated_topology::empty_replica() {
    replica().run("CONFIG", "SET", "replica-read-only", "no");
    auto const reply = replica().run("FLUSHALL");
    if (reply.is_error()) throw std::runtime_error("FLUSHALL of the replica: " + reply.text);
    replica().run("CONFIG", "SET", "replica-read-only", "yes");
}

void replicated_topology::wait_for_election() {
    elect();
    if (!test::wait_until([&] { return replica_is_master(); }, longest_election))
        throw no_election("the replica was not elected\n" + log());
}

} // namespace redlatch::chaos
