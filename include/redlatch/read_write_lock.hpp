// Many may read, or one may write: Redisson's RReadWriteLock.
//
//     redlatch::read_write_lock catalogue = client.get_read_write_lock("catalogue");
//     {
//         redlatch::hold hold = catalogue.read_lock().acquire({.wait = 30s});     // beside all others that read
//         show(catalogue_in_database());
//     }
//     redlatch::hold hold = catalogue.write_lock().acquire({.wait = 30s});        // alone
//
// or with the guards of the standard library: std::shared_lock guard(catalogue), std::unique_lock guard(catalogue).
//
// Both halves are locks like any other: waiting, leases, renewal, loss, owners, handlers and Asio tokens are those of
// basic_lock, and both are re-entrant. The release of a writer lets all waiting readers in with one message.
//
// An owner that writes may read as well; when it gives the write hold back and keeps the read hold, waiting readers enter at
// once. An owner that reads cannot write: it would wait for itself, and is told error(would_deadlock) at once, without a round
// trip. An owner is a thread unless one is named; the forms with a handler take a fresh owner for each call.
//
// Readers that keep coming keep writers out for as long as they overlap, as with Redisson. A reader whose process has died is
// renewed by nobody: it keeps writers out until its lease is over, and those that wait ask then, or when the lease that they
// were told is over, which is at most twice as long.
// Wire format: protocol section 6.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace redlatch {

/// Cheap to copy; copies are the same lock. Made by client::get_read_write_lock.
/// Thread safety and object lifetime: those of basic_lock.
class REDLATCH_EXPORT read_write_lock {
public:
    /// kind() "read" and "write". No round trip.
    basic_lock read_lock() const noexcept { return read_; }
    basic_lock write_lock() const noexcept { return write_; }

    /// Lockable and TimedLockable: to write. As of basic_lock.
    void lock() { write_.lock(); }
    [[nodiscard]] bool try_lock() { return write_.try_lock(); }
    template <class Rep, class Period> [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> const& wait) {
        return write_.try_lock_for(wait);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> const& deadline) {
        return write_.try_lock_until(deadline);
    }
    void unlock() { write_.unlock(); }

    /// SharedLockable and SharedTimedLockable: to read. As of basic_lock.
    void lock_shared() { read_.lock(); }
    [[nodiscard]] bool try_lock_shared() { return read_.try_lock(); }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> const& wait) {
        return read_.try_lock_for(wait);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> const& deadline) {
        return read_.try_lock_until(deadline);
    }
    void unlock_shared() { read_.unlock(); }

    std::string const& name() const noexcept { return read_.name(); }

private:
    friend class client;
    struct half : basic_lock {
        explicit half(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
    };
    read_write_lock(std::shared_ptr<detail::lock_impl> read, std::shared_ptr<detail::lock_impl> write) noexcept
        : read_(std::move(read)), write_(std::move(write)) {}

    half read_;
    half write_;
};

} // namespace redlatch
