// Leader election: of all candidates, in whatever processes, one leads at a time, and the others wait without polling.
//
//     redlatch::leader_election election = client.get_leader_election("reports", {.candidate = "host-7"});
//     redlatch::leadership term = election.campaign();            // waits as long as it takes
//     while (more() && !term.lost().stop_requested())
//         store.write(next_report(), term.token());               // refused by the store if it has seen a greater token
//     term.resign();                                              // or at the end of the scope
//
// or, standing again after each loss until `stop` is requested:
//
//     election.run_as_leader([](redlatch::leadership& term) { serve(term); }, {.campaign = {.stop = stop}, .again = true});
//
// What it is made of: a fenced lock of the same name, which a candidate holds while it leads, renewed as any other lock. So a
// term ends in this process before the lease can expire on the server (see hold.hpp), each term has a greater token than all
// before it, and whatever looks at locks or ends them (`redlatch status`, force_unlock()) does so with elections; so do
// Redisson's locks of that name. As with every lease, a leader that does not look goes on while another one leads: what it
// writes to has to check its token (fenced_lock.hpp).
//
// Who is next: one that waits, woken by the resignation, or when the lease of a leader has run out that died. Those of one
// process in the order in which they came; among processes there is no order.
// Wire format: protocol section 8.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/counter_options.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

namespace redlatch {

namespace detail {
struct election_impl;
}

/// Who stands.
struct election_options {
    /// How leader(), `redlatch status` and `redlatch list` name this candidate while it leads, in every process: 1 to 256
    /// bytes, no control characters. It need not be unique. None: the client's config::holder_label.
    std::optional<std::string> candidate{};
    /// How many replicas have to confirm a term before it begins. None: config::replicas.
    std::optional<replica_policy> replicas{};
};

/// Options of one campaign.
struct campaign_options {
    /// How long to wait. None: campaign waits for ever, try_campaign does not wait. Zero: ask once. duration::max(): for ever.
    std::optional<time_span> wait{};

    /// The term ends by itself after this time and is never renewed. None: it is renewed until it is resigned. Must be
    /// positive.
    std::optional<time_span> lease{};

    /// Of a term that is renewed: it ends after this time, as lost. Must be positive; not together with `lease`.
    std::optional<time_span> max_hold{};

    /// Minimum hold: nobody else leads sooner than this after the term began, also where it is resigned before, or its process
    /// dies: acquire_options::hold_at_least. Once it is resigned nobody leads for the rest, not this candidate either, and the
    /// election is not free (leader_info::resigned). Must be positive, and no longer than `lease`.
    std::optional<time_span> hold_at_least{};

