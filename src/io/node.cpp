#include "io/node.hpp"

#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "io/log.hpp"
#include "io/random_seed.hpp"
#include "locking/refused_command.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace redlatch::io {
namespace {

/// What the lanes have in common.
lane::settings lane_settings(config const& settings, endpoint const& endpoint, std::string const& name,
                             std::shared_ptr<locator> places, node::arrangement among) {
    lane::settings common;
    common.where = endpoint;
    common.words = {endpoint.username, endpoint.password, name, endpoint.database, true, places != nullptr};
    common.words.of_cluster = among == node::arrangement::cluster;
    common.connect_timeout = settings.connect_timeout;
    common.longest_pause = settings.retry_delay;
    common.ping_interval = settings.ping_interval;
    if (endpoint.tls && !places) common.tls = make_tls_client(settings.tls, endpoint.host_or_path);
    common.places = std::move(places);
    common.who = login_of(settings, endpoint);
    return common;
}

lane::settings of_lane(lane::settings common, bool identify, base::milliseconds timeout) {
    common.words.identify = identify;
    common.timeout = timeout;
    common.seed = random_seed();
    return common;
}

/// Each draws a seed of its own when it is made.
lane::settings of_replica_lanes(lane::settings common, base::milliseconds timeout) {
    common.words.identify = true;
    common.timeout = timeout;
    return common;
}

/// Whose keys are on two nodes, so that the server can execute nothing about them.
constexpr base::milliseconds pause_for_a_slot{100};

/// Silence must be noticed while there is time to renew.
base::milliseconds control_timeout(config const& settings) {
    return std::min(settings.timeout, std::max(settings.lock_watchdog_timeout / 6, base::milliseconds(10)));
}

} // namespace

node::node(std::shared_ptr<reactor> const& loop, config const& settings, endpoint endpoint,
           std::string const& connection_name, hooks to_tell, std::shared_ptr<master_locator> places, arrangement among)
    : node(loop, settings, lane_settings(settings, endpoint, connection_name, places, among), std::move(to_tell),
           places) {}

node::node(std::shared_ptr<reactor> const& loop, config const& settings, lane::settings const& common, hooks to_tell,
           std::shared_ptr<master_locator> places)
    : places_(std::move(places)), hooks_(std::move(to_tell)), choice_(settings.commands),
      gate_(settings.retry_delay, random_seed()), data_(loop, of_lane(common, true, settings.timeout), data_hooks()),
      control_(loop, of_lane(common, true, control_timeout(settings)),
               lane_hooks("control", [](node& self) -> lane& { return self.control_.line(); })),
      messages_(loop, of_lane(common, false, settings.timeout),
                lane_hooks("subscriber", [](node& self) -> lane& { return self.messages_.line(); })),
      replicas_(loop, of_replica_lanes(common, settings.timeout),
                [this] { return lane_hooks("replica", [](node& self) -> lane& { return self.data_.line(); }); }) {}

void node::watch(std::shared_ptr<reactor> const& loop) {
    if (!places_) return;
    places_->watch(loop, [this](endpoint const& there, std::string const& reason, bool news) {
        data_.line().move_to(there, reason, news);
        control_.line().move_to(there, reason, news);
        messages_.line().move_to(there, reason, news);
        replicas_.move_to(there, reason, news);
    });
}

/// Of a connection: where it led to the last time.
class node::whereabouts {
public:
    /// None: it is the first connection.
    std::optional<std::string> exchange(std::string const& address) {
        std::lock_guard const guard(mutex_);
        return std::exchange(address_, address);
    }

private:
    std::mutex mutex_; // guards what follows
    std::optional<std::string> address_{};
};

lane::hooks node::lane_hooks(char const* role, lane& (*line)(node&)) {
    lane::hooks told;
    auto const before = std::make_shared<whereabouts>();
    told.connected = [this, role, line, before](connection::identity const& self) {
        auto const there = line(*this).display();
        spare_.refused(there, self.missing_rights);
        if (auto const former = before->exchange(there)) hooks_.reconnected(there, role, *former != there);
    };
    told.lost = [this, role](std::string const& reason) {
        log(log_level::warning, reason + " (" + role + " connection)");
        hooks_.disconnected(reason);
    };
    told.failed = hooks_.unreachable;
    told.missing_rights = [this](std::vector<connection::missing_right> const& all) { spare_.refused(address(), all); };
    return told;
}

/// Another connection may be to another server, or have other rights.
lane::hooks node::data_hooks() {
    auto told = lane_hooks("data", [](node& self) -> lane& { return self.data_.line(); });
    auto const before = std::make_shared<whereabouts>();
    told.connected = [this, before, then = std::move(told.connected)](connection::identity const& self) {
        auto const there = data_.line().display() + '\n' + self.run_id; // the address may be that of another one by now
        if (before->exchange(there).value_or(there) != there) messages_.on_another_master();
        choice_.on_connected();
        gate_.on_connected();
        warn_of_eviction(self.eviction_policy);
        then(self);
    };
    return told;
}

