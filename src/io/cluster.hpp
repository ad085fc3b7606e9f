// The nodes of a cluster, and which of them has a slot.
//
// | event                                               | action                                                              |
// |-----------------------------------------------------|---------------------------------------------------------------------|
// | the client opens                                    | ask the nodes that were named for all of them, and one of them      |
// |                                                     | whether messages go to shards; lazily: the same on the reactor,     |
// |                                                     | while calls go to a node that was named, which knows who has a slot |
// | MOVED                                               | the slot is that node's from now on; ask about all of them          |
// | ASK                                                 | that one call goes to that node, which for a second does not rest   |
// | the scan interval is over                           | ask a node (CLUSTER NODES), another one where it does not answer    |
// | a connection is lost or cannot be made, CLUSTERDOWN | the same, every fourth time beginning with one that has no slots    |
// |                                                     | or is not connected: the connected ones may be cut off              |
// | an answer                                           | a slot is whose epoch is not smaller than that of its former node   |
// | smaller epochs, for seconds, and from all that are  | they count: the cluster was made anew                               |
// | there (lower_epochs.hpp)                            |                                                                     |
// | a slot has another node                             | what waits for the former one is sent on, holds are asked about     |
// | the epoch of a master is greater than it was        | the same for its slots: it may have been a replica meanwhile, and   |
// |                                                     | has what its master had then                                        |
// | a node has no slots and cannot be reached, or was   | it rests: no connection is made until something is there for it     |
// | of no use for a minute                              |                                                                     |
// A node object is never destroyed before the client: operations refer to it. One for each address that was ever named.
#pragma once

#include "base/hash_slot.hpp"
#include "connection/cluster_view.hpp"
#include "connection/lower_epochs.hpp"
#include "connection/redirect.hpp"
#include "io/node.hpp"
#include "io/server_set.hpp"

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class cluster final : public std::enable_shared_from_this<cluster> {
public:
    using slots = std::bitset<base::hash_slots>;
    struct hooks {
        /// For a new node.
        std::function<node::hooks()> of_node;
        /// These have another node than before. On the reactor.
        std::function<void(slots const&)> moved;
        /// Messages go to the clients of a shard from now on, or to all.
        std::function<void(bool)> sharded;
    };

    cluster(std::shared_ptr<reactor> loop, config const& settings, server_set const& servers,
            std::string connection_name, hooks to_tell);

    node& of(std::string_view key) noexcept { return of_slot(base::hash_slot(key)); }
    /// One that can be reached, if there is one.
    node& any();
    /// Those that have slots, in the order of their addresses.
    std::vector<node*> masters();
    std::vector<node*> all();

    /// Connects to one of the addresses that were given, and asks it for the others, on the calling thread. False: failed, see
    /// `problem`.
    bool connect_now(base::instant until, errc& reason, std::string& problem);
    /// In its place: connections are made when calls need them.
    void connect_later();
    /// From now on looks for changes by itself.
    void watch();
    void close();

    /// Where the key of a call is that was answered so. What MOVED says is noted.
    node& named(connection::redirect const& elsewhere);
    /// Something may have changed.
    void refresh_soon();

    /// Whether messages go to the clients of a shard is not only supposed.
    bool knows_shards();

private:
    struct member {
        connection::node_address where;
        std::unique_ptr<node> server;
        std::size_t slots = 0;
        std::uint64_t epoch = 0;       ///< the greatest that was said of it as a master; 0: none
        base::instant used_at{};       ///< since then it has had no slots
        base::instant awaited_until{}; ///< until then it is tried for calls that ASK has sent there
        std::uint64_t asked = 0;       ///< the number of the latest question to it
        bool resting = false;
    };

    node& of_slot(std::uint16_t slot) noexcept {
        auto* const owner = owners_[slot].load(std::memory_order_acquire); // pairs with give(): the node is complete
        return owner != nullptr ? *owner : any();
    }
    std::unique_ptr<node> make_node(endpoint endpoint);
    member& member_at(connection::node_address const& address);
    bool give(member& to, std::uint16_t slot);
    bool begins_anew(connection::cluster_view const& view, node const& from);
    bool apply(connection::cluster_view const& view, node const& from);
    void note_replicas(std::vector<connection::node_address> const& named);
    static bool note_epoch(member& one, std::uint64_t epoch, bool anew);
    void on_unreachable(node& server);
    void send_away(node& former);
    bool look_after(member& one, base::instant now);
    void settle_rest(node& server);
    bool ask_now(node& server, base::instant until, std::string& problem);
    void ask_about_shards(node& server);
    void use_shards(bool sharded, bool known = true);
    bool take(std::string const& text, node& from);
    void tell_moved();
    void on_moved();
    std::string host_of(node const& server);
    void ask_next();
    void on_answer(std::uint64_t question, node& from, connection::call const& answered);
    void on_asked(std::uint64_t question);
    void refresh_at(base::instant due_time);
    void on_refresh(base::instant due_time);
    std::vector<member*> candidates(bool doubtful);
    void add_replicas();
    bool knows_slots() const;

    std::shared_ptr<reactor> const loop_;
    config const settings_;
    server_set const servers_;
    std::string const connection_name_;
    hooks const hooks_;

    std::array<std::atomic<node*>, base::hash_slots> owners_{};

    std::mutex mutex_; // guards what follows
    std::map<connection::node_address, member> members_{};
    std::vector<connection::node_address>
        replicas_{}; ///< members only where too few masters can be asked; the latest first
    std::array<std::uint64_t, base::hash_slots> epochs_{};
    slots moved_{}; ///< since that was told
    connection::lower_epochs lower_{};
    std::vector<member*> to_ask_{}; ///< of the refresh under way
    std::uint64_t question_ = 0;    ///< the number of the latest
    bool asking_ = false;
    bool ask_again_ = false; ///< something has changed since the question
    bool doubtful_ = false;  ///< the next refresh has another reason than that its time has come
    unsigned doubts_ = 0;    ///< of these: each fourth one begins with a node that would be asked last
    base::instant timer_ = base::never;
    bool sharded_ = false;      ///< messages of a release go to the clients of the shard (SPUBLISH)
    bool shards_known_ = false; ///< a server has said, or the user
    bool closed_ = false;
};

} // namespace redlatch::io
