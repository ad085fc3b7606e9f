// A number of permits that all processes share, each of which has an id and a lease while it is taken: Redisson's
// RPermitExpirableSemaphore.
//
//     redlatch::permit_semaphore reports = client.get_permit_semaphore("reports");
//     reports.try_set_permits(10);                                    // once, by whoever comes first
//     redlatch::permits mine = reports.acquire({.lease = 30s});       // or throws
//     make_report();
//                                                                     // given back here
//
// A permit whose lease is over comes back by itself, also that of a process that has died. A permit without a lease is taken
// until somebody releases it; with .renewed = true it has one that is prolonged while the process lives. Any process may
// release a permit whose id it knows, whichever has taken it.
//
// Leases are counted by the server's clock where this library uses the semaphore, and by the clock of its own machine where
// Java does. Where these differ, Java takes a permit for expired too early or too late by as much, and one that Java has taken
// ends as much too early or too late for us: keep the clocks together, or leases longer than they may differ.
//
// Waiters of one process are served in the order in which they came; among processes there is no order.
// Wire format: protocol section 7.3.
#pragma once

#include <redlatch/basic_semaphore.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>
#include <redlatch/permit_info.hpp>
#include <redlatch/permits.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace redlatch {

/// Options of one acquisition of permits that have ids.
struct leased_permit_options {
    /// How many, all of them or none: 1 to 1,000. For more than there are in all, those included that are taken, is an error,
    /// also where their number is lowered while one waits. One waits where it is not set, or set to 0, and for one permit.
    int permits = 1;

    /// After this time they come back by themselves, unless they are renewed. None, duration::max(): they are taken until they
    /// are released. At least one millisecond.
    std::optional<time_span> lease{};

    /// The lease (none: config::lock_watchdog_timeout) is renewed by the watchdog, a third of it after the last time, until the
    /// permits are given back. Those of a process that dies come back when it is over.
    bool renewed = false;

    /// Renewed permits are held no longer than this, from the request that took them on: then they count as lost, and come back
    /// at the end of their lease. At least one millisecond. None, duration::max(): without a limit.
    std::optional<time_span> max_hold{};

    /// How long to wait. None: acquire waits for ever, try_acquire does not wait. Zero: ask once. duration::max(): for ever.
    std::optional<time_span> wait{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

/// Made by client::get_permit_semaphore. Thread safety, object lifetimes, errors: as of basic_counter. A release
/// by id is executed once, and so is an acquisition. Setting the number of permits and setting a lease say what is to be: they
/// are repeated where the connection breaks, and may undo what others have changed meanwhile. counter_options are about the
/// other changes.
class REDLATCH_EXPORT permit_semaphore : public basic_semaphore {
public:
    /// Waits until there are enough permits, and takes them. One round trip where there are; no polling where there are not:
    /// woken by a release, or when the lease of a permit ends.
    /// Throws error: timed_out (busy for a wait of zero), cancelled, disconnected, server_refused, wrong_type, bad_reply,
    /// not_replicated and lease_lost (where replicas have to confirm it: too few did; the lease was over before),
    /// invalid_argument (more permits than there are in all, too), closed, forked, wrong_thread;
    /// std::system_error(resource_unavailable_try_again): no thread could be started that would renew them. Whatever it throws,
    /// nothing is left taken: what a call on its way takes is given back in the background, for which close() waits; where the
    /// server says nothing for that long, their lease ends it, and permits without a lease stay taken.
    permits acquire(leased_permit_options const& options = {});
    permits acquire(leased_permit_options const& options, std::error_code& ec);
    void async_acquire(leased_permit_options const& options, executor ex,
                       std::function<void(std::error_code, permits)> handler);
    [[nodiscard]] std::optional<outcome> start_acquire(leased_permit_options const& options,
                                                       completion_ptr<permits>& done);

    /// Asks once, or waits for options.wait. None: there were fewer. Throws as acquire, but for busy and timed_out.
    [[nodiscard]] std::optional<permits> try_acquire(leased_permit_options const& options = {});
    [[nodiscard]] std::optional<permits> try_acquire(leased_permit_options const& options, std::error_code& ec);
    void async_try_acquire(leased_permit_options const& options, executor ex,
                           std::function<void(std::error_code, std::optional<permits>)> handler);
    /// Busy and timed_out are failures, as everything else that brings no permits.
    [[nodiscard]] std::optional<outcome> start_try_acquire(leased_permit_options const& options,
                                                           completion_ptr<permits>& done);

    /// Gives permits back by their ids, whoever has taken them, all or none. One round trip; repeated until it is answered.
    /// Throws error: not_owner (one of them is not there: it was released already, or its lease is over; nothing was
    /// changed), invalid_argument (a text that is no id, or an id twice; no id, or more than 1,000), and as basic_counter.
    void release(std::string const& id);
    void release(std::vector<std::string> const& ids);
    void async_release(std::vector<std::string> const& ids, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_release(std::vector<std::string> const& ids, completion_ptr<>& done);
    /// As release, but that one of them is not there is an answer: false, and nothing was changed. One round trip. Throws as
    /// release, but for not_owner.
    bool try_release(std::string const& id);
    bool try_release(std::vector<std::string> const& ids);
    void async_try_release(std::vector<std::string> const& ids, executor ex,
                           std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_try_release(std::vector<std::string> const& ids,
                                                           completion_ptr<bool>& done);

    /// Sets the lease of a permit anew, from now on, shorter or longer; none, duration::max(): for ever. False: it is not
    /// there. One round trip. Throws error: invalid_argument, and as basic_counter.
    bool update_lease(std::string const& id, std::optional<time_span> lease);
    void async_update_lease(std::string const& id, std::optional<time_span> lease, executor ex,
                            std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_update_lease(std::string const& id, std::optional<time_span> lease,
                                                            completion_ptr<bool>& done);

    /// What is left of the lease of a permit; duration::max(): it is taken for ever. None: it is not there. One round trip.
    std::optional<duration> lease_of(std::string const& id);
    void async_lease_of(std::string const& id, executor ex,
                        std::function<void(std::error_code, std::optional<duration>)> handler);
    [[nodiscard]] std::optional<outcome> start_lease_of(std::string const& id,
                                                        completion_ptr<std::optional<duration>>& done);

    /// How many there are in all, taken or not; 0: also where it is not set. One round trip.
    std::int64_t get_permits();
    void async_get_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler);
    [[nodiscard]] std::optional<outcome> start_get_permits(completion_ptr<std::int64_t>& done);

    /// How many are taken. One round trip.
    std::int64_t acquired_permits();
    void async_acquired_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler);
    [[nodiscard]] std::optional<outcome> start_acquired_permits(completion_ptr<std::int64_t>& done);

    /// What there is, and which permits are taken. Reads only: permits whose lease is over are not given back by it. One round
    /// trip. `GET`, `ZCOUNT`, `ZRANGE`, `TIME`.
    permit_info inspect();
    void async_inspect(executor ex, std::function<void(std::error_code, permit_info)> handler);
    [[nodiscard]] std::optional<outcome> start_inspect(completion_ptr<permit_info>& done);

    /// Sets how many there are in all, taken or not, also where it is not set. Where more are taken, there are fewer than none
    /// until enough came back. `permits`: zero or more. One round trip. An expiry stays.
    void set_permits(int permits);
    void async_set_permits(int permits, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_set_permits(int permits, completion_ptr<>& done);

private:
    friend class client;
    explicit permit_semaphore(std::shared_ptr<detail::counter_impl> impl) noexcept : basic_semaphore(std::move(impl)) {}
};

} // namespace redlatch
