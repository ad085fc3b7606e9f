// What one client is made of: its server, reactor, notifier and lock table, and the traffic between them.
#pragma once

#include "base/function_ref.hpp"
#include "base/waker.hpp"
#include "io/counter_index.hpp"
#include "io/event_listener.hpp"
#include "io/hold_watch.hpp"
#include "io/lock_call.hpp"
#include "io/nodes.hpp"
#include "io/notifier.hpp"
#include "io/operation.hpp"
#include "io/permit_leases.hpp"
#include "io/reactor.hpp"
#include "io/running_tasks.hpp"
#include "io/server_set.hpp"
#include "io/thread_identity.hpp"
#include "io/unattended.hpp"
#include "locking/lock_table.hpp"
#include "locking/wire_call.hpp"

#include <redlatch/config.hpp>
#include <redlatch/counters.hpp>
#include <redlatch/event.hpp>
#include <redlatch/event_source.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::io {

/// What is said where have_thread() or need_thread() fails.
inline constexpr char const* no_io_thread = "the client's I/O thread cannot be started; raise the limit of threads";

/// Thread-safe.
class client_core final : public thread_exit_listener, public std::enable_shared_from_this<client_core> {
public:
    /// Connects, unless that is to be done lazily, or throws redlatch::error. In the child of a fork close(), or its last
    /// reference, only closes descriptors.
    /// `loop`: runs it instead of a thread of ours.
    static std::shared_ptr<client_core> open(config const& settings, std::optional<user_loop> loop = {});
    ~client_core();

    std::string const& id() const noexcept { return id_; }
    /// The key of the record of one more request about a counter.
    std::string new_record(std::string_view counter);
    config const& settings() const noexcept { return settings_; }

