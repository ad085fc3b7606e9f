// Whether a server executes writes, as all operations of a client see it: connection::standstill, for many threads.
#pragma once

#include "base/function_ref.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
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

    /// An operation that waits until the server executes writes again, in a list of its gate. Its functions are called by the
    /// operation only.
    class waiter {
    public:
        waiter() noexcept = default;
        waiter(waiter const&) = delete;
        waiter& operator=(waiter const&) = delete;
        ~waiter() { leave(); }

        /// It waits no longer.
        void leave() noexcept {
            if (gate_ != nullptr) gate_->remove(*this);
        }
        /// In a child of the process it does nothing at its end: the mutex of the gate is the parent's.
        void forget() noexcept { gate_ = nullptr; }
        /// The server has executed a write since it began to wait.
        bool told() const noexcept { return told_.load(std::memory_order_acquire); }

    private:
        friend class write_gate;
        write_gate* gate_ = nullptr; ///< where it waits, or was told
        bool cut_short_ = false;     ///< its last pause: if it is refused again, it waits for the end of the next one
        std::atomic<bool> told_{false};
        // With the mutex of the gate.
        bool listed_ = false;
        base::waker sleeper_{};
        waiter* before_ = nullptr;
        waiter* behind_ = nullptr;
    };

    struct refusal {
        bool begins = false; ///< the server executed writes until now
        base::instant again; ///< when to try again
    };
    /// A write that was sent at `sent_at` was not executed. `waiting`, if any, must not wait anywhere; it is told, and
    /// `sleeper` woken, when the server executes writes again. Not so if it has asked because it was told: what is refused
    /// while other writes succeed would be asked for again with each of them.
    refusal on_refused(std::string const& error, base::instant sent_at, base::instant now, waiter* waiting = nullptr,
                       base::waker const& sleeper = {});
    /// One was not executed for a reason of its own: no reason for others to pause.
    void on_refused_alone(base::instant now) noexcept {
        refused_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }
    /// One was executed; `grows`: one that needs memory. True: the server executes writes again.
    bool on_written(base::instant sent_at, bool grows) noexcept {
        return !is_open() && ends([&] { return state_.on_written(sent_at, grows); });
    }
    /// What changes nothing was executed. True: the server executes writes again.
    bool on_executed(base::instant sent_at) noexcept {
        return !is_open() && ends([&] { return state_.on_executed(sent_at); });
    }
    void on_connected() noexcept;

    /// When a write may be sent; not later than `now`: at once, and it is this one for all. Later: `waiting`, which must not
    /// wait anywhere, is told, and `sleeper` woken, when the server executes writes again.
    base::instant next_write(base::instant now, waiter& waiting, base::waker const& sleeper) {
        return is_open() ? now : next_try(now, waiting, sleeper);
    }
    /// The same, of who waits for that moment, whatever happens.
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
    bool ends(base::function_ref<bool()> over) noexcept;
    base::instant next_try(base::instant now);
    base::instant next_try(base::instant now, waiter& waiting, base::waker const& sleeper);
    void add(waiter& waiting, base::waker const& sleeper) noexcept;
    void remove(waiter& waiting) noexcept;
    void unlink(waiter& waiting) noexcept;
    void open(base::wake_list& woken) noexcept;
    base::instant closed_since();

    std::atomic<bool> closed_{false};
    std::atomic<base::nanoseconds::rep> refused_at_{base::instant::min().time_since_epoch().count()};
    std::mutex mutex_; // guards what follows
    connection::standstill state_;
    waiter* first_ = nullptr;
    waiter* last_ = nullptr;
};

} // namespace redlatch::io
