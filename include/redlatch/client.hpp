// A client: one server, one identity, all the locks that one wants.
//
//     redlatch::client client{"redis://127.0.0.1:6379"};
//     auto lock = client.get_lock("orders");
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/config.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/options.hpp>
#include <redlatch/reentrant_lock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch {

namespace detail {
class client_handle;
}

/// Something that a program may want to know although no call returned it.
struct event {
    enum class kind {
        hold_suspect,          ///< a renewal is overdue; the hold is still valid
        hold_recovered,        ///< a suspect hold was renewed after all
        hold_lost,             ///< a hold is lost
        release_failed,        ///< a release that nobody waits for (unlock(), destructor, detached) found the lock lost
        disconnected,          ///< a connection to the server was lost
        reconnected,           ///< and is back
        thread_exited_holding, ///< a thread ended while it held a lock; the lock stays held and renewed
    };
    kind what;
    std::string lock_name{}; ///< empty for connection events
    std::string owner_id{};  ///< likewise
    std::string sentence{};  ///< for a log
};

/// What the client has done and what it has in hand. Everything below `holds` is back at zero when nothing is held or waited
/// for and connections have settled.
struct counters {
    std::uint64_t acquired = 0;      ///< successful acquisitions, re-entries included
    std::uint64_t released = 0;      ///< releases that the server confirmed
    std::uint64_t lost = 0;          ///< holds that were lost
    std::uint64_t renewals = 0;      ///< renewal scripts sent
    std::uint64_t commands = 0;      ///< commands sent on all connections
    std::uint64_t reconnects = 0;    ///< connections re-established
    std::uint64_t holds = 0;         ///< owners that hold a lock now
    std::uint64_t waiters = 0;       ///< acquisitions under way now
    std::uint64_t subscriptions = 0; ///< channels subscribed to, or being subscribed to, now
    std::uint64_t unresolved = 0;    ///< releases that the background still has to see through
};

/// What ping() learnt.
struct server_info {
    std::string address;
    std::string software; ///< "redis" or "valkey"
    std::string version;
    std::chrono::microseconds round_trip{};
};

/// Thread safety: distinct objects: safe. Shared objects: safe. Copies share the connections; the last copy closes.
/// Object lifetimes: locks and holds may outlive it; they then fail with errc::closed or are lost.
/// After fork() every call in the child fails with errc::forked, and destruction there only closes descriptors.
class REDLATCH_EXPORT client {
public:
    /// Connects, or throws error: bad_config, disconnected, server_refused. Blocks for at most connect_timeout for each of
    /// 1 + retry_attempts attempts.
    explicit client(config const& settings = config::local());
    explicit client(std::string_view uri);
    /// The same, run by an event loop of the user's: no I/O thread is ever started, and the notifier thread only for listeners,
    /// lost() tokens and handlers without an executor. See event_source.hpp; for an io_context, redlatch/asio.hpp.
    client(config const& settings, user_loop loop);

    /// No round trip. Any bytes, 1 byte to 64 KiB. Throws error: bad_name.
    reentrant_lock get_lock(std::string name);

    /// The locks whose names match a glob-style pattern, by SCAN: never blocks the server for long, many round trips, may miss
    /// what comes or goes meanwhile. Only keys that look like locks are listed. Each round trip ends within config::timeout.
    std::vector<lock_info> list_locks(std::string_view pattern = "*");
    void async_list_locks(std::string_view pattern, executor where,
                          std::function<void(std::error_code, std::vector<lock_info>)> handler);
    [[nodiscard]] std::optional<outcome> start_list_locks(std::string_view pattern,
                                                          completion_ptr<std::vector<lock_info>>& done);

    /// One round trip.
    server_info ping();
    void async_ping(executor where, std::function<void(std::error_code, server_info)> handler);
    [[nodiscard]] std::optional<outcome> start_ping(completion_ptr<server_info>& done);

    /// Called for every event, on the notifier thread, one at a time. Replaces the former listener; empty: none.
    void on_event(std::function<void(event const&)> listener);

    /// A snapshot; no round trip.
    counters stats() const;

    /// The UUID in every owner id of this client (protocol section 12).
    std::string const& id() const noexcept;

    /// Starts the background threads now; see config::lazy_threads.
    void start();

    /// Ends all waits with errc::closed, tells all holders (lost()), then releases their locks (at most close_timeout; a
    /// listener that blocks is waited for no longer than 100 ms) and closes the connections. Later calls fail with
    /// errc::closed. On a thread of the client itself, or of the loop that runs it, it does not block: it goes on
    /// there. Idempotent.
    void close() noexcept;

    /// For whoever runs the loop of a client that was made with one.
    event_source events() const;
    /// That loop; null: a thread of the client's own.
    user_loop const* driven_by() const noexcept;

private:
    std::shared_ptr<detail::client_handle> handle_;
};

} // namespace redlatch
