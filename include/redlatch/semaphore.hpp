// A number of permits that all processes share: Redisson's RSemaphore.
//
//     redlatch::semaphore reports = client.get_semaphore("reports");
//     reports.try_set_permits(10);                    // once, by whoever comes first
//     reports.acquire({.permits = 2, .wait = 5s});    // or throws
//     make_reports();
//     reports.release(2);
//
// Permits belong to nobody: whoever calls release() adds some, and those of a process that dies are gone until somebody adds
// them. There is no lease and no renewal. As with std::counting_semaphore, give back what you took, on every way out.
//
// It cannot know that more permits are released than were taken: on the wire it is a number without owners, as Redisson's is,
// and a release adds to it. permit_semaphore knows, since each of its permits has an id that is there or not.
//
// Waiters of one process are served in the order in which they came; among processes there is no order. A semaphore that is not
// set has no permits; release() sets it.
// Wire format: protocol section 7.1.
#pragma once

#include <redlatch/basic_semaphore.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/counter_options.hpp>
#include <redlatch/export.hpp>
#include <redlatch/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

namespace redlatch {

/// Options of one acquisition of permits.
struct permit_options {
    /// How many, all of them or none. At least one.
    int permits = 1;

    /// How long to wait. None: acquire waits for ever, try_acquire does not wait. Zero: ask once. duration::max(): for ever.
    std::optional<time_span> wait{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

/// Made by client::get_semaphore. Thread safety, object lifetimes, errors: as of basic_counter.
class REDLATCH_EXPORT semaphore : public basic_semaphore {
public:
    /// Waits until there are enough permits, and takes them. One round trip where there are; no polling where there are not.
    /// Throws error: timed_out (busy for a wait of zero), cancelled, disconnected, outcome_unknown, server_refused, wrong_type,
    /// bad_reply, not_replicated and lease_lost (where replicas have to confirm it: too few did; the semaphore was deleted
    /// meanwhile), invalid_argument, closed, forked, wrong_thread. outcome_unknown, without exactly_once: permits may have
    /// been taken. Otherwise nothing is: what a call on its way takes is given back in the background, for which close()
    /// waits; without exactly_once, as far as its connection lasts. Permits whose handler is never called, since its
    /// executor is gone, stay taken.
    void acquire(permit_options const& options = {});
    void acquire(permit_options const& options, std::error_code& ec);
    void async_acquire(permit_options const& options, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_acquire(permit_options const& options, completion_ptr<>& done);

    /// Asks once, or waits for options.wait. False: there were fewer. Throws as acquire, but for busy and timed_out.
    [[nodiscard]] bool try_acquire(permit_options const& options = {});
    [[nodiscard]] bool try_acquire(permit_options const& options, std::error_code& ec);
    void async_try_acquire(permit_options const& options, executor ex,
                           std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_try_acquire(permit_options const& options, completion_ptr<bool>& done);

    /// Adds permits and wakes waiters, also where nobody has set the semaphore. At least one. One round trip.
    void release(int permits = 1);
    void async_release(int permits, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_release(int permits, completion_ptr<>& done);
    /// The same where the semaphore is set; false: it is not, and nothing was changed.
    bool release_if_exists(int permits = 1);
    void async_release_if_exists(int permits, executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_release_if_exists(int permits, completion_ptr<bool>& done);

    /// Takes all that there are, and says how many; below zero: so many were missing, and there are none now.
    std::int64_t drain_permits();
    void async_drain_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler);
    [[nodiscard]] std::optional<outcome> start_drain_permits(completion_ptr<std::int64_t>& done);

private:
    friend class client;
    explicit semaphore(std::shared_ptr<detail::counter_impl> impl) noexcept : basic_semaphore(std::move(impl)) {}
};

} // namespace redlatch
