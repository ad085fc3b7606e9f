// All the locks of one client: who holds what, who waits, what is renewed, what is still to be released.
//
// Not thread-safe: one mutex of the io layer guards the whole table, so that a state, its renewal and its end change together.
// Nothing here sends anything: batches, releases and notices are taken out and carried out by the io layer.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/lease_keeper.hpp"
#include "locking/lock_record.hpp"
#include "locking/reaper.hpp"
#include "locking/tenure.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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
        local_passing::settings passing{};
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
    enum class hand_on { nobody, at_once, held_back };
    /// How a level ends.
    struct release_plan {
        enum class kind {
            nothing,
            lost,
            partial,
            last,
            passed, ///< within the process: there is nothing to send
        };
        kind what = kind::nothing;
        int count = 0;                  ///< of partial: what to write
        base::milliseconds lease{};     ///< of partial: and for how long at least
        hand_on then = hand_on::nobody; ///< of last
    };
    /// What the head of a local queue finds.
    struct finding {
        enum class kind { free, held_here, granted };
        kind what = kind::free;
        base::instant until = base::never; ///< of held_here: not longer than this
        bool stand_back = false;           ///< of free: it is the turn of other processes
        std::uint64_t own_message = 0;     ///< of stand_back: what is not more than this is not their message
    };

    explicit lock_table(settings const& how);
    ~lock_table();
    lock_table(lock_table const&) = delete;
    lock_table& operator=(lock_table const&) = delete;

    /// One record per name while anybody refers to it.
    record_ptr record(std::string const& name, recipe const& how);

    /// What this owner holds or is acquiring; null: nothing.
    tenure_ptr current(lock_record const& of, std::uint64_t owner_number) const noexcept;
    /// A tenure in this process holds the lock.
    tenure_ptr holder(lock_record const& of, base::instant now) const noexcept;

    tenure_ptr open(record_ptr const& of, std::uint64_t owner_number);
    /// Gives an acquiring tenure a new id; the reaper releases the old one.
    void change_id(tenure_ptr const& which, base::milliseconds lease, base::instant now);
    /// The server said acquired (or wrote the count of a re-entry): a new level. None: the client was closed meanwhile.
    std::optional<level> take(tenure_ptr const& which, level what, base::instant sent_at, base::instant max_hold_until);
    /// What passes, for the owner who has just released it; none: it is not for him.
    std::optional<level> retake(lock_record& of, std::uint64_t owner_number, level what, base::instant now);
    tenure_ptr const& passing(lock_record const& of) const noexcept { return of.passing; }
    /// The waiter looks whether to ask the server. Of free: it will, and until wait_again() can be given nothing.
    finding look(place_ptr const& place, base::instant now, base::wake_list& woken);
    /// It goes on waiting: whatever ends in this process may be for it.
    static void wait_again(queue_place& place) noexcept { place.waits = true; }
    /// What it was given is its own from now on; false: it has been lost meanwhile, and is forgotten.
    bool accept(place_ptr const& place);
    /// It leaves the queue. True: it got the lock before it did; accept() it.
    bool leave(place_ptr const& place, base::instant now, base::wake_list& woken);

    /// An acquisition ends without the lock. `may_hold`: its id may be, or come to be, in the key.
    void give_up(tenure_ptr const& which, bool may_hold, base::milliseconds lease, base::instant now);

    /// The level is gone with this call, whatever becomes of the message. Call with the tenure's turn.
    release_plan plan_release(tenure_ptr const& which, std::uint64_t level_number, base::instant now,
                              base::wake_list& woken);
    /// The server confirmed a partial release.
    void confirmed(tenure_ptr const& which, base::milliseconds lease, base::instant sent_at);
    /// Every planned last release ends with this, after released() or hand_to_reaper().
    void end_release(base::wake_list& woken);
    /// A last release is through. `announced`: or at least its message is known to have been sent.
    void released(tenure_ptr const& which, bool announced, base::instant now);
    /// A last release must be seen through in the background.
    void hand_to_reaper(tenure_ptr const& which, base::instant now);
    /// The server, or a re-entry that came too late, says that it is not held any more. Final. Wakes the
    /// local head, which may have relied on this hold.
    void lose(tenure_ptr const& which, base::instant now, base::wake_list& woken);

    /// The thread that owned it has ended: nobody will give its lost levels back.
    void forget_lost(std::uint64_t owner_number);

    /// Counts.
    hand_on next_hand_on(lock_record& of, base::instant now);

    /// How many last releases are planned and have not ended; may be read without the mutex.
    std::atomic<int> releases_under_way{0};
    /// Who is woken when there is none any more: a client that closes.
    base::waker closer{};

    lease_keeper keeper;
    reaper dead;
    totals counted;

    /// The client closes: what is held is lost, what is being acquired will not be taken, both go to the reaper; whoever
    /// waits in a local queue looks up.
    void end_everything(base::instant now, base::wake_list& woken);

    /// Applies what the keeper found.
    void apply(lease_keeper::effects& found, base::instant now, base::wake_list& woken);
    std::vector<notice> take_notices() { return std::exchange(notices_, {}); }
    bool has_notices() const noexcept { return !notices_.empty(); }
    void note(notice::kind what, tenure_ptr const& who) { notices_.push_back({what, who}); }

    settings const& how() const noexcept { return settings_; }
    base::milliseconds margin_of(base::milliseconds lease) const noexcept {
        return validity_margin(lease, settings_.margin);
    }
    std::uint64_t next_level_number() noexcept { return ++last_level_; }

    /// How often in a row, and for how long, a process may pass a lock on to itself.
    static constexpr int most_handovers = 16;
    static constexpr base::milliseconds longest_handover{5};

private:
    bool pass_on(tenure_ptr const& which, base::instant now, base::wake_list& woken);
    void grant(tenure_ptr from, place_ptr place, base::instant now, base::wake_list& woken);
    void end_passes(lock_record& of, base::instant now) const;
    void stop_passing(lock_record& of, base::instant reap_at, base::instant now);
    void give_turn_back(tenure& which, base::wake_list& woken);
    void end(tenure_ptr const& which, tenure::phase how);
    void assign_id(tenure& which);
    void forget_record_of(tenure_ptr const& which);
    void forget_unseen(tenure_ptr const& which);

    settings settings_;
    std::unordered_map<std::string, std::weak_ptr<lock_record>> records_;
    std::size_t prune_at_ = 64;
    std::uint64_t last_serial_ = 0;
    std::uint64_t last_level_ = 0;
    std::vector<notice> notices_;
};

} // namespace redlatch::locking
