// Whether a server executes writes, as all operations of a client see it: connection::standstill, for many threads.
#pragma once

#include "base/time.hpp"
#include "connection/standstill.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace redlatch::io {

/// Thread-safe. Costs one relaxed load while the server works.
class write_gate {
public:
    write_gate(base::milliseconds longest_pause, std::uint64_t seed) noexcept : state_(longest_pause, seed) {}

    struct refusal {
        bool begins = false; ///< the server executed writes until now
        base::instant again; ///< when to try again
    };
    /// A write that was sent at `sent_at` was not executed.
    refusal on_refused(std::string const& error, base::instant sent_at, base::instant now);
    /// One was not executed for a reason of its own: no reason for others to pause.
    void on_refused_alone(base::instant now) noexcept {
        refused_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }
    /// One was executed; `grows`: one that needs memory. True: the server executes writes again.
    bool on_written(base::instant sent_at, bool grows) noexcept {
        return !is_open() && ends_with_write(sent_at, grows);
    }
    /// What changes nothing was executed. True: the server executes writes again.
    bool on_executed(base::instant sent_at) noexcept { return !is_open() && ends_with_execution(sent_at); }
    void on_connected() noexcept;

    /// When a write may be sent; not later than `now`: at once, and it is this one for all.
    base::instant next_write(base::instant now) { return is_open() ? now : next_try(now); }
    /// Since when no write is executed; never: they are.
    base::instant refuses_since() { return is_open() ? base::never : closed_since(); }
    std::string last_refusal();
    /// When a write was last refused; the beginning of time: never.
    base::instant last_refused_at() const noexcept {
        return base::instant(base::nanoseconds(refused_at_.load(std::memory_order_relaxed)));
    }

private:
    bool is_open() const noexcept { return !closed_.load(std::memory_order_relaxed); }
    bool ends_with_write(base::instant sent_at, bool grows) noexcept;
    bool ends_with_execution(base::instant sent_at) noexcept;
    base::instant next_try(base::instant now);
    base::instant closed_since();

    std::atomic<bool> closed_{false};
    std::atomic<base::nanoseconds::rep> refused_at_{base::instant::min().time_since_epoch().count()};
    std::mutex mutex_; // guards what follows
    connection::standstill state_;
};

} // namespace redlatch::io
