#include "replicated_servers.hpp"

#include "support/lock_helpers.hpp"

#include <stdexcept>
#include <thread>

namespace redlatch::chaos {

namespace {

void replicate(test::redis_server const& server, std::string const& host, std::string const& port) {
    auto const reply = server.run("REPLICAOF", host, port);
    if (reply.is_error()) throw std::runtime_error("REPLICAOF: " + reply.text);
}

} // namespace

void replicated_servers::promote_replica() {
    replicate(replica(), "NO", "ONE");
}

void replicated_servers::demote_old_master() {
    replicate(master(), "127.0.0.1", std::to_string(servers_.port(1)));
}

void replicated_servers::wake_stale_master() {
    master().resume();
    demote_old_master();
}

void replicated_servers::elect() {
    // sleeps because the time until a replica is promoted is a part of the fault
    std::this_thread::sleep_for(election);
    promote_replica();
}

bool replicated_servers::somebody_listens(std::string const& lock) const {
    return has_subscriber(present_master().admin(), test::channel_of(lock));
}

std::vector<std::string> replicated_servers::keys(std::string const& pattern) const {
    return keys_of(present_master().admin(), pattern);
}

} // namespace redlatch::chaos
