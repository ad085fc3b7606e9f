// The private server of this user may be ended while we wait for a lock on it (`redlatch server stop`). Then it is started
// again, as it would be had we come a moment later.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace redlatch::cli {

/// Only while the lock is waited for: who holds one on a server that has ended has lost it, and a new server would not know.
/// Has to outlive the client. Thread safety: safe.
class private_server {
public:
    /// `settings`: of our client, which may use another server; then nothing is done.
    explicit private_server(config const& settings) : used_(settings.address == config::local().address) {}
    bool is_used() const noexcept { return used_; }

    /// Starts it if it has ended already, and the client's threads, which tell of lost connections. Blocks for as long as a
    /// start takes. What fails stops the wait: see failure().
    void begin_wait(client& owner, std::stop_source const& wait);
    void end_wait();
    /// Disconnected: starts it, if it has ended, until the client is connected again.
    void on_event(event const& happened);

    /// Why it could not be started; none: it was, or did not have to be.
    std::optional<error> failure() const;

private:
    void start();
    void start_until_connected(std::stop_token const& end);
    void have_starter(); ///< with the mutex

    bool const used_;
    mutable std::mutex mutex_; // guards what follows
    bool waiting_ = false;
    int lost_ = 0; ///< connections, of those that there have been
    std::stop_source wait_{std::nostopstate};
    std::optional<error> failure_;
    std::condition_variable_any changed_;
    std::jthread starter_; ///< from the first lost connection to the end of the wait
};

} // namespace redlatch::cli
