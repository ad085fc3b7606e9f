// What one holds, and whether one still does.
//
//     redlatch::hold hold = lock.acquire();
//     while (more() && !hold.lost().stop_requested()) work();
//     hold.ensure_held();                     // throws lease_lost when the lock is gone
//                                             // released at the end of the scope
//
// A lock with a lease can be lost while one works: the server was unreachable for too long, the process was stopped, an
// administrator removed the key. A hold learns of it before the key can expire: validity is counted from before the request
// that set the lease was sent, less a margin. No lock with a lease can stop a process that does not look:
// docs/guarantees.md says what is promised and what is not.
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

namespace redlatch {

namespace detail {
struct hold_access;
struct hold_state;
} // namespace detail

/// | state    | meaning                                                                        | becomes                  |
/// |----------|--------------------------------------------------------------------------------|--------------------------|
/// | none     | an empty hold                                                                  |                          |
/// | held     | valid, and renewed in time                                                     | suspect, lost, released  |
/// | suspect  | still valid, but a renewal is overdue                                          | held, lost, released     |
/// | lost     | gone, or about to expire on the server; final                                  |                          |
/// | released | given back                                                                     |                          |
enum class hold_status { none, held, suspect, lost, released };

/// The enumerator's name, as above; "unknown" for any other value.
REDLATCH_EXPORT std::string_view to_string(hold_status status) noexcept;

/// A look at a hold without the power to end it; see basic_lock::current_hold.
///
/// Thread safety: distinct objects: safe. Shared objects: const members are safe.
/// Object lifetimes: may outlive the lock and the client; after client::close() it is lost, and so it is in the child of a fork
/// (a token that lost() gave before the fork is not stopped there: nobody could stop it).
/// No member blocks or makes a round trip.
class REDLATCH_EXPORT hold_view {
public:
    hold_view() noexcept = default;

    /// held or suspect.
    explicit operator bool() const noexcept;

    /// Decided on the spot from the lease clock: `lost` does not depend on any thread having run.
    hold_status status() const noexcept;

    /// Throws error(lease_lost) unless held or suspect.
    void ensure_held() const;

    /// Stopped when the lock is lost, before the key can expire, on the client's notifier thread - or, where no thread can be
    /// started for it, on the I/O thread. Callbacks should be short: they delay other notifications, and renewals only there.
    std::stop_token lost() const;

    /// Until when this hold is certainly ours if nothing more is heard from the server. Moves on with each renewal. Neither
    /// held nor suspect: a time that is over.
    lease_clock::time_point valid_until() const noexcept;

    /// "client-uuid:number", the field of the lock's hash in Redis (protocol section 0.1, OWNER).
    std::string owner_id() const;

    /// The fencing token: greater than that of every earlier hold, so that whoever keeps the greatest one that it has seen can
    /// refuse the writes of a holder that does not know yet that it has lost the lock. It never changes, and is the same for
    /// all holds that one owner has at a time, but for those from before the first one that asked for it. None: an empty hold,
    /// or one that was acquired without acquire_options::fencing, of a kind that gives no tokens unasked (fenced_lock.hpp).
    std::optional<std::uint64_t> token() const noexcept;

    /// How many replicas had confirmed the lock when it was acquired, where its replica_policy asked them. None: it did not.
    std::optional<int> confirmed_by() const noexcept;

    /// The name of the lock.
    std::string const& lock_name() const noexcept;

protected:
    friend struct detail::hold_access;
    explicit hold_view(std::shared_ptr<detail::hold_state> state) noexcept;
    std::shared_ptr<detail::hold_state> state_;
};

/// One acquisition of a lock, released when destroyed. Move-only, not tied to a thread.
///
/// Each acquisition of a re-entrant lock gives a hold of its own; they end in any order, and the lock is free after the last.
///
/// Thread safety: distinct objects: safe, also holds of one lock. Shared objects: const members are safe, the others not.
/// Object lifetimes: may outlive the lock and the client. After client::close() it is lost and its destructor does nothing.
class [[nodiscard]] REDLATCH_EXPORT hold : public hold_view {
public:
    hold() noexcept = default;
    hold(hold&&) noexcept = default;
    hold& operator=(hold&& other) noexcept;
    hold(hold const&) = delete;
    hold& operator=(hold const&) = delete;

    /// Releases as release(std::error_code&) does and reports failures to the client's listener; never throws. Blocks for at
    /// most min(config::timeout, remaining validity); on a thread of the client itself, or of the loop that runs it, it does
    /// not block.
    ~hold();

    /// Gives the lock back: one round trip. Blocks for at most min(config::timeout, remaining validity).
    /// Throws error: lease_lost (once), outcome_unknown (the client goes on releasing in the background), forked;
    /// wrong_thread on a thread of the client, and it stays held: use async_release there.
    /// An empty or released hold: no effect. wire: protocol section 1.5.
    void release();
    void release(std::error_code& ec) noexcept;

    /// As release(), not waited for: a failure goes to the client's listener.
    void release_detached() noexcept;

    /// As release(); the handler gets the outcome on the executor. Never called from within this function. Without a handler:
    /// throws error(invalid_argument). What a handler throws ends the program.
    void async_release(executor ex, std::function<void(std::error_code)> handler);
    /// As release(); see completion.hpp. The hold counts as released from now on.
    [[nodiscard]] std::optional<outcome> start_release(completion_ptr<>& done);
    /// The loop that runs its client; null: an empty hold, or a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

private:
    friend struct detail::hold_access;
    using hold_view::hold_view;
};

} // namespace redlatch
