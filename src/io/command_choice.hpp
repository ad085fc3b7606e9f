// Plain commands or scripts, for the locks of one server: what the user wants, and what the server has refused on its present
// data connection.
#pragma once

#include "locking/lock_record.hpp"
#include "resp/value.hpp"

#include <redlatch/config.hpp>

#include <atomic>
#include <cstdint>

namespace redlatch::io {

/// Thread-safe. All it has is a hint: whoever relies on an old one is refused by the server, and asks again.
class command_choice {
public:
    explicit command_choice(command_set wanted) noexcept : wanted_(wanted) {}

    /// Another connection may be to another server, or have other rights.
    void on_connected() noexcept;

    /// First acquisitions of a lock are to be sent without a script; last releases are.
    bool acquires_plainly(locking::lock_record const& lock) const noexcept {
        return acquires_plainly_.load(std::memory_order_relaxed) && !is_refused(lock);
    }
    bool releases_plainly(locking::lock_record const& lock) const noexcept {
        return releases_plainly_.load(std::memory_order_relaxed) && !is_refused(lock);
    }
    bool is_automatic() const noexcept { return wanted_ == command_set::automatic; }

    /// What follows from a refusal.
    enum class effect : std::uint8_t {
        none,      ///< the user insists on plain commands
        known,     ///< scripts, as was known
        this_lock, ///< scripts for this lock from now on
        all_locks, ///< scripts for all of them from now on
    };
    effect on_acquire_refused(resp::value const& error, locking::lock_record& lock) noexcept {
        return on_refused(acquires_plainly_, error, lock);
    }
    effect on_release_refused(resp::value const& error, locking::lock_record& lock) noexcept {
        return on_refused(releases_plainly_, error, lock);
    }
    /// What holding this lock needs is refused: known, or this_lock.
    effect on_key_refused(locking::lock_record& lock) noexcept;
    /// Scripts are refused too: rights may have changed, so either form is tried in its turn.
    void on_script_release_refused(locking::lock_record& lock) noexcept;

    /// The server has run the release script by its SHA-1 or its text.
    bool knows_release_script() const noexcept { return release_script_known_.load(std::memory_order_relaxed); }
    void note_release_script() noexcept { set(release_script_known_); }
    /// At least one last release was sent without a script, on any connection.
    bool has_released_plainly() const noexcept { return has_released_plainly_.load(std::memory_order_relaxed); }
    void note_plain_release() noexcept { set(has_released_plainly_); }

private:
    /// Written only if it changes: many threads read it.
    static void set(std::atomic<bool>& flag) noexcept {
        if (!flag.load(std::memory_order_relaxed)) flag.store(true, std::memory_order_relaxed);
    }
    bool is_refused(locking::lock_record const& lock) const noexcept {
        auto const on = lock.plain_refused_on.load(std::memory_order_relaxed);
        return on != 0 && on == connection_.load(std::memory_order_relaxed);
    }
    effect on_refused(std::atomic<bool>& plainly, resp::value const& error, locking::lock_record& lock) noexcept;

    command_set const wanted_;
    std::atomic<std::uint64_t> connection_{0}; ///< the number of the present one
    std::atomic<bool> acquires_plainly_{false};
    std::atomic<bool> releases_plainly_{false};
    std::atomic<bool> release_script_known_{false};
    std::atomic<bool> has_released_plainly_{false};
};

} // namespace redlatch::io