    /// Why a call cannot be made now: forked, closed, or wrong_thread for a blocking one on a thread of ours. Zero: it can.
    std::error_code refusal(bool blocking) const noexcept;
    bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
    /// Closed, and nothing is sent any more.
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    std::atomic<bool> const* closing_flag() const noexcept { return &closed_; }
    /// Stopped by close(), on its thread.
    std::stop_token closing_token() const noexcept { return closing_.get_token(); }
    /// In the child of a fork the loop is not asked: what it asks may belong to a thread of the parent.
    bool on_own_thread() const noexcept {
        return reactor_->on_thread() || notifier_.on_thread() || (loop_ && !forked() && loop_->on_thread());
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

    /// config::holder_label, or what it is by default; empty: none.
    std::string const& label() const noexcept { return label_; }
    counter_index& shared_counters() noexcept { return counters_; }
    permit_leases& permits_held() noexcept { return permits_held_; }

    locking::publish_method const& publishing() const noexcept { return publishing_; }

    std::shared_ptr<reactor> const& loop() const noexcept { return reactor_; }

    /// The server that has this key now; in a cluster it may be another one the next time.
    node& node_of(std::string_view key) noexcept { return nodes_.of(key); }
    /// For what is about no key.
    node& any_node() { return nodes_.any(); }
    /// All that have keys.
    std::vector<node*> masters() { return nodes_.masters(); }
    nodes& servers() noexcept { return nodes_; }
    /// A client that connects lazily learns it from the servers of a cluster.
    bool knows_how_to_publish() const;

    /// The server of this lock refuses plain commands: from now on scripts are sent, for this lock or for all of them, for as
    /// long as the connection lasts. False: the user insists on plain commands.
    bool stop_acquiring_plainly(resp::value const& error, locking::record_ptr const& lock);
    bool stop_releasing_plainly(resp::value const& error, locking::record_ptr const& lock);

    /// Sends a call on a lane without waiting; `then` runs on the reactor with the answered or closed call.
    void send(call_lane& lane, locking::wire_call call, unattended::handler then, unattended::terms conditions = {});

    /// Drives an operation on the reactor, which forget()s it in the end. False: the client is closed, nothing will run.
    bool run(std::shared_ptr<async_task> const& task, std::stop_token const& stop);
    void forget(async_task& task) noexcept;

    /// Before something begins whose end is told on the notifier thread: it runs from now on. Throws std::system_error.
    void start_notifier() { notifier_.start(); }
    /// Runs what may be a user's code, on the notifier thread; also when the client is closed.
    void notify(std::function<void()> callback) {
        notifier_.post_always(std::move(callback));
        look_after_notifier();
    }
    /// A loss is told in time: where the notifier gets no thread, the reactor stops this. False: the notifier is to do it.
    bool stop_on_reactor(std::stop_source const& source);
    /// When all that is on its way to users has been told; false: nothing is.
    bool after_notices(std::function<void()> callback) { return notifier_.follow(std::move(callback)); }
    void tell(event const& event);
    void set_listener(std::function<void(event const&)> listener);

    void start();
    /// Before something is held that is to be renewed: a thread will be there for it. Zero: it is, or is not to be started yet.
    std::error_code have_thread();
    /// The same before something that runs on it, also where threads are to be started later.
    std::error_code need_thread();
    void close() noexcept;
    /// The user's loop is gone: closes on this thread; operations under way end without telling anybody.
    void abandon() noexcept;
    counters stats();

    /// For a client that closes.
    bool releases_have_ended() const noexcept;
    /// Asks the server soon, and about several locks together, whether what this client holds of a lock is still there.
    void verify_hold(locking::record_ptr const& record);

    /// A release on its way, of a client that closes.
    struct last_release {
        locking::reaper::job job;
        bool by_script;
        connection::call_ptr call;
    };
    /// `jobs` and all that the reaper has, at once. The last call wakes `waker`.
    std::vector<last_release> send_releases(std::vector<locking::reaper::job> jobs, base::waker const& waker,
                                            bool will_wait);
    /// `sent` has been answered, and its lock may still be held, or its waiters not know of its end. Never: there is nothing
    /// more to be done.
    base::instant time_to_repeat(last_release& sent, base::instant now);

    void renewal_sent() noexcept { renewals_.fetch_add(1, std::memory_order_relaxed); }

    void operation_began() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
    void operation_ended() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
    /// Of a call that changes a counter: close() waits for its answer.
    void request_began() noexcept { table_.releases_under_way.fetch_add(1, std::memory_order_relaxed); }
    void request_ended() {
        if (forked()) return; // the table's mutex may be somebody's who is not in this process
        locked([](locking::lock_table& table, base::wake_list& woken) { table.end_release(woken); });
    }
    /// The same of what nobody waits for, which is shown as unresolved.
    void give_back_began() noexcept {
        request_began();
        given_back_.fetch_add(1, std::memory_order_relaxed);
    }
    void give_back_ended() {
        given_back_.fetch_sub(1, std::memory_order_relaxed);
        request_ended();
    }

    /// A hold of a thread begins: its end will be told to the listener.
    void watch_this_thread();

private:
    struct after_table {
        base::wake_list woken{};
        std::vector<locking::lock_table::notice> notices{};
        base::instant arm_at = base::never;
        base::instant armed_before = base::never;
        bool watch_ended = false;
        /// Where an exception leaves the others: they have been promised to be woken.
        ~after_table() { woken.wake_all(); }
    };

    client_core(config const& settings, server_set const& servers, std::optional<user_loop> loop);
    void connect();
    node::hooks node_hooks();
    cluster::hooks cluster_hooks();
    bool use_scripts(command_choice::effect effect, char const* done, resp::value const& error,
                     locking::record_ptr const& lock);
    void tell_of_scripts(locking::record_ptr const& lock, std::string const& reason);
    void tell_when_heard(event const& event);
    void on_reconnected(std::string const& address, char const* role, bool another);
    void on_slots_moved(cluster::slots const& moved);
    void repeat_departures(base::function_ref<bool(std::string_view name)> is_elsewhere);
    void verify_all();
    void settle(std::unique_lock<std::mutex>& held, after_table& next);
    void publish(locking::lock_table::notice const& notice);
    void arm(base::instant due_time);
    void look_after_notifier() noexcept;
    void on_table_timer(base::instant due_time);
    void on_watch_news(locking::record_ptr const& lock);
    void verify_doubted();
    void begin_watches(std::vector<locking::tenure_ptr> const& holds);
    void end_watches();
    void listen_again_later();
    void renew(locking::lease_keeper::batch const& batch);
    void on_renewal_refused(locking::lease_keeper::batch const& batch, resp::value const& error);
    void renew_all(std::vector<locking::lease_keeper::batch> const& renewals);
    class awaited_releases;
    void reap(locking::reaper::job const& job, std::shared_ptr<awaited_releases const> const& awaited);
    void look_at_tasks();
    void look_at_tasks_later();
    void close_now() noexcept;
    void close_on_loop() noexcept;
    void finish_on_this_thread() noexcept;
    void end() noexcept;
    void on_thread_exit(std::uint64_t owner_number) noexcept override;

    config const settings_;
    std::string const id_;
    std::string const label_;
    std::uint64_t const generation_;
    std::optional<user_loop> const loop_;
    std::shared_ptr<reactor> const reactor_;
    notifier notifier_;

    locking::publish_method publishing_;
    std::mutex table_mutex_; // guards what follows
    locking::lock_table table_;
    base::instant armed_for_ = base::never;
    std::vector<locking::record_ptr> doubted_{}; ///< their holders here are to be asked about

    counter_index counters_;
    permit_leases permits_held_;
    event_listener listener_;
    running_tasks running_;

    std::atomic<bool> closed_{false};
    std::stop_source closing_{};
    std::atomic<bool> ended_{false};
    std::atomic<std::uint64_t> waiting_{0};
    std::atomic<std::uint64_t> given_back_{0};
    std::atomic<std::uint64_t> renewals_{0};
    std::atomic<std::uint64_t> reconnects_{0};

    nodes nodes_;
    hold_watch watched_;
    bool listens_again_ = false; ///< a timer is set for it; the reactor's own
};

} // namespace redlatch::io
