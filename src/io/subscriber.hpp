// The lane that carries subscriptions and messages.
#pragma once

#include "io/lane.hpp"
#include "locking/subscription_registry.hpp"

#include <memory>
#include <string>

namespace redlatch::io {

/// Thread-safe. The connection is made when the first waiter needs it.
class subscriber {
public:
    subscriber(std::shared_ptr<reactor> reactor, lane::settings const& settings, lane::hooks to_tell);

    lane& line() const noexcept { return *line_; }
    /// See subscription_registry. Whoever has subscribed otherwise does so anew.
    void listen_to_shards(bool sharded) {
        line_->reconnect("publishes its messages otherwise", [&] { return registry_->listen_to_shards(sharded); });
    }
    locking::channel_ptr attach(std::string const& name);
    /// Does not throw. `sleeps`: it was woken by messages, and did not read for itself.
    void detach(locking::channel_ptr const& channel, base::waker const& waker, bool sleeps) noexcept;
    /// From now on `waker` is called when the count moves; subscribes if that is not done yet.
    void listen(locking::channel_ptr const& channel, base::waker const& waker, bool subscribe, bool will_wait);
    /// See subscription_registry.
    bool is_refused_for_now(locking::channel const& channel);
    bool subscribe_again(locking::channel_ptr const& channel);
    /// Until it listens again, `waker` is not called. `sleeps`: as of detach().
    void rest(locking::channel& channel, base::waker const& waker, bool sleeps);
    /// Reads what has come, if nobody else is about to: samples are up to date then.
    void catch_up() { line_->catch_up(); }
    locking::channel_sample sample(locking::channel const& channel);
    locking::channel_sample peek(std::string const& name);

    /// See subscription_registry.
    bool expect_own(std::string const& name);
    void expect_own_no_more(std::string const& name);

    void on_slots_moved(base::function_ref<bool(std::uint16_t)> gone);
    void on_another_master();

    std::uint64_t commands() const;
    std::size_t active() const;

private:
    /// One timer for all that linger; guarded by the lane's mutex.
    struct linger_timer {
        bool armed = false;
    };
    static void arm(std::shared_ptr<reactor> const& loop,
                    std::shared_ptr<locking::subscription_registry> const& registry, std::weak_ptr<lane> const& weak,
                    std::shared_ptr<linger_timer> const& timer, base::instant due_time);

    std::shared_ptr<linger_timer> timer_ = std::make_shared<linger_timer>();
    std::shared_ptr<reactor> loop_;
    std::shared_ptr<locking::subscription_registry> registry_;
    std::shared_ptr<lane> line_;
};

} // namespace redlatch::io
