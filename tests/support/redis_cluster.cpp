#include "support/redis_cluster.hpp"

#include "base/hash_slot.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace redlatch::test {
namespace {

/// Nodes find out about each other in seconds, and in many more on a machine that is busy. Nothing is tested by that.
constexpr std::chrono::milliseconds longest_forming = 3 * patience;

void must(resp::value const& reply, std::string const& what) {
    if (reply.is_error()) throw std::runtime_error(what + ": " + reply.text);
}

std::size_t lines_with(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

bool is_ok(redis_server const& node) {
    return lines_with(node.run("CLUSTER", "INFO").text, "cluster_state:ok") == 1;
}

unsigned first_slot(std::size_t master, std::size_t masters) {
    return static_cast<unsigned>(base::hash_slots * master / masters);
}

/// Before 7.0 the port of its bus follows from its own, and may be taken.
std::unique_ptr<redis_server> started(server_options const& options) {
    for (int more_attempts = test_server_is_before_7() ? 30 : 0;; --more_attempts) {
        try {
            return std::make_unique<redis_server>(options);
        } catch (std::runtime_error const&) {
            if (more_attempts == 0) throw;
        }
    }
}

/// `how`: ADD or DEL.
resp::value change_slots(redis_server const& node, std::string const& how, unsigned first, unsigned last) {
    if (!test_server_is_before_7())
        return node.run("CLUSTER", how + "SLOTSRANGE", std::to_string(first), std::to_string(last));
    std::vector<std::string> command{"CLUSTER", how + "SLOTS"};
    for (auto slot = first; slot <= last; ++slot) command.push_back(std::to_string(slot));
    return node.admin().command(command);
}

} // namespace

redis_cluster::redis_cluster(int masters, int replicas_each, addresses of_connections, std::vector<std::string> more)
    : masters_(static_cast<std::size_t>(masters)), replicas_each_(static_cast<std::size_t>(replicas_each)),
      of_connections_(of_connections), more_(std::move(more)) {
    auto const count = masters_ * (1 + replicas_each_);
    while (nodes_.size() < count) start_node();
    for (std::size_t i = 0; i < masters_; ++i)
        must(change_slots(*nodes_[i], "ADD", first_slot(i, masters_), first_slot(i + 1, masters_) - 1),
             "CLUSTER ADDSLOTS");
    introduce(1);
    auto const all = [&](auto const& holds) { return std::all_of(nodes_.begin(), nodes_.end(), holds); };
    for (std::size_t i = masters_; i < count; ++i)
        must(nodes_[i]->run("CLUSTER", "REPLICATE", ids_[(i - masters_) / replicas_each_]), "CLUSTER REPLICATE");
    bool const ready = wait_until(
        [&] {
            return all([&](auto const& node) {
                auto const replicas = lines_with(node->run("CLUSTER", "NODES").text, "slave ");
                return is_ok(*node) && replicas == count - masters_;
            });
        },
        longest_forming);
    bool const in_step = ready
                         && wait_until(
                             [&] {
                                 for (std::size_t i = masters_; i < count; ++i) {
                                     auto const role = nodes_[i]->run("ROLE"); // "slave", host, port, state, offset
                                     if (role.items.size() != 5 || role.items[3].text != "connected") return false;
                                 }
                                 return true;
                             },
                             longest_forming);
    if (!in_step) throw std::runtime_error("the cluster does not become ready");
}

/// It knows nobody, and its epoch is that of none before it.
void redis_cluster::start_node() {
    auto const index = nodes_.size();
    std::vector<std::string> arguments{"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                                       "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0",
                                       // A master without slots stays one, which may get some again.
                                       "--cluster-allow-replica-migration", "no", "--repl-diskless-sync-delay", "0"};
    arguments.insert(arguments.end(), more_.begin(), more_.end());
    if (!test_server_is_before_7()) {
        bus_ports_.push_back(std::make_unique<reserved_port>());
        arguments.insert(arguments.end(), {"--cluster-port", std::to_string(bus_ports_.back()->number())});
    }
    if (of_connections_ == addresses::of_each_node) {
        arguments.insert(arguments.end(),
                         {"--bind-source-addr", source_address(index), "--cluster-announce-ip", "127.0.0.1",
                          // It takes 127.0.0.1 alone for this machine.
                          "--protected-mode", "no"});
    }
    nodes_.push_back(started({.over = server_options::transport::tcp, .arguments = std::move(arguments)}));
    ids_.push_back(nodes_.back()->run("CLUSTER", "MYID").text);
    must(nodes_.back()->run("CLUSTER", "SET-CONFIG-EPOCH", std::to_string(index + 1)), "CLUSTER SET-CONFIG-EPOCH");
}

/// This one and those behind it, so that in the end all know each other.
void redis_cluster::introduce(std::size_t first) {
    auto const count = nodes_.size();
    auto const meet = [&] {
        for (std::size_t i = first; i < count; ++i)
            must(nodes_[0]->run("CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[i]->address().port),
                                std::to_string(bus_port(i))),
                 "CLUSTER MEET");
    };
    meet();
    constexpr std::chrono::seconds longest_handshake{3}; // a node forgets another one that has not answered by then
    auto meet_again = std::chrono::steady_clock::now() + longest_handshake;
    bool const met = wait_until(
        [&] {
            if (std::chrono::steady_clock::now() >= meet_again) {
                meet();
                meet_again += longest_handshake;
            }
            return std::all_of(nodes_.begin(), nodes_.end(), [&](auto const& node) {
                auto const text = node->run("CLUSTER", "NODES").text;
                return lines_with(text, "\n") == count && lines_with(text, "handshake") == 0
                       && lines_with(text, " connected") == count;
            });
        },
        longest_forming);
    if (!met) throw std::runtime_error("the nodes of the cluster do not know each other");
}

std::size_t redis_cluster::join() {
    start_node();
    introduce(nodes_.size() - 1);
    if (!wait_until([&] { return is_ok(*nodes_.back()); }, longest_forming))
        throw std::runtime_error("the node that has joined the cluster does not become ready");
    return nodes_.size() - 1;
}

void redis_cluster::leave(std::size_t index) {
    auto const others_know_it = [&] {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (i == index || lines_with(node(i).run("CLUSTER", "NODES").text, id(index)) == 0) continue;
            node(i).run("CLUSTER", "FORGET", id(index)); // since 7.2 the others forget it with the first one
            return true;
        }
        return false;
    };
    must(node(index).run("CLUSTER", "RESET", "SOFT"), "CLUSTER RESET");
    if (!wait_until([&] { return !others_know_it(); }, longest_forming))
        throw std::runtime_error("the nodes of the cluster do not forget the one that leaves");
}

