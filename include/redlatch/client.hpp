// A client: one server, one identity, all the locks that one wants.
//
//     redlatch::client client{"redis://127.0.0.1:6379"};
//     auto lock = client.get_lock("orders");
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/config.hpp>
#include <redlatch/count_down_latch.hpp>
#include <redlatch/counter_info.hpp> // IWYU pragma: export
#include <redlatch/counter_options.hpp>
#include <redlatch/counters.hpp> // IWYU pragma: export
#include <redlatch/event.hpp>    // IWYU pragma: export
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/fair_lock.hpp>
#include <redlatch/faster_multi_lock.hpp>
#include <redlatch/fenced_lock.hpp>
#include <redlatch/leader_election.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/non_reentrant_fair_lock.hpp>
#include <redlatch/non_reentrant_lock.hpp>
#include <redlatch/options.hpp>
#include <redlatch/permit_semaphore.hpp>
#include <redlatch/read_write_lock.hpp>
#include <redlatch/reentrant_lock.hpp>
#include <redlatch/semaphore.hpp>
#include <redlatch/server_facts.hpp>
#include <redlatch/spin_lock.hpp>

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

/// What ping() learnt.
struct server_info {
    std::string address;
    std::string software; ///< "redis" or "valkey"; empty: this user may run neither INFO nor HELLO
    std::string version;  ///< likewise
    std::chrono::microseconds round_trip{};
};

/// Thread safety: distinct objects: safe. Shared objects: safe. Copies share the connections; the last copy closes.
/// Object lifetimes: locks and holds may outlive it; they then fail with errc::closed or are lost. One that was moved from has
/// no id and no counts, close() does nothing, and every other call is refused with errc::invalid_argument.
/// After fork() every call in the child fails with errc::forked, and destruction there only closes descriptors.
class REDLATCH_EXPORT client {
public:
    /// Connects, or throws error: bad_config, disconnected, server_refused. Blocks for at most connect_timeout, and for the
    /// look-up of the server's name, for each of 1 + retry_attempts attempts; between two for retry_delay to ten times that.
    /// Without an address the environment chooses: see config::address.
    explicit client(config const& settings = {});
    explicit client(std::string_view uri);
    /// The same, run by an event loop of the user's: no I/O thread is ever started, and the notifier thread only for listeners,
    /// lost() tokens and handlers without an executor. See event_source.hpp; for an io_context, redlatch/asio.hpp.
    client(config const& settings, user_loop loop);

    /// Connects without blocking the caller, on a thread that ends with it: `handler` gets what the constructor would throw -
    /// bad_config too -, or the client. It is called once, on `ex`, or without one on that thread, which it may block; never
    /// within this call. Throws error(invalid_argument) for an empty handler, std::system_error where no thread can be
    /// started. See config::connect for a client that needs no connection at first.
    static void async_connect(config const& settings, executor ex,
                              std::function<void(std::error_code, std::optional<client>)> handler);
    /// The same for completions: complete() runs on that thread, wherever it wants to run. Cancelling tells at once, and the
    /// connection is closed when it is there: until then that thread may call `loop`'s on_thread. `loop`: as of the
    /// constructor.
    [[nodiscard]] static std::optional<outcome> start_connect(config const& settings,
                                                              completion_ptr<std::optional<client>>& done,
                                                              std::optional<user_loop> loop = std::nullopt);

    /// Locks of each kind. No round trip. Any bytes, 1 byte to 64 KiB. Throws error: bad_name, forked. Locks of different kinds
    /// with one name exclude each other, as in Redisson; only one of these kinds should be used for a name all the same.
    /// With options that cannot be used: error(invalid_argument).
    reentrant_lock get_lock(std::string const& name, lock_options const& options = {});
    non_reentrant_lock get_non_reentrant_lock(std::string const& name, lock_options const& options = {});
    fenced_lock get_fenced_lock(std::string const& name, lock_options const& options = {});
    fair_lock get_fair_lock(std::string const& name, lock_options const& options = {});
    /// The same, but its owner cannot acquire it twice.
    non_reentrant_fair_lock get_non_reentrant_fair_lock(std::string const& name, lock_options const& options = {});
    read_write_lock get_read_write_lock(std::string const& name, lock_options const& options = {});
    /// Throws error(invalid_argument) for pauses that are not positive, or a multiplier below one.
    spin_lock get_spin_lock(std::string const& name, spin_backoff const& backoff = {},
                            lock_options const& options = {});

    /// A lock on these values of a group: those that have a value in common exclude each other. Values: any bytes, 1 to 10,000
    /// of them; one that comes twice counts once. No round trip. Throws error: bad_name (of the group), invalid_argument (no
    /// values, or too many), forked. The name of a group should not be that of another lock, which does not keep values out.
    faster_multi_lock get_faster_multi_lock(std::string const& group, std::vector<std::string> const& values,
                                            lock_options const& options = {});

    /// A candidate of an election; each call makes another one. No round trip. Throws error: bad_name, invalid_argument (a
    /// candidate that cannot be used), forked.
    leader_election get_leader_election(std::string const& name, election_options const& options = {});

    /// What is no lock and has no owner. No round trip. Names as above; a name is one kind of thing only.
    semaphore get_semaphore(std::string const& name, counter_options const& options = {});
    permit_semaphore get_permit_semaphore(std::string const& name, counter_options const& options = {});
    count_down_latch get_count_down_latch(std::string const& name, counter_options const& options = {});

