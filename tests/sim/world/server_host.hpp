// The machine on which the simulated server runs: it can stop, crash, come back with or without its data, or be replaced by a
// replica that lags behind.
#pragma once

#include "sim/server/redis_node.hpp"
#include "sim/world/network.hpp"
#include "sim/world/world.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim {

class server_host {
public:
    /// `number`: of those that the network knows.
    server_host(world& in, network& with, node_settings settings, int number = 0);
    server_host(server_host const&) = delete;
    server_host& operator=(server_host const&) = delete;

    bool running() const noexcept { return running_; }
    bool paused() const noexcept { return paused_; }
    /// At once, or when it goes on.
    void when_awake(std::function<void()> what);
    redis_node& node() noexcept { return *node_; }
    redis_node const& node() const noexcept { return *node_; }
    std::uint64_t run() const noexcept { return run_; }
    /// Its wall clock.
    std::int64_t now_ms() const noexcept;
    std::int64_t drift_ppm = 0;

    // What the network brings.
    void accept(std::shared_ptr<tcp_connection> const& on);
    void deliver(std::shared_ptr<tcp_connection> const& on, std::string const& bytes);
    void hang_up(std::shared_ptr<tcp_connection> const& on);

    // Faults.
    void pause() { paused_ = true; }
    void go_on();
    void crash();
    enum class data { kept, lost, lagging };
    /// A new run; ids begin again. `lagging`: as a replica knew them a moment ago.
    void start(data what);
    void start(keyspace known);
    /// Output that came about without a command of its client.
    void flush();
    void kill_everybody();
    /// The same, by somebody who has the right to do so.
    void hang_up_on_everybody();
    /// From now on, in later runs too, the clients' user may not run these.
    void set_refused(std::set<std::string, std::less<>> commands);
    void observe(std::function<void(redis_node::executed const&)> what);
    /// A command that nobody of ours sends.
    std::string by_hand(std::string const& bytes);

    /// How far behind a replica is.
    moment replica_lag{5'000'000};
    /// What a replica knows that is so far behind; not more than replica_lag.
    keyspace known_to_replica(moment lag) const;
    /// It takes over with these.
    void take_over(keyspace known);
    /// Its data have been changed by no command of a client.
    void changed();
    /// Called when its data have changed, and when it has started: for whoever copies them.
    std::function<void()> on_changed{};
    /// Called when it has started, before that.
    std::function<void()> on_started{};

    /// Is there such a field in this lock's hash now?
    bool holds(std::string const& lock, std::string const& owner) const;
    std::vector<std::string> owners(std::string const& lock) const;
    bool exists(std::string const& lock) const;
    /// Empty: there is none.
    std::string field(std::string const& lock, std::string const& name) const;
    /// The value of a key that is a number; 0: there is none.
    std::int64_t number(std::string const& key) const;
    /// Of a sorted set, with their scores.
    std::vector<std::pair<std::string, double>> members(std::string const& key) const;
    /// By its wall clock; the largest number: no such key, or none.
    std::int64_t expiry(std::string const& lock) const;

    int number() const noexcept { return number_; }

private:
    std::string run_id() const;
    void remember();
    void tell_of_changes();
    void time_waits();

    world& world_;
    network& network_;
    int const number_;
    node_settings settings_;
    std::unique_ptr<redis_node> node_;
    std::uint64_t run_ = 0;
    bool running_ = false;
    bool paused_ = false;
    std::deque<std::function<void()>> waiting_;
    std::map<redis_node::client, std::shared_ptr<tcp_connection>> lines_;
    std::deque<std::pair<moment, keyspace>> history_; ///< what a replica may know
    std::uint64_t remembered_ = 0;
    std::uint64_t told_ = 0; ///< of changes
    std::function<void(redis_node::executed const&)> observer_;
};

} // namespace redlatch::sim
