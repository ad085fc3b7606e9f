// What one holds of several locks, and whether one still does.
//
//     redlatch::multi_hold hold = both.acquire({.wait = 5s});
//     transfer(hold.lost());                  // stopped when any of them is lost
//                                             // all are released at the end of the scope
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <vector>

namespace redlatch {

namespace detail {
struct multi_hold_access;
class multi_hold_state;
} // namespace detail

/// One acquisition of a multi_lock or a red_lock, released when destroyed. Move-only, not tied to a thread. It is held while as
/// many members are held as its lock needs: all of a multi_lock, the majority of a red_lock.
///
/// Thread safety: distinct objects: safe. Shared objects: const members are safe, the others not.
/// Object lifetimes: may outlive the locks and their clients.
class [[nodiscard]] REDLATCH_EXPORT multi_hold {
public:
    multi_hold() noexcept = default;
    multi_hold(multi_hold&&) noexcept = default;
    multi_hold& operator=(multi_hold&& other) noexcept;
    multi_hold(multi_hold const&) = delete;
    multi_hold& operator=(multi_hold const&) = delete;

    /// Releases all members and does not throw; failures go to the listeners of their clients. The last one is released as
    /// hold::~hold does, the others are written before it and not waited for.
    ~multi_hold();

    /// held or suspect.
    explicit operator bool() const noexcept;

    /// As of hold_view, of as many members as are needed: `lost` once fewer are held. No round trip.
    hold_status status() const noexcept;

    /// Throws error(lease_lost) unless held or suspect; the message names what was lost.
    void ensure_held() const;

    /// Stopped when too few members are left, before their keys can expire, on the notifier thread of a member's client.
    std::stop_token lost() const;

    /// Until when enough members are certainly ours if nothing more is heard from their servers. Neither held nor suspect: a
    /// time that is over.
    lease_clock::time_point valid_until() const noexcept;

    /// A view of each member that is held, in the order in which the lock was given them: for fencing tokens and owners.
    std::vector<hold_view> members() const;

    /// Gives all members back, at the same time: one round trip to each server. Blocks for at most the longest
    /// min(config::timeout, remaining validity) of them. Throws error for the first member that failed, as hold::release does,
    /// after all the others were given back; of a red lock only where no majority was given back: one master that is away, or
    /// has forgotten the lock, is no failure. An empty or released one: no effect. wire: as of the members' kinds.
    void release();
    void release(std::error_code& ec) noexcept;

    /// As release(), not waited for: failures go to the listeners of the clients.
    void release_detached() noexcept;

    /// As release(); the handler gets the outcome on the executor; empty: the notifier thread of the first member's client.
    /// Without a handler: throws error(invalid_argument).
    void async_release(executor ex, std::function<void(std::error_code)> handler);
    /// As release(); see completion.hpp. It counts as released from now on.
    [[nodiscard]] std::optional<outcome> start_release(completion_ptr<>& done);
    /// The loop that runs the first member's client; null: an empty one, or a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

private:
    friend struct detail::multi_hold_access;
    explicit multi_hold(std::shared_ptr<detail::multi_hold_state> state) noexcept;
    std::shared_ptr<detail::multi_hold_state> state_;
};

} // namespace redlatch