std::string redis_cluster::uri() const {
    std::string text = "redis-cluster://";
    for (auto const& one : nodes_)
        text += (one == nodes_.front() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(one->address().port);
    return text;
}

std::uint16_t redis_cluster::slot_of(std::string const& key) {
    return base::hash_slot(key);
}

std::size_t redis_cluster::owner_of(std::string const& key) const {
    std::size_t owner = 0;
    while (first_slot(owner + 1, masters_) <= slot_of(key)) ++owner;
    return owner;
}

std::string redis_cluster::name_on(std::size_t master) const {
    for (int i = 0;; ++i)
        if (auto name = "lock" + std::to_string(i); owner_of(name) == master) return name;
}

void redis_cluster::begin_move(std::uint16_t slot, std::size_t from, std::size_t to) {
    must(node(to).run("CLUSTER", "SETSLOT", std::to_string(slot), "IMPORTING", id(from)), "CLUSTER SETSLOT");
    must(node(from).run("CLUSTER", "SETSLOT", std::to_string(slot), "MIGRATING", id(to)), "CLUSTER SETSLOT");
}

void redis_cluster::move_keys(std::uint16_t slot, std::size_t from, std::size_t to) {
    auto const keys = node(from).run("CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "100");
    for (auto const& key : keys.items) move_key(key.text, from, to); // one may expire meanwhile
}

void redis_cluster::move_key(std::string const& key, std::size_t from, std::size_t to) {
    auto const port = std::to_string(node(to).address().port);
    must(node(from).run("MIGRATE", "127.0.0.1", port, key, "0", "5000"), "MIGRATE");
}

void redis_cluster::end_move(std::uint16_t slot, std::size_t from, std::size_t to) {
    for (auto const index : {to, from})
        must(node(index).run("CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id(to)), "CLUSTER SETSLOT");
}

void redis_cluster::give_all_slots(std::size_t from, std::size_t to) {
    auto const first = first_slot(from, masters_);
    auto const last = first_slot(from + 1, masters_) - 1;
    // First the greater epoch: whatever the other one says meanwhile, its claims are the older ones.
    must(node(to).run("CLUSTER", "BUMPEPOCH"), "CLUSTER BUMPEPOCH");
    bool const given = wait_until([&] {
        change_slots(node(to), "DEL", first, last); // it may hear of them again before it takes them
        return !change_slots(node(to), "ADD", first, last).is_error();
    });
    bool const known = given && wait_until([&] { return !is_master(node(from)); });
    if (!known) throw std::runtime_error("the slots do not go to the other node");
}

bool redis_cluster::has_replicated(std::size_t master) const {
    return nodes_.at(master)->has_replicated(replicas_each_);
}

redis_server& redis_cluster::lose(std::size_t master) {
    node(master).kill9();
    auto& next = replica_of(master);
    if (!wait_until([&] { return is_master(next); }, longest_forming))
        throw std::runtime_error("the replica of the lost master does not take its place");
    return next;
}

bool redis_cluster::is_master(redis_server const& node) {
    auto const text = node.run("CLUSTER", "NODES").text;
    auto const own = text.find("myself,master");
    if (own == std::string::npos) return false;
    auto const line = text.substr(own, text.find('\n', own) - own);
    return line.substr(line.find("connected") + 9).find_first_of("0123456789") != std::string::npos;
}

} // namespace redlatch::test
