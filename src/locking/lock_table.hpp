// All the locks of one client: who holds what, who waits, what is renewed, what is still to be released.
//
// Not thread-safe: one mutex of the io layer guards the whole table, so that a state, its renewal and its end change together.
// Nothing here sends anything: batches, releases and notices are taken out and carried out by the io layer.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/lease_keeper.hpp"
#include "locking/lock_record.hpp"
#include "locking/part_owners.hpp"
#include "locking/reaper.hpp"
#include "locking/record_index.hpp"
#include "locking/tenure.hpp"
#include "locking/thread_tenures.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::locking {

class lock_table {
public:
    struct settings {
        std::string client_id;
        base::milliseconds watchdog{30'000};
        base::milliseconds margin{0};
        std::size_t renewal_batch = 100;
        std::uint64_t seed = 0;
        local_handoff::settings handoff{};
        base::milliseconds watch_from{0}; ///< lease_keeper::settings
        base::milliseconds waiter_timeout{300'000};
        bool by_slot = false;       ///< of a cluster: what one call names has to have one slot
        bool may_fail_over = false; ///< to a server that has not heard of all that was acknowledged
    };
    /// Something to tell the user.
    struct notice {
        enum class kind { suspect, recovered, lost, release_failed, thread_exited };
        kind what;
        tenure_ptr who;
    };
    struct totals {
        std::uint64_t acquired = 0;
        std::uint64_t released = 0;
        std::uint64_t lost = 0;
    };
    /// What to do for the next local waiter when a hold of this process ends on the server.
    enum class head_wake { nobody, at_once, yielding };
    /// How a level ends.
    struct release_plan {
        enum class kind {
            nothing,
            lost,
            partial,
            last,
            handed_off, ///< within the process: there is nothing to send
        };
        kind what = kind::nothing;
        int count = 0;                      ///< of partial: what to write
        base::milliseconds lease{};         ///< of partial: and for how long at least
        head_wake then = head_wake::nobody; ///< of last
    };
    /// What an owner finds who begins to acquire.
    struct beginning {
        enum class kind {
            fresh,      ///< has nothing of this lock: a new tenure
            reentry,    ///< holds it
            retaken,    ///< has just released it, and has it again: nothing is to be sent
            owner_busy, ///< another operation of the owner runs, and wakes its operation_waiters in the end
            not_again,  ///< holds it, and the lock is not re-entrant
            upgrade,    ///< holds the shared half of it, and would wait for itself
            overlap,    ///< holds another lock that has a part in common with it, and would wait for itself
        };
        kind what;
        tenure_ptr tenure{};
        std::uint64_t level_number = 0; ///< of retaken
        bool known_busy = false;        ///< of fresh: held by somebody else, or other processes want it too
    };
    /// What the head of a local queue finds.
    struct finding {
        enum class kind { free, held_here, granted };
        kind what = kind::free;
        base::instant until = base::never; ///< of held_here: not longer than this
        bool must_yield = false;           ///< of free: it is the turn of other processes
        bool told_to_yield = false;   ///< of must_yield: by a release of this process, before anything was looked at
        channel_sample own_release{}; ///< of must_yield: what is not more than this is not their message
    };

    explicit lock_table(settings const& config);
    ~lock_table();
    lock_table(lock_table const&) = delete;
    lock_table& operator=(lock_table const&) = delete;

    /// What this owner holds or is acquiring; null: nothing.
    tenure_ptr current(lock_record const& record, std::uint64_t owner_number) const noexcept;
    /// A tenure in this process holds the lock.
    tenure_ptr holder(lock_record const& record, base::instant now) const noexcept;
    /// All that do, and the one whose lock is being handed off: of a lock that is shared, or whose holder has not been told yet
    /// that another one got it.
    std::vector<tenure_ptr> holders(lock_record const& record, base::instant now) const;

    /// Begins an operation of the owner, where none runs. `asked`: what it will hold. `owner_suffix`: what stands behind its
    /// id; empty: what the recipe says.
    beginning begin(record_ptr const& record, std::uint64_t owner_number, level const& asked, base::instant now,
                    base::wake_list& woken, std::string_view owner_suffix = {});
    tenure_ptr open(record_ptr const& record, std::uint64_t owner_number, std::string_view owner_suffix = {});
    /// Null: it has none, or nobody refers to it.
    record_ptr other_half(lock_record const& record) const;
    /// What is held of the other half of a lock that has two, by this owner; null: nothing.
    tenure_ptr counterpart(lock_record const& record, std::uint64_t owner_number, base::instant now) const;
    /// A copy of its acquire may still run late: an id that is given up with it is swept for longer.
    static void expect_late_copy(tenure& tenure) noexcept { tenure.late_copy_possible = true; }
    /// Gives an acquiring tenure a new id; the reaper releases the old one.
    void change_id(tenure_ptr const& tenure, base::milliseconds lease, base::instant now);
    /// The server said acquired (or wrote the count of a re-entry): a new level. None: the client was closed meanwhile.
    /// `token`: what came with it; 0: none. A tenure that has one keeps it.
    std::optional<level> take(tenure_ptr const& tenure, level level, base::instant sent_at,
                              base::instant max_hold_until, std::uint64_t token = 0);
    /// The server gave it to this one, by a call that was sent then: others of this process who have held it for longer have it
    /// no more, unless they share it. Of the other half of a lock that has two, the owner itself may have the exclusive one.
    void lose_others(tenure_ptr const& taken, base::instant sent_at, base::instant now, base::wake_list& woken);
    /// It was ended by force, by a call that was made at `until`: its holds from before, and those of its other half.
    void lose_all(lock_record const& record, base::instant until, base::instant now, base::wake_list& woken);
    /// From now on this level is kept until then, whenever it is released; instant::min(): it has no minimum hold. It is no
    /// longer provisional.
    static void set_minimum_hold(tenure& tenure, std::uint64_t level_number, base::instant until,
                                 base::instant now) noexcept;
    /// Who asked for this level has it: it is no longer provisional.
    static void confirm(tenure& tenure, std::uint64_t level_number) noexcept;
    /// What is handed off, for the owner who has just released it; none: it is not for him.
    std::optional<level> retake(lock_record& record, std::uint64_t owner_number, level level, base::instant now);
    static tenure_ptr in_handoff(lock_record const& record) noexcept {
        return record.contended ? record.contended->in_handoff : nullptr;
    }
    /// The waiter looks whether to ask the server. Of free: it will, and until wait_again() can be given nothing.
    finding look(waiter_ptr const& waiter, base::instant now, base::wake_list& woken);
    /// It goes on waiting: whatever ends in this process may be for it.
    static void wait_again(waiter& waiter) noexcept { waiter.waits = true; }
    /// It may have a call under way from now on, with the id that it has.
    static void wait_no_more(waiter& waiter, base::instant now) noexcept {
        waiter.waits = false;
        waiter.refused.store(false, std::memory_order_relaxed);
        waiter.asks_since = now;
    }
    /// What it was given is its own from now on; false: it has been lost meanwhile, and is forgotten.
    bool accept(waiter_ptr const& waiter);
    /// It leaves the queue. True: it got the lock before it did; accept() it.
    bool leave(waiter_ptr const& waiter, base::instant now, base::wake_list& woken);

    /// An acquisition ends without the lock. `may_hold`: its id may be, or come to be, in the key.
    void give_up(tenure_ptr const& tenure, bool may_hold, base::milliseconds lease, base::instant now);

    /// Whether another operation of the owner is still under way, for which the release no longer waits.
    enum class beside_others : bool { no, yes };
    /// The level is gone with this call, whatever becomes of the message. Call within an operation of its owner, or beside it.
    release_plan plan_release(tenure_ptr const& tenure, std::uint64_t level_number, base::instant now,
                              base::wake_list& woken, beside_others beside = beside_others::no);
    /// The server confirmed a partial release.
    void confirmed(tenure_ptr const& tenure, base::milliseconds lease, base::instant sent_at);
    /// Every planned last release ends with this, after released() or hand_to_reaper().
    void end_release(base::wake_list& woken);
    /// A last release is through. `announced`: or at least its message is known to have been sent.
    void released(tenure_ptr const& tenure, bool announced, base::instant now);
    /// A last release must be seen through in the background.
    void hand_to_reaper(tenure_ptr const& tenure, base::instant now);
    /// Its holder cannot give the level back as others do: an exception ended its operation. The last one is released in the
    /// background. Nothing happens for a level that is gone already.
    void abandon(tenure_ptr const& tenure, std::uint64_t level_number, base::instant now, base::wake_list& woken);
    /// The server, or a re-entry that came too late, says that it is not held any more. Final. Wakes the
    /// local head, which may have relied on this hold.
    void lose(tenure_ptr const& tenure, base::instant now, base::wake_list& woken);

    /// A thread has ended: what it holds stays, and the user is told; nobody will give its lost levels back.
    void thread_ended(std::uint64_t owner_number);

    /// Counts.
    head_wake next_head_wake(lock_record& record, base::instant now);

    /// How many last releases are planned and have not ended; may be read without the mutex.
    std::atomic<int> releases_under_way{0};
    /// Who is woken when there is none any more: a client that closes.
    base::waker closer{};

    lease_keeper keeper;
    reaper dead;
    record_index records;
    thread_tenures threads{};
    part_owners parts{};
    totals counted;

    /// The client closes: what is held is lost, what is being acquired will not be taken, both go to the reaper; whoever
    /// waits in a local queue looks up.
    void end_everything(base::instant now, base::wake_list& woken);

    /// Applies what the keeper found.
    void apply(lease_keeper::effects& found, base::instant now, base::wake_list& woken);
    /// A hold whose channel was listened to has ended since the last call.
    bool take_watch_ended() noexcept { return std::exchange(watch_ended_, false); }
    /// This process holds it, and is to listen to its channel.
    static bool is_watched(lock_record const& record) noexcept;
    std::vector<notice> take_notices() { return std::exchange(notices_, {}); }
    bool has_notices() const noexcept { return !notices_.empty(); }
    void note(notice::kind kind, tenure_ptr const& tenure) { notices_.push_back({kind, tenure}); }

    settings const& how() const noexcept { return settings_; }
    base::milliseconds margin_of(base::milliseconds lease) const noexcept {
        return validity_margin(lease, settings_.margin);
    }
    std::uint64_t next_level_number() noexcept { return ++last_level_; }

private:
    bool hand_off(tenure_ptr const& tenure, base::instant now, base::wake_list& woken);
    void grant(tenure_ptr from, waiter_ptr waiter, base::instant now, base::wake_list& woken);
    void end_handoffs(lock_record& record, base::instant now) const;
    void stop_handoff(lock_record& record, base::instant reap_at, base::instant now);
    void end(tenure_ptr const& tenure, tenure::phase phase);
    std::uint64_t next_serial() noexcept { return ++last_serial_; }
    static reaper::dead_id dead_id_of(tenure const& tenure);
    void forget_record_of(tenure& tenure) noexcept;
    void forget_unseen(tenure_ptr const& tenure);

    settings settings_;
    std::uint64_t last_serial_ = 0;
    std::uint64_t last_level_ = 0;
    std::vector<notice> notices_;
    bool watch_ended_ = false;
};

} // namespace redlatch::locking
