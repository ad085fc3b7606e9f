#include "io/cluster.hpp"

#include "connection/server_error.hpp"
#include "io/cluster_questions.hpp"
#include "io/insist.hpp"
#include "io/lock_call.hpp"
#include "io/parker.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace redlatch::io {

namespace {

/// A node without slots is kept at hand for so long.
constexpr base::milliseconds idle_limit{60'000};
/// Calls that ASK has sent to a node which cannot be reached go back to whoever said so after that time: the key may have
/// returned.
constexpr base::milliseconds longest_wait_there{1'000};
/// Addresses of replicas that were named before are kept until there are so many with those of the latest answer.
constexpr std::size_t most_replicas = 64;
/// Until a server has said it: there are messages of shards, as from version 7 on.
constexpr bool shards_supposed = true;

} // namespace

cluster::cluster(std::shared_ptr<reactor> loop, config const& settings, server_set const& servers,
                 std::string connection_name, hooks to_tell)
    : loop_(std::move(loop)), settings_(settings), servers_(servers), connection_name_(std::move(connection_name)),
      hooks_(std::move(to_tell)) {
    for (auto const& seed : servers_.nodes) member_at({seed.host_or_path, seed.port});
}

// --- the nodes

std::unique_ptr<node> cluster::make_node(endpoint endpoint) {
    auto const itself = std::make_shared<node*>(nullptr); // known only once it is there
    auto heard = hooks_.of_node();
    heard.disconnected = [this, itself, tell = std::move(heard.disconnected)](std::string const& reason) {
        tell(reason);
        send_away(**itself);
        refresh_soon();
    };
    heard.misplaced = [this] { refresh_soon(); };
    heard.unreachable = [this, itself] { on_unreachable(**itself); };
    auto const host = endpoint.host_or_path;
    auto made = std::make_unique<node>(loop_, settings_, std::move(endpoint), connection_name_, std::move(heard),
                                       nullptr, node::arrangement::cluster);
    *itself = made.get();
    made->messages().listen_to_shards(sharded_);
    made->send_elsewhere([this, host](connection::redirect const& elsewhere) -> node& {
        auto there = elsewhere;
        if (there.where.host.empty()) there.where.host = host;
        return named(there);
    });
    return made;
}

/// Perhaps it had been lost before anybody needed it.
void cluster::on_unreachable(node& server) {
    {
        std::lock_guard const guard(mutex_);
        if (std::none_of(members_.begin(), members_.end(), [&](auto const& entry) {
                return entry.second.server.get() == &server && entry.second.slots > 0;
            }))
            return;
    }
    send_away(server);
    refresh_soon();
}

/// With the mutex, but for the constructor.
cluster::member& cluster::member_at(connection::node_address const& address) {
    auto const known = members_.find(address);
    if (known != members_.end()) return known->second;
    auto endpoint = servers_.nodes.front();
    endpoint.host_or_path = address.host;
    endpoint.port = address.port;
    bool const given = std::ranges::any_of(servers_.nodes, [&address](auto const& seed) {
        return seed.host_or_path == address.host && seed.port == address.port;
    });
    if (!given) endpoint.told_by = "the cluster says that a node of it is there";
    auto made = make_node(std::move(endpoint));
    member fresh{.where = address, .server = std::move(made), .used_at = lease_clock::now()};
    return members_.emplace(address, std::move(fresh)).first->second;
}

node& cluster::any() {
    std::lock_guard const guard(mutex_);
    node* found = nullptr;
    int best = 0;
    for (auto& [where, one] : members_) {
        if (one.resting) continue;
        int const rank = (one.server->is_connected() ? 2 : 1) + (one.slots > 0 ? 2 : 0);
        if (rank > best) best = rank, found = one.server.get();
    }
    return found != nullptr ? *found : *members_.begin()->second.server;
}

std::vector<node*> cluster::masters() {
    std::lock_guard const guard(mutex_);
    std::vector<node*> found;
    for (auto& [where, one] : members_)
        if (one.slots > 0) found.push_back(one.server.get());
    if (found.empty()) found.push_back(members_.begin()->second.server.get()); // it will say what is wrong
    return found;
}

std::vector<node*> cluster::all() {
    std::lock_guard const guard(mutex_);
    std::vector<node*> found;
    for (auto& [where, one] : members_) found.push_back(one.server.get());
    return found;
}

void cluster::close() {
    {
        std::lock_guard const guard(mutex_);
        closed_ = true;
    }
    for (auto* const one : all()) one->close();
}

// --- where a slot is

/// With the mutex. True: it had another node.
bool cluster::give(member& to, std::uint16_t slot) {
    auto* const former = owners_[slot].exchange(to.server.get(), std::memory_order_acq_rel); // pairs with of_slot()
    if (former == to.server.get()) return false;
    ++to.slots;
    if (former != nullptr) moved_.set(slot);
    for (auto& [where, one] : members_)
        if (one.server.get() == former && --one.slots == 0) one.used_at = lease_clock::now();
    return true;
}

/// What waits for the connection of a node that has lost its slot.
void cluster::send_away(node& former) {
    former.send_away([&](std::uint16_t slot) { return owners_[slot].load(std::memory_order_acquire) != &former; });
}

/// With the mutex. True: nobody is there any more who knows of the greater epochs that the client has seen.
bool cluster::begins_anew(connection::cluster_view const& view, node const& from) {
    std::vector<connection::lower_epochs::claim> lower;
    for (auto const& master : view.masters)
        for (auto const& range : master.slots) {
            auto const first = epochs_.begin() + range.first;
            if (std::any_of(first, first + (range.last - range.first + 1),
                            [&](std::uint64_t known) { return master.epoch < known; }))
                lower.push_back({servers_.reached_at(master.where), master.epoch, range.first, range.last});
        }
    connection::node_address by;
    std::vector<connection::node_address> there;
    for (auto& [where, one] : members_) {
        if (one.server.get() == &from) by = where;
        if (one.server->is_connected()) there.push_back(where);
    }
    auto const now = lease_clock::now();
    lower_.on_answer(by, std::move(lower), now);
    return lower_.is_certain(there, now);
}

/// With the mutex. Those that were named before are kept behind them: a node that has moved may name hosts which lead nowhere,
/// and the client is not to forget where the others are.
void cluster::note_replicas(std::vector<connection::node_address> const& named) {
    auto before = std::exchange(replicas_, named);
    for (auto& one : before)
        if (replicas_.size() < most_replicas && std::ranges::find(named, one) == named.end())
            replicas_.push_back(std::move(one));
}

/// With the mutex. True: it has become the master anew since the last answer, so that another node was it meanwhile.
bool cluster::note_epoch(member& one, std::uint64_t epoch, bool anew) {
    bool const again = one.epoch != 0 && epoch > one.epoch;
    if (anew || epoch > one.epoch) one.epoch = epoch;
    return again;
}

/// True: there are slots for which on_moved() is to be called.
bool cluster::apply(connection::cluster_view const& view, node const& from) {
    std::set<node*> left;
    std::vector<node*> changed_rest;
    bool changed = false;
    bool first = false; // nobody knew until now where some slots are, and their calls wait anywhere
    {
        std::lock_guard const guard(mutex_);
        bool const anew = begins_anew(view, from);
        if (anew) lower_.forget();
        note_replicas(view.replicas);
        for (auto const& master : view.masters) {
            auto& owner = member_at(servers_.reached_at(master.where));
            bool const again = note_epoch(owner, master.epoch, anew);
            for (auto const& range : master.slots)
                for (unsigned slot = range.first; slot <= range.last; ++slot) {
                    if (master.epoch < epochs_[slot] && !anew) continue; // what an isolated node believes
                    epochs_[slot] = master.epoch;
                    auto* const former = owners_[slot].load(std::memory_order_relaxed);
                    bool const had_another = give(owner, static_cast<std::uint16_t>(slot));
                    if (again) moved_.set(slot);
                    changed = changed || again || (had_another && former != nullptr);
                    if (!had_another) continue;
                    first = first || former == nullptr;
                    if (former != nullptr) left.insert(former);
                }
        }
        for (auto& [where, one] : members_)
            if (look_after(one, lease_clock::now())) changed_rest.push_back(one.server.get());
        for (auto& [where, one] : members_)
            if (first) left.insert(one.server.get());
    }
    for (auto* const one : changed_rest) settle_rest(*one);
    for (auto* const former : all()) // in the order of their addresses
        if (left.contains(former) && !former->is_connected()) send_away(*former);
    return changed;
}

/// With the mutex. True: it is to rest from now on, or no longer.
bool cluster::look_after(member& one, base::instant now) {
    bool const gone = one.server->is_in_trouble() && now >= one.awaited_until;
    bool const idle = one.slots == 0 && (gone || now - one.used_at > idle_limit);
    if (one.slots == 0 && !idle) return false;
    return std::exchange(one.resting, idle) != idle;
}

/// Without the mutex: whatever happens meanwhile, in the end the node does what its member says.
void cluster::settle_rest(node& server) {
    auto const wanted = [&] {
        std::lock_guard const guard(mutex_);
        return std::any_of(members_.begin(), members_.end(), [&](auto const& entry) {
            return entry.second.server.get() == &server && entry.second.resting;
        });
    };
    for (bool rest = wanted();; rest = wanted()) {
        server.retire(rest);
        if (wanted() == rest) return;
    }
}

node& cluster::named(connection::redirect const& elsewhere) {
    bool changed = false;
    bool woken = false;
    node* found = nullptr;
    // Its lane has said it, or a node without its host: the map knows better, or will soon.
    bool const unknown = elsewhere.where.port == 0 || elsewhere.where.host.empty();
    {
        std::lock_guard const guard(mutex_);
        if (unknown) {
            found = owners_[elsewhere.slot].load(std::memory_order_acquire);
        } else {
            auto& to = member_at(servers_.reached_at(elsewhere.where));
            auto const now = lease_clock::now();
            bool const for_one_call = elsewhere.what == connection::redirect::kind::ask;
            to.used_at = now;
            if (for_one_call && now >= to.awaited_until) to.awaited_until = base::later(now, longest_wait_there);
            woken = std::exchange(to.resting, false);
            changed = !for_one_call && give(to, elsewhere.slot);
            found = to.server.get();
        }
    }
    if (woken) settle_rest(*found);
    if (changed || unknown) refresh_soon();
    if (changed) tell_moved();
    return found != nullptr ? *found : any();
}

void cluster::tell_moved() {
    insist([this] {
        loop_->post([weak = weak_from_this()] {
            if (auto const self = weak.lock()) self->on_moved();
        });
    });
}

/// Whoever waits for a message of a node that has lost the slot would wait in vain: a node that is gone says nothing any more.
void cluster::on_moved() {
    for (auto* const one : all())
        one->messages().on_slots_moved(
            [&](std::uint16_t slot) { return owners_[slot].load(std::memory_order_acquire) != one; });
    slots moved;
    {
        std::lock_guard const guard(mutex_);
        moved = std::exchange(moved_, {});
    }
    hooks_.moved(moved);
}

std::string cluster::host_of(node const& server) {
    std::lock_guard const guard(mutex_);
    for (auto& [where, one] : members_)
        if (one.server.get() == &server) return where.host;
    return {};
}

/// What `from` said to CLUSTER NODES. False: not understood.
bool cluster::take(std::string const& text, node& from) {
    auto const view = connection::read_cluster_view(text, host_of(from), servers_.nodes.front().tls);
    if (!view || view->masters.empty()) return false;
    if (apply(*view, from)) tell_moved();
    return true;
}

// --- asking, on the calling thread

bool cluster::ask_now(node& server, base::instant until, std::string& problem) {
    auto& me = parker::of_this_thread();
    auto const answer_to = [&](std::string bytes) -> connection::call_ptr {
        lock_call call;
        call.begin(server.data(), question(std::move(bytes)), me.as_waker(), true);
        if (!server.data().line().wait(
                me, [&] { return call.finished(); }, until)) {
            call.abandon();
            return nullptr;
        }
        return call.take([&] { return me.as_waker(); });
    };
    auto const nodes = answer_to(resp::command("CLUSTER", "NODES"));
    if (!nodes) {
        problem = "the server " + server.address() + " did not answer CLUSTER NODES in time";
        return false;
    }
    if (!nodes->reply.is_text() || !take(nodes->reply.text, server)) {
        problem =
            "the server " + server.address()
            + (nodes->reply.is_error() ? " refused CLUSTER NODES (" + nodes->reply.text + ")"
                                       : " does not say which nodes have the slots of the cluster (CLUSTER NODES)")
            + "; allow this user CLUSTER, and see that the cluster has been made";
        return false;
    }
    if (settings_.topology.sharded != sharded_messages::automatic) {
        use_shards(settings_.topology.sharded == sharded_messages::on);
    } else {
        auto const probe = answer_to(about_shards());
        auto const said = probe ? says_shards(*probe) : std::nullopt;
        use_shards(said.value_or(shards_supposed), said.has_value());
    }
    return true;
}

// --- messages

/// Not `known`: the servers have not said it, and are asked together with their slots.
void cluster::use_shards(bool sharded, bool known) {
    {
        std::lock_guard const guard(mutex_);
        shards_known_ = known;
        if (std::exchange(sharded_, sharded) == sharded) return;
    }
    // Without the mutex: a connection that is given up for it is heard of. A node that has come since knows it already.
    for (auto* const one : all()) one->messages().listen_to_shards(sharded);
    hooks_.sharded(sharded);
}

bool cluster::knows_shards() {
    std::lock_guard const guard(mutex_);
    return shards_known_;
}

bool cluster::connect_now(base::instant until, errc& reason, std::string& problem) {
    std::string all_problems;
    auto left = static_cast<std::int64_t>(servers_.nodes.size());
    for (auto const& seed : servers_.nodes) {
        // A machine that is away does not answer: it is not to use up the time of the others.
        auto const now = lease_clock::now();
        auto const share = now + (until - now) / left--;
        auto its_turn = share;
        auto& server = *[&] {
            std::lock_guard const guard(mutex_);
            return member_at({seed.host_or_path, seed.port}).server.get();
        }();
        reason = errc::disconnected;
        bool const connected = server.is_connected() || server.connect_now(its_turn, reason, problem);
        until += its_turn - share; // looking its name up is not at the cost of the others
        if (connected) {
            if (ask_now(server, its_turn, problem)) return true;
            reason = errc::server_refused;
        }
        all_problems += (all_problems.empty() ? "" : "; ") + problem;
        if (lease_clock::now() >= until) break;
    }
    problem = all_problems;
    return false;
}

void cluster::connect_later() {
    bool const known = settings_.topology.sharded != sharded_messages::automatic;
    use_shards(known ? settings_.topology.sharded == sharded_messages::on : shards_supposed, known);
}

} // namespace redlatch::io
