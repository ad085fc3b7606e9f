// What one client is made of: lanes, reactor, notifier and the lock table, and the traffic between them.
#pragma once

#include "base/waker.hpp"
#include "io/call_lane.hpp"
#include "io/lock_call.hpp"
#include "io/notifier.hpp"
#include "io/operation.hpp"
#include "io/reactor.hpp"
#include "io/subscriber.hpp"
#include "io/thread_identity.hpp"
#include "locking/lock_table.hpp"
#include "locking/script_call.hpp"

#include <redlatch/client.hpp>
#include <redlatch/config.hpp>
#include <redlatch/event_source.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace redlatch::io {

/// Thread-safe.
class client_core final : public thread_exit_listener, public std::enable_shared_from_this<client_core> {
public:
    /// Connects, or throws redlatch::error. In the child of a fork its last reference only closes descriptors.
    /// `loop`: runs it instead of a thread of ours.
    static std::shared_ptr<client_core> open(config const& settings, std::optional<user_loop> loop = {});
    ~client_core();

    std::string const& id() const noexcept { return id_; }
    config const& settings() const noexcept { return settings_; }
    std::string server() const { return data_.line().where().display(); }

    /// Why a call cannot be made now: forked, closed, or wrong_thread for a blocking one on a thread of ours. Zero: it can.
    std::error_code refusal(bool blocking) const noexcept;
    bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
    /// Closed, and nothing is sent any more.
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    std::atomic<bool> const* closing_flag() const noexcept { return &closed_; }
    bool on_own_thread() const noexcept {
        return reactor_->on_thread() || notifier_.on_thread() || (loop_ && loop_->on_thread());
    }
    user_loop const* driven_by() const noexcept { return loop_ ? &*loop_ : nullptr; }
    bool forked() const noexcept;

    /// Runs `act(table, woken)` under the table's mutex; then wakes, arms the timer and tells the user, as it turns out to be
    /// necessary.
    template <class Act> auto locked(Act&& act) {
        after_table next;
        std::unique_lock held(table_mutex_);
        if constexpr (std::is_void_v<decltype(act(table_, next.woken))>) {
            act(table_, next.woken);
            settle(held, next);
        } else {
            auto result = act(table_, next.woken);
            settle(held, next);
            return result;
        }
    }

    call_lane& data() noexcept { return data_; }
    subscriber& messages() noexcept { return messages_; }
    std::shared_ptr<reactor> const& loop() const noexcept { return reactor_; }

    /// First acquisitions are to be sent without a script now; last releases are.
    bool takes_plainly() const noexcept { return takes_plainly_.load(std::memory_order_relaxed); }
    bool releases_plainly() const noexcept { return releases_plainly_.load(std::memory_order_relaxed); }
    /// Not any more: the server refused it, or what holding a lock needs. False: the user insists on it.
    bool stop_taking_plainly(std::string const& why);
    bool stop_releasing_plainly(std::string const& why);
    /// The server has run the release script by its SHA-1 or its text.
    bool knows_release_script() const noexcept { return release_script_known_.load(std::memory_order_relaxed); }
    void note_release_script() noexcept {
        if (!knows_release_script()) release_script_known_.store(true, std::memory_order_relaxed);
    }
    void note_plain_release() noexcept {
        if (!released_plainly_.load(std::memory_order_relaxed))
            released_plainly_.store(true, std::memory_order_relaxed);
    }

    /// Sends a call on a lane without waiting; `then` runs on the reactor with the answered or closed call. `once`:
    /// connection::call.
    void send(call_lane& where, lock_call::question what, std::function<void(connection::call const&)> then,
              bool once = false);

    /// Drives an operation on the reactor, which forget()s it in the end. False: the client is closed, nothing will run.
    bool run(std::shared_ptr<async_task> const& what, std::stop_token const& stop);
    void forget(async_task& what) noexcept;

    /// Runs what may be a user's code, on the notifier thread; also when the client is closed.
    void notify(std::function<void()> what) { notifier_.post_always(std::move(what)); }
    /// When all that is on its way to users has been told; false: nothing is.
    bool after_notices(std::function<void()> what) { return notifier_.follow(std::move(what)); }
    void tell(event const& what);
    void set_listener(std::function<void(event const&)> listener);

    void start();
    void close() noexcept;
    /// The user's loop is gone: closes on this thread; operations under way end without telling anybody.
    void abandon() noexcept;
    counters stats();

    /// For a client that closes.
    bool releases_have_ended() const noexcept;
    /// All that the reaper has, at once. The last call, which wakes `who`; null: there was nothing.
    connection::call_ptr send_releases(base::waker const& who, bool will_wait);

    void operation_began() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
    void operation_ended() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }

    /// A hold of a thread begins: its end will be told to the listener.
    void watch_this_thread();

    /// A lane reached the server; see lane::hooks.
    void on_connected(char const* which, bool again);

private:
    struct after_table {
        base::wake_list woken{};
        std::vector<locking::lock_table::notice> notices{};
        base::instant arm_at = base::never;
    };

    client_core(config const& settings, endpoint const& where, std::optional<user_loop> loop);
    lane::settings lane_settings(endpoint const& where, bool identify, base::milliseconds timeout) const;
    lane::hooks lane_hooks(char const* which);
    lane::hooks data_hooks();
    bool stop_plain(std::atomic<bool>& which, char const* what, std::string const& why);
    void settle(std::unique_lock<std::mutex>& held, after_table& next);
    void publish(locking::lock_table::notice const& what);
    void arm(base::instant when);
    void on_table_timer(base::instant when);
    void carry_out(std::vector<locking::lease_keeper::batch> const& renewals,
                   std::vector<locking::reaper::job> const& jobs);
    void renew(locking::lease_keeper::batch const& which);
    void reap(locking::reaper::job const& job);
    void look_at_tasks();
    void look_at_tasks_later();
    void close_now() noexcept;
    void close_on_loop() noexcept;
    void finish_on_this_thread() noexcept;
    void end() noexcept;
    void close_after_fork() noexcept;
    void on_thread_exit(std::uint64_t owner_number) noexcept override;

    config const settings_;
    std::string const id_;
    std::uint64_t const generation_;
    std::optional<user_loop> const loop_;
    std::shared_ptr<reactor> const reactor_;
    notifier notifier_;

    std::mutex table_mutex_; // guards what follows
    locking::lock_table table_;
    base::instant armed_for_ = base::never;

    std::mutex listener_mutex_; // guards what follows
    std::shared_ptr<std::function<void(event const&)> const> listener_;
    task_list running_;
    bool looking_ = false; ///< a timer for look_at_tasks() is set

    std::atomic<bool> takes_plainly_{false}; ///< on the present data connection
    std::atomic<bool> releases_plainly_{false};
    std::atomic<bool> release_script_known_{false}; ///< by the server of the present data connection
    std::atomic<bool> released_plainly_{false};     ///< at least once, on any connection
    std::atomic<bool> closed_{false};
    std::atomic<bool> ended_{false};
    std::atomic<std::uint64_t> waiting_{0};
    std::atomic<std::uint64_t> renewals_{0};
    std::atomic<std::uint64_t> reconnects_{0};

    call_lane data_;
    call_lane control_;
    subscriber messages_;
};

} // namespace redlatch::io