void node::close() {
    if (places_) places_->close();
    data_.line().close();
    control_.line().close();
    messages_.line().close();
    replicas_.close();
}

void node::send_elsewhere(std::function<node&(connection::redirect const&)> const& find) {
    data_.set_other_lane([find](connection::redirect const& to) -> call_lane& { return find(to).data(); });
    control_.set_other_lane([find](connection::redirect const& to) -> call_lane& { return find(to).control(); });
    replicas_.send_elsewhere([find](connection::redirect const& to, replica_question_ptr const& question) {
        find(to).ask_replicas(question);
    });
}

void node::retire(bool retired) {
    data_.retire(retired);
    control_.retire(retired);
    messages_.line().rest(retired);
    replicas_.retire(retired);
}

void node::send_away(base::function_ref<bool(std::uint16_t)> gone) {
    data_.send_away(gone);
    control_.send_away(gone);
    replicas_.send_away(gone);
}

base::instant node::on_write_refused(connection::call const& answered, base::instant now, write_gate::waiter* waiting,
                                     base::waker const& sleeper) {
    auto const verdict = connection::judge(answered.reply);
    if (verdict != connection::verdict::not_executed && verdict != connection::verdict::read_only) return now;
    if (hooks_.misplaced && connection::is_about_the_cluster(answered.reply)) hooks_.misplaced();
    if (connection::is_of_divided_slot(answered.reply)) { // the other slots of this server are as they were
        gate_.on_refused_alone(now);
        return base::later(now, pause_for_a_slot);
    }
    auto const& error = answered.reply.text;
    auto const refusal = gate_.on_refused(error, answered.sent_at, now, waiting, sleeper);
    if (refusal.begins) {
        auto const message = "the server " + address() + " takes no locks (" + error
                             + "): " + std::string(connection::what_to_do(error));
        log(log_level::warning, message);
        hooks_.tell({event::kind::server_refuses, {}, {}, message});
    }
    if (verdict == connection::verdict::read_only) data_.reconnect(answered, "is a replica now");
    return refusal.again;
}

/// Whoever has just learned that it has a lock, or permits, goes on although there is no memory for telling it.
void node::on_recovered() noexcept {
    std::string message;
    insist([&] {
        message = "the server " + address() + " takes locks again";
        hooks_.tell({event::kind::server_recovered, {}, {}, message});
    });
    if (!message.empty()) log(log_level::info, message); // else there is no memory for it
}

/// Locks have an expiry, as what a cache may drop has: two clients have held one lock because of it.
void node::warn_of_eviction(std::string const& policy) {
    if (policy.empty() || policy == "noeviction" || warned_of_eviction_.exchange(true)) return;
    auto const message = "the server " + address() + " may remove locks that are held when its memory is full "
                         + "(maxmemory-policy " + policy
                         + "): set maxmemory-policy noeviction, or use a server of its own";
    log(log_level::warning, message);
    hooks_.tell_when_heard({event::kind::eviction_possible, {}, {}, message});
}

bool node::hears_nothing_of(locking::channel const& channel) {
    std::optional<std::string> refusal; // for good
    bool polled = false;
    messages_.line().with([&] {
        polled = channel.polled;
        if (channel.now_in == locking::channel::state::refused) refusal = channel.refusal;
    });
    bool const moved = refusal && refusal->starts_with("MOVED "); // whoever waits goes to the other node
    if (refusal && !moved && !warned_of_silence_.exchange(true))
        log(log_level::warning, "the server " + address() + " does not let this user listen to messages ("
                                    + locking::naming_channel(*refusal, channel.name)
                                    + "): waiters ask ten times a second; "
                                    + std::string(connection::what_to_do(*refusal)));
    return polled;
}

void node::warn_of_remains(locking::lock_record const& lock, connection::call const& refused) {
    if (warned_of_remains_.exchange(true)) return;
    log(log_level::warning, "the server " + address() + " does not let this user remove what an acquisition of lock "
                                + locking::shown(lock.name) + " has left behind ("
                                + locking::naming_right(refused.reply.text, refused.bytes)
                                + "): it is tried again until it ends by itself; "
                                + std::string(connection::what_to_do(refused.reply.text)));
}

bool node::is_there(base::instant now) {
    auto& line = data_.line();
    return line.trouble().empty() && now - line.unheard_since() < longest_answer;
}

bool node::is_away(base::instant now) {
    auto& line = data_.line();
    return !line.trouble().empty() && now - line.unheard_since() >= longest_answer;
}

} // namespace redlatch::io