    /// The locks whose names match a glob-style pattern, by SCAN: never blocks the server for long, many round trips, may miss
    /// what comes or goes meanwhile. Only what looks like a lock is listed, each once, in no order: locks that are held, and
    /// fair ones that are free and have a queue. One that this user may not read is listed with lock_info::problem. Hundreds
    /// of locks in a round trip, which ends within config::timeout. A server whose SCAN does not come to an end is an error
    /// (bad_reply).
    std::vector<lock_info> list_locks(std::string_view pattern = "*", look_options const& options = {});
    void async_list_locks(std::string_view pattern, executor ex,
                          std::function<void(std::error_code, std::vector<lock_info>)> handler,
                          look_options const& options = {});
    [[nodiscard]] std::optional<outcome> start_list_locks(std::string_view pattern,
                                                          completion_ptr<std::vector<lock_info>>& done,
                                                          look_options const& options = {});
    /// The same without keeping all of them: `each` gets those that a round trip brought, on this thread, between two round
    /// trips. What it throws ends the listing and comes out here. Without `each`: throws error(invalid_argument).
    void visit_locks(std::string_view pattern, std::function<void(std::vector<lock_info>)> each,
                     look_options const& options = {});
    /// The permit semaphores whose names match, as of list_locks, of which permits are taken: without any, one cannot be told
    /// from a semaphore or a latch, and is shown where the options say so. Two round trips for each page of SCAN, three where
    /// they do, each of which ends within config::timeout. Throws error as list_locks.
    std::vector<permit_info> list_permit_semaphores(std::string_view pattern = "*",
                                                    permit_visit_options const& options = {});
    void async_list_permit_semaphores(std::string_view pattern, executor ex,
                                      std::function<void(std::error_code, std::vector<permit_info>)> handler,
                                      permit_visit_options const& options = {});
    [[nodiscard]] std::optional<outcome> start_list_permit_semaphores(std::string_view pattern,
                                                                      completion_ptr<std::vector<permit_info>>& done,
                                                                      permit_visit_options const& options = {});
    /// The same without keeping all of them, as visit_locks: `each` gets what a page brought. Without `each`: throws
    /// error(invalid_argument).
    void visit_permit_semaphores(std::string_view pattern, std::function<void(std::vector<permit_info>)> each,
                                 permit_visit_options const& options = {});
    /// The semaphores and latches whose names match, as of list_locks: all whole numbers, since the server does not know what
    /// they count, but for those that belong to permit semaphores of which permits are taken, to locks and to requests. It
    /// looks at every string whose key matches: on a server with many others the pattern should leave them out. Three round
    /// trips for each page of SCAN, each of which ends within config::timeout. Throws error as list_locks.
    std::vector<counter_info> list_counters(std::string_view pattern = "*");
    void async_list_counters(std::string_view pattern, executor ex,
                             std::function<void(std::error_code, std::vector<counter_info>)> handler);
    [[nodiscard]] std::optional<outcome> start_list_counters(std::string_view pattern,
                                                             completion_ptr<std::vector<counter_info>>& done);
    /// The same without keeping all of them, as visit_locks: `each` gets what a page brought. Without `each`: throws
    /// error(invalid_argument).
    void visit_counters(std::string_view pattern, std::function<void(std::vector<counter_info>)> each);

    /// One round trip.
    server_info ping();
    void async_ping(executor ex, std::function<void(std::error_code, server_info)> handler);
    [[nodiscard]] std::optional<outcome> start_ping(completion_ptr<server_info>& done);

    /// What the servers say of themselves, as far as it decides what locks on them are worth; each of the masters of a cluster.
    /// Changes nothing on them: it reads, asks for rights without using them, removes a key that is not there, and publishes to
    /// a channel that nobody else knows. A dozen round trips to each; ends within inspect_servers_options::limit and
    /// config::timeout. Whatever a server does not say is absent. Throws error: disconnected (none of them answers),
    /// server_refused, closed, wrong_thread, invalid_argument (inspect_servers_options::round_trips is out of its range).
    server_setup inspect_servers(inspect_servers_options const& options = {});
    void async_inspect_servers(executor ex, std::function<void(std::error_code, server_setup)> handler,
                               inspect_servers_options const& options = {});
    [[nodiscard]] std::optional<outcome> start_inspect_servers(completion_ptr<server_setup>& done,
                                                               inspect_servers_options const& options = {});

    /// Called for every event, on the notifier thread, one at a time. Replaces the former listener, which may still be called
    /// of events from before; empty: none. What it throws ends the program (std::terminate), as in a thread.
    void on_event(std::function<void(event const&)> listener);

    /// A snapshot; no round trip.
    counters stats() const;

    /// The UUID in every owner id of this client (protocol section 0.1).
    std::string const& id() const noexcept;

    /// Starts the background threads now; see config::lazy_threads.
    void start();

    /// Ends all waits with errc::closed, tells all holders (lost()), then releases their locks (at most close_timeout; a
    /// callback that blocks delays them by 100 ms at the most) and closes the connections. Later calls fail with errc::closed.
    /// Returns when all callbacks have returned, so that none runs afterwards: do not call it with a mutex that a callback
    /// takes. On a thread of the client itself, or of the loop that runs it, it does not block: it goes on there. Idempotent.
    void close() noexcept;

    /// For whoever runs the loop of a client that was made with one.
    event_source loop_source() const;
    /// That loop; null: a thread of the client's own.
    user_loop const* driven_by() const noexcept;

private:
    explicit client(std::shared_ptr<detail::client_handle> handle) noexcept : handle_(std::move(handle)) {}
    detail::client_handle const& handle() const;
    std::shared_ptr<detail::client_handle> handle_;
};

} // namespace redlatch