    /// Nobody leads for so long after the term is lost: acquire_options::lock_delay.
    std::optional<time_span> lock_delay{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

/// Options of leader_election::run_as_leader.
struct lead_options {
    campaign_options campaign{}; ///< of each campaign
    bool again = false;          ///< after a loss: campaign again
};

/// Why leader_election::run_as_leader has returned.
enum class term_end {
    finished, ///< the work returned while this candidate led, and it has resigned
    lost,     ///< the leadership was lost before the work returned
    stopped,  ///< campaign_options::stop ended a wait, or was requested when a term was lost
};

/// Who leads an election, or led it last, where nobody can yet.
struct leader_info {
    std::string candidate; ///< empty: it did not say, as the holder of a mere lock of that name
    std::string
        owner_id; ///< of this term: no two terms have the same; with the number 0, which none has, if `resigned`
    /// It does not lead any more: it has resigned, and nobody can lead until `remaining_lease` is over, which is the rest of
    /// its minimum hold.
    bool resigned = false;
    /// The greatest token that was given: that of this term, or a greater one that nobody has. None: a holder of a lock without
    /// tokens.
    std::optional<std::uint64_t> token{};
    std::optional<duration> remaining_lease{}; ///< unless it is renewed; none: without expiry
};

/// One term: what a candidate that leads has. Resigned when destroyed. Move-only, not tied to a thread.
///
/// Thread safety: distinct objects: safe. Shared objects: const members are safe, the others not.
/// Object lifetimes: may outlive the election and the client; after client::close() it is lost, and so it is in the child of a
/// fork.
class [[nodiscard]] REDLATCH_EXPORT leadership {
public:
    /// An empty one: no term.
    leadership() noexcept = default;

    /// Still leading. Decided on the spot from the lease clock; no round trip, as the next five.
    explicit operator bool() const noexcept { return static_cast<bool>(hold_); }
    /// See hold_status: held or suspect while it leads.
    hold_status status() const noexcept { return hold_.status(); }
    /// Throws error(lease_lost) unless it still leads.
    void ensure_leading() const;
    /// Stopped when the leadership is lost, before another candidate can lead, on the client's notifier thread; see
    /// hold_view::lost. A std::stop_callback on it is told of the loss. Not stopped by resign().
    std::stop_token lost() const { return hold_.lost(); }
    /// Until when this candidate certainly leads if nothing more is heard from the server.
    lease_clock::time_point valid_until() const noexcept { return hold_.valid_until(); }
    /// The fencing token: greater than that of each earlier term. 0: an empty one.
    std::uint64_t token() const noexcept { return hold_.token().value_or(0); }
    /// leader_info::owner_id of this term.
    std::string owner_id() const { return hold_.owner_id(); }
    /// The name of the election.
    std::string const& election_name() const noexcept { return hold_.lock_name(); }

    /// Ends the term, and wakes a waiting candidate: as hold::release. One round trip.
    /// Throws error: lease_lost (once), outcome_unknown, forked.
    void resign() { hold_.release(); }
    void resign(std::error_code& ec) noexcept { hold_.release(ec); }
    /// Not waited for: a failure goes to the client's listener.
    void resign_detached() noexcept { hold_.release_detached(); }
    void async_resign(executor ex, std::function<void(std::error_code)> handler) {
        hold_.async_release(std::move(ex), std::move(handler));
    }
    [[nodiscard]] std::optional<outcome> start_resign(completion_ptr<>& done) { return hold_.start_release(done); }
    /// The loop that runs its client; null: an empty one, or a client with a thread of its own.
    user_loop const* driven_by() const noexcept { return hold_.driven_by(); }

private:
    friend class leader_election;
    friend struct detail::election_impl;
    explicit leadership(hold term) noexcept : hold_(std::move(term)) {}
    hold hold_;
};

/// One candidate of an election. Cheap to copy; copies are the same candidate, and each call of
/// client::get_leader_election makes another one. It has one term at a time: where it leads already, a campaign ends with
/// errc::would_deadlock, also one that began before.
///
/// Thread safety: distinct objects: safe. Shared objects: safe.
/// Object lifetimes: may outlive the client; every call then fails with errc::closed. One that was moved from refuses every
/// call with errc::invalid_argument.
/// Blocking members must not be called on a thread of the client itself (listener, handlers): errc::wrong_thread.
/// Forms with a handler and with a completion: as of basic_lock; with completion tokens: redlatch/asio.hpp.
class REDLATCH_EXPORT leader_election {
public:
    /// Waits until this candidate leads. One round trip where nobody does; no polling where somebody does.
    /// Throws as basic_lock::acquire: timed_out (busy for a wait of zero), cancelled, disconnected, would_deadlock, and so on.
    /// Whatever it throws, this candidate does not lead.
    leadership campaign(campaign_options const& options = {});
    leadership campaign(campaign_options const& options, std::error_code& ec);
    void async_campaign(campaign_options const& options, executor ex,
                        std::function<void(std::error_code, leadership)> handler);
    [[nodiscard]] std::optional<outcome> start_campaign(campaign_options const& options,
                                                        completion_ptr<leadership>& done);

    /// Asks once, or waits for options.wait. None: another one leads. Throws as campaign, but for busy and timed_out.
    [[nodiscard]] std::optional<leadership> try_campaign(campaign_options const& options = {});
    [[nodiscard]] std::optional<leadership> try_campaign(campaign_options const& options, std::error_code& ec);
    void async_try_campaign(campaign_options const& options, executor ex,
                            std::function<void(std::error_code, std::optional<leadership>)> handler);
    /// busy and timed_out are failures, as of basic_lock::start_try_acquire.
    [[nodiscard]] std::optional<outcome> start_try_campaign(campaign_options const& options,
                                                            completion_ptr<leadership>& done);

    /// Campaigns, calls `work` while this candidate leads, on this thread, and resigns when it returns or throws. After a loss
    /// it campaigns again, if that is asked for. Blocks; `work` has to return when leadership::lost() is stopped, and when it
    /// is to stop. Throws as campaign, but for cancelled; what `work` throws comes out after the resignation.
    /// error(invalid_argument): no `work`.
    ///
    /// As a coroutine: async_run_as_leader of redlatch/asio_work.hpp. A program of handlers does it by three calls, for its
    /// work is handlers too: that of async_campaign keeps the term and begins the work; async_wait_lost of redlatch/asio.hpp,
    /// or a std::stop_callback on leadership::lost(), ends the work with the term; async_resign comes when it has ended.
    term_end run_as_leader(std::function<void(leadership&)> const& work, lead_options const& options = {});

    /// Who leads; none: nobody. One round trip, a script that only reads. Blocks for at most config::timeout.
    /// Throws error: disconnected, server_refused, wrong_type (also a read-write lock of that name), bad_reply, closed, forked,
    /// wrong_thread.
    std::optional<leader_info> leader();
    void async_leader(executor ex, std::function<void(std::error_code, std::optional<leader_info>)> handler);
    [[nodiscard]] std::optional<outcome> start_leader(completion_ptr<std::optional<leader_info>>& done);

    /// Waits until the leader is another one than `last`, and says who; none in either place: nobody. Returns at once where it
    /// is another one already, so a loop that passes on what it got never misses the last state; what begins and ends between
    /// two calls it does not see.
    ///
    /// How late it is: a resignation is published, and seen at once. That somebody begins to lead is not: while nobody leads,
    /// the server is asked once a second. A leader that died, or was removed without a message (DEL, FLUSHALL), is missed when
    /// the lease that was seen last has run out, after config::lock_watchdog_timeout at the latest.
    ///
    /// One round trip for each message, and for each of these times. Throws error: timed_out (busy for a wait of zero),
    /// cancelled, closed, and as leader().
    std::optional<leader_info> wait_for_change(std::optional<leader_info> const& last,
                                               wait_options const& options = {});
    std::optional<leader_info> wait_for_change(std::optional<leader_info> const& last, wait_options const& options,
                                               std::error_code& ec);
    void async_wait_for_change(std::optional<leader_info> const& last, wait_options const& options, executor ex,
                               std::function<void(std::error_code, std::optional<leader_info>)> handler);
    [[nodiscard]] std::optional<outcome> start_wait_for_change(std::optional<leader_info> const& last,
                                                               wait_options const& options,
                                                               completion_ptr<std::optional<leader_info>>& done);

    /// This candidate leads. No round trip.
    bool is_leading() const noexcept;
    /// What others see while it leads; empty: the client has no holder_label.
    std::string const& candidate() const noexcept;
    std::string const& name() const noexcept;
    /// The lock that this candidate holds while it leads, for code that takes any lock; its kind() is "election". What is
    /// acquired through it for another owner is another candidate's of the same name.
    basic_lock lock() const;
    /// The loop that runs its client; null: a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

private:
    friend class client;
    explicit leader_election(std::shared_ptr<detail::election_impl> impl) noexcept;
    detail::election_impl const& impl() const;
    std::shared_ptr<detail::election_impl> impl_;
};

} // namespace redlatch
