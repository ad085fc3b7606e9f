// Any order of acquisitions, re-entries, releases, cancellations, timers, broken connections, late commands and removed keys,
// for a few owners and two locks, who also wait in the local queue and hand a lock off, with a server model: while a hold
// says that it is valid the key is its own, no two hold at once, what is lost stays lost, no id is used twice, only what may be
// is handed off and not for long, and in the end nothing is left behind.
#include "check.hpp"
#include "decisions.hpp"
#include "lock_lane.hpp"
#include "locking/lock_table.hpp"
#include "locking/recipes/recipes.hpp"
#include "sleeper.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::fuzz {
namespace {

using namespace std::chrono_literals;
using locking::lock_table;
using locking::tenure;
using locking::tenure_ptr;
using plan = lock_table::release_plan::kind;
using script = lock_command::script;

constexpr base::milliseconds watchdog = 30s;
constexpr base::milliseconds window = 50ms;

class few_locks {
public:
    explicit few_locks(decisions from) : next_(from) {
        for (auto const* name : {"a", "b"})
            for (std::uint64_t number = 1; number <= 3; ++number)
                owners_.push_back({table_.records.get(name, locking::reentrant_recipe), number});
    }

    void run() {
        while (next_.more()) {
            step();
            look();
        }
        settle();
    }

private:
    /// One owner on one lock does one thing at a time.
    struct owner_on_a_lock {
        locking::record_ptr record;
        std::uint64_t number;
        enum class doing { nothing, waiting, acquiring, entering_again, leaving_a_level, releasing };
        doing busy_with = doing::nothing;
        tenure_ptr at{};
        locking::waiter_ptr waiter{}; ///< in the local queue
        request_ptr asked{};
        locking::level wanted{};
        std::vector<std::pair<tenure_ptr, std::uint64_t>> holds{}; ///< levels to give back
    };
    using doing = owner_on_a_lock::doing;
    struct lost_hold {
        tenure_ptr who;
        base::instant validity;
    };

    void step() {
        auto& one = owners_[next_.below(owners_.size())];
        if (one.busy_with == doing::waiting && next_.one_in(2)) return look_up(one);
        switch (next_.below(16)) {
        case 0:
        case 1: return one.busy_with == doing::nothing ? acquire(one) : give_up(one);
        case 2:
        case 3: return release(one);
        case 4:
        case 5: return data_.serve(now_);
        case 6:
        case 7: return data_.deliver();
        case 8: return control_.serve(now_);
        case 9: return control_.deliver();
        case 10: now_ += next_.span(); return;
        case 11: now_ = std::max(now_, std::min(timer_at(), now_ + 60s)); return timer();
        case 12: return timer();
        case 13: return lose_connection();
        case 14: return data_.arrive_late(now_, next_);
        default: return next_.one_in(4) ? remove_key(one) : timer();
        }
    }

    // --- acquiring

    void acquire(owner_on_a_lock& one) {
        if (closed_) return;
        if (next_.one_in(2) && retake(one)) return;
        auto held = table_.current(*one.record, one.number);
        if (held && !held->holds(now_)) {
            base::wake_list woken;
            table_.lose(held, now_, woken);
            held.reset();
        }
        bool const renewed = !next_.one_in(3);
        one.wanted = {0, renewed ? watchdog : next_.span_ms() + 1ms, renewed, false};
        if (held) {
            one.at = held;
            one.busy_with = doing::entering_again;
            return ask(one, script::set_count, [this, &one](lock_request const& it) { on_entered(one, it); });
        }
        one.at = table_.open(one.record, one.number);
        new_id(*one.at);
        watched_.push_back(one.at);
        if (next_.one_in(2)) return enter_queue(one);
        one.busy_with = doing::acquiring;
        attempt(one, next_.one_in(2) ? script::plain_acquire : script::acquire);
    }
    void attempt(owner_on_a_lock& one, script how = script::acquire) {
        ask(one, how, [this, &one](lock_request const& it) { on_acquired(one, it); });
    }

    // --- waiting within the process

    void enter_queue(owner_on_a_lock& one) {
        one.busy_with = doing::waiting;
        one.waiter = std::make_shared<locking::waiter>(std::make_shared<sleeper>());
        one.waiter->whose = one.at;
        one.waiter->asked = one.wanted;
        one.waiter->accepts_handoff = one.wanted.renewed;
        if (next_.one_in(4)) one.waiter->max_hold = next_.span_ms() + 1ms;
        one.at->in_operation = true;
        if (one.record->queue.enter(one.waiter))
            look_up(one);
        else
            lock_table::wait_again(*one.waiter);
    }
    void look_up(owner_on_a_lock& one) {
        if (closed_) return give_up(one);
        if (one.waiter->granted) return leave_queue(one), done(one);
        if (!one.waiter->at_head) return;
        base::wake_list woken;
        auto const found = table_.look(one.waiter, now_, woken);
        woken.wake_all();
        switch (found.what) {
        case lock_table::finding::kind::granted:
            check(one.waiter->accepts_handoff, "who wants a fixed lease is given nothing");
            return leave_queue(one), done(one);
        case lock_table::finding::kind::held_here: check(found.until > now_, "whoever holds it here is valid"); return;
        case lock_table::finding::kind::free: break;
        }
        check(!one.waiter->waits, "who may ask the server can be given nothing");
        if (found.must_yield && !next_.one_in(4)) return lock_table::wait_again(*one.waiter);
        one.busy_with = doing::acquiring;
        attempt(one);
    }
    /// True: it had been given the lock.
    bool leave_queue(owner_on_a_lock& one) {
        if (!one.waiter) return false;
        base::wake_list woken;
        bool const has_it = table_.leave(one.waiter, now_, woken);
        woken.wake_all();
        if (has_it && one.at->in(tenure::phase::held)) {
            check(static_cast<sleeper&>(*one.waiter->waker).woken > 0, "who is given the lock is told");
            one.holds.emplace_back(one.at, one.waiter->level_number);
        }
        one.waiter.reset();
        one.at->in_operation = false;
        return has_it;
    }
    bool retake(owner_on_a_lock& one) {
        auto const which = table_.in_handoff(*one.record);
        bool const renewed = !next_.one_in(4);
        auto const again = table_.retake(*one.record, one.number, {0, watchdog, renewed, false}, now_);
        if (!again) return false;
        check(which && renewed && which->owner_number == one.number && which->holds(now_),
              "only its former holder takes a lock that is being handed off, as what it was");
        one.holds.emplace_back(which, again->number);
        return true;
    }
    void new_id(tenure const& which) { check(ids_.insert(which.owner_id().str()).second, "no id is used twice"); }

    void ask(owner_on_a_lock& one, script what, std::function<void(lock_request const&)> then) {
        one.asked = std::make_shared<lock_request>();
        one.asked->commands.push_back({what, one.record->name, one.at->owner_id().str(), one.wanted.lease});
        one.asked->then = std::move(then);
        data_.send(one.asked, now_);
    }

    bool take(owner_on_a_lock& one, lock_request const& it) {
        auto const max_hold = one.wanted.renewed && next_.one_in(4) ? it.sent_at + next_.span() + 1ms : base::never;
        auto const taken = table_.take(one.at, one.wanted, it.sent_at, max_hold);
        check(taken.has_value() == one.at->in(tenure::phase::held),
              "a level is taken where the tenure is open, and only there");
        if (taken) one.holds.emplace_back(one.at, taken->number);
        return taken.has_value();
    }

    void on_acquired(owner_on_a_lock& one, lock_request const& it) {
        if (it.late_copy_possible) one.at->late_copy_possible = true;
        bool const has_it = it.answer() == lock_server::acquired;
        auto const lease = one.wanted.lease;
        if (has_it && now_ < it.sent_at + lease - table_.margin_of(lease)) {
            bool const taken = take(one, it);
            check(!leave_queue(one), "who asked the server was given nothing here");
            if (!taken) table_.give_up(one.at, true, lease, now_);
            return done(one);
        }
        if (it.answer() == lock_server::key_exists && !closed_) return attempt(one);
        if (closed_ || next_.one_in(2)) {
            check(!leave_queue(one), "who asked the server was given nothing here");
            table_.give_up(one.at, has_it, lease, now_);
            return done(one);
        }
        if (has_it) { // too late to be valid
            table_.change_id(one.at, lease, now_);
            new_id(*one.at);
        }
        if (!one.waiter) return attempt(one);
        one.busy_with = doing::waiting;
        one.asked.reset();
        one.waiter->accepts_handoff = one.waiter->accepts_handoff && !one.at->late_copy_possible;
        lock_table::wait_again(*one.waiter);
    }
    void on_entered(owner_on_a_lock& one, lock_request const& it) {
        auto const lease = one.wanted.lease;
        bool const valid = now_ < it.sent_at + lease - table_.margin_of(lease) || now_ < one.at->validity();
        if (it.answer() == 1 && valid)
            take(one, it);
        else
            lose(one.at);
        done(one);
    }

    void lose(tenure_ptr const& which) {
        base::wake_list woken;
        table_.lose(which, now_, woken);
    }
    static void done(owner_on_a_lock& one) {
        one.busy_with = doing::nothing;
        one.asked.reset();
        one.at.reset();
    }

    /// The caller does not wait any longer, whatever it waits for.
    void give_up(owner_on_a_lock& one) {
        if (one.busy_with == doing::waiting) {
            if (!leave_queue(one)) table_.give_up(one.at, false, one.wanted.lease, now_);
            return done(one);
        }
        one.asked->abandoned = true;
        if (one.asked->late_copy_possible) one.at->late_copy_possible = true;
        switch (one.busy_with) {
        case doing::nothing:
        case doing::waiting: break;
        case doing::acquiring:
            check(!leave_queue(one), "who asked the server was given nothing here");
            table_.give_up(one.at, true, one.wanted.lease, now_);
            break;
        case doing::entering_again:
        case doing::leaving_a_level:
            one.asked->late = [this, which = one.at](lock_request const& it) {
                if (it.answer() == 0) lose(which);
            };
            break;
        case doing::releasing:
            table_.hand_to_reaper(one.at, now_);
            end_release();
            break;
        }
        done(one);
    }

    // --- releasing

    void release(owner_on_a_lock& one) {
        if (one.busy_with != doing::nothing || one.holds.empty()) return;
        auto const at = one.holds.begin() + static_cast<std::ptrdiff_t>(next_.below(one.holds.size()));
        auto const [which, level] = *at;
        one.holds.erase(at);
        auto const levels = which->levels.size();
        bool const held = which->holds(now_);
        bool const may_hand_off = may_pass(*which);
        auto const serial = which->serial;
        base::wake_list woken;
        auto const how = table_.plan_release(which, level, now_, woken);
        woken.wake_all();
        check(which->levels.size() + 1 == levels, "the level is gone with the plan");
        if (how.what == plan::handed_off) {
            auto const began = passed_since_.emplace(serial, now_).first->second;
            check(may_hand_off, "only what may be is handed off");
            return check(now_ - began < window, "and not for longer than the window");
        }
        check(how.what == (!held ? plan::lost : levels > 1 ? plan::partial : plan::last), "a level ends as it must");
        if (how.what == plan::lost) return;
        one.at = which;
        one.wanted.lease = how.lease;
        if (how.what == plan::partial) {
            check(static_cast<std::size_t>(how.count) == which->levels.size(), "what stays is what is written");
            one.busy_with = doing::leaving_a_level;
            return ask(one, script::set_count, [this, &one](lock_request const& it) {
                if (it.answer() == 1)
                    table_.confirmed(one.at, it.commands.front().lease, it.sent_at);
                else
                    lose(one.at);
                done(one);
            });
        }
        ++releases_;
        one.busy_with = doing::releasing;
        ask(one, script::release, [this, &one](lock_request const& it) {
            if (it.late_copy_possible) one.at->late_copy_possible = true;
            if (it.answer() == 1 || (it.repeated && now_ < one.at->validity())) {
                // Where it was cut short, whether its message was sent is not known.
                table_.released(one.at, !it.repeated || next_.one_in(2), now_);
                one.record->contend()->turn.on_released(next_.one_in(2), {}, now_);
            } else {
                ++table_.counted.lost; // as the release operation does
                ++told_;
                table_.hand_to_reaper(one.at, now_);
            }
            end_release();
            done(one);
        });
    }
    bool may_pass(tenure const& which) const {
        auto const& head = which.record->queue.head();
        auto const& ends = which.levels[0];
        return which.levels.size() == 1 && ends.renewed && ends.max_hold_until == base::never && head && head->waits
               && head->accepts_handoff && !head->whose->late_copy_possible && head->whose->in(tenure::phase::acquiring)
               && !which.suspect && !which.renewal_in_flight && now_ < which.next_renewal && which.holds(now_);
    }
    void end_release() {
        base::wake_list woken;
        table_.end_release(woken);
        --releases_;
    }

    // --- the background

    base::instant timer_at() const { return std::min(table_.keeper.next(), table_.dead.next()); }

    void timer() {
        locking::lease_keeper::effects found;
        table_.keeper.on_timer(now_, found);
        apply(found);
        for (auto const& job : table_.dead.on_timer(now_)) reap(job);
    }
    void apply(locking::lease_keeper::effects& found) {
        base::wake_list woken;
        table_.apply(found, now_, woken);
        for (auto const& batch : found.renew) renew(batch);
    }
    void renew(locking::lease_keeper::batch const& which) {
        auto const lease = table_.keeper.lease_of(which);
        auto it = std::make_shared<lock_request>();
        for (auto const& one : which)
            it->commands.push_back({script::renew, one->record->name, one->owner_id().str(), lease});
        it->then = [this, which, lease](lock_request const& answered) {
            if (next_.one_in(8)) return table_.keeper.on_failure(which, now_); // an error in place of the answer
            std::vector<std::int64_t> lost;
            for (std::size_t i = 0; i < which.size(); ++i)
                if (answered.answers[i] == 0) lost.push_back(static_cast<std::int64_t>(i) + 1);
            locking::lease_keeper::effects found;
            table_.keeper.on_answer(which, lost, lease, answered.sent_at, found);
            apply(found);
        };
        control_.send(it, now_);
    }
    void reap(locking::reaper::job const& job) {
        check(ids_.contains(job.owner_id), "it releases ids of ours");
        for (auto const& one : watched_)
            check(one->owner_id().view() != job.owner_id
                      || (!one->in(tenure::phase::acquiring) && !one->in(tenure::phase::handing_off)
                          && !one->holds(now_)),
                  "it releases nothing that is held, handed off, or may come to be");
        auto it = std::make_shared<lock_request>();
        it->commands.push_back({script::release, job.record->name, job.owner_id});
        if (job.announce) it->commands.clear(); // a message changes no key
        it->then = [this, number = job.number](lock_request const& answered) {
            if (next_.one_in(8))
                table_.dead.on_failure(number, answered.late_copy_possible, now_);
            else
                table_.dead.on_answer(number, answered.late_copy_possible, now_);
        };
        data_.send(it, now_);
    }

    void lose_connection() {
        for (auto const& job : table_.dead.on_timer(now_))
            reap(job); // what is due is sent before another connection comes
        bool const kill_succeeds = !next_.one_in(2);
        if (next_.one_in(2)) return data_.lose(now_, kill_succeeds, next_);
        control_.lose(now_, kill_succeeds, next_);
        locking::lease_keeper::effects found;
        table_.keeper.verify_all(now_, found);
        apply(found);
    }
    void remove_key(owner_on_a_lock const& one) {
        server_.del(one.record->name);
        for (auto const& which : watched_)
            if (which->record == one.record) robbed_.insert(which->serial); // it may not know it yet
    }

    // --- looking

    void look() {
        for (auto const& one : table_.take_notices()) {
            if (one.what != lock_table::notice::kind::lost) continue;
            ++told_;
            check(lost_.emplace(one.who->serial, lost_hold{one.who, one.who->validity()}).second,
                  "a loss is told once");
        }
        check(table_.counted.lost == told_, "what is lost is told");
        check(table_.releases_under_way.load() == releases_, "releases under way are counted");
        for (auto const& [serial, one] : lost_)
            check(one.who->in(tenure::phase::lost) && one.who->validity() == one.validity, "what is lost stays lost");

        for (auto const& one : owners_) {
            auto const& handed_off = table_.in_handoff(*one.record);
            if (!handed_off) continue;
            check(handed_off->in(tenure::phase::handing_off) && handed_off->timer_index != tenure::npos,
                  "what is being handed off is renewed");
            auto const& head = one.record->queue.head();
            check((head && head->waits && head->accepts_handoff) || now_ >= handed_off->validity(),
                  "and somebody is there to take it, or its time is over");
        }
        std::map<locking::lock_record const*, int> holders;
        for (auto const& one : watched_) {
            bool const is_handed_off = one->in(tenure::phase::handing_off) && now_ < one->validity();
            if ((!one->holds(now_) && !is_handed_off) || robbed_.contains(one->serial)) continue;
            check(++holders[one->record.get()] == 1, "no two hold at once");
            check(server_.holds(one->record->name, one->owner_id().str(), now_),
                  "while a hold says that it is valid the key is its own");
        }
        std::erase_if(watched_,
                      [](auto const& one) { return one->in(tenure::phase::ended) || one->in(tenure::phase::lost); });
    }

    /// Callers finish or give up, the server answers, late bytes come or do not: nothing is left.
    void settle() {
        closed_ = next_.one_in(2);
        if (closed_) {
            base::wake_list woken;
            table_.end_everything(now_, woken);
            look();
        }
        for (auto& one : owners_)
            if (one.busy_with != doing::nothing) give_up(one);
        for (auto& one : owners_)
            while (!one.holds.empty()) {
                release(one);
                drain();
            }
        for (int round = 0; table_.dead.size() > 0 || !data_.idle() || !control_.idle(); ++round) {
            check(round < 100'000, "the work in the background is bounded");
            drain();
            if (timer_at() != base::never) now_ = std::max(now_, timer_at());
            timer();
            look();
        }
        check(table_.keeper.size() == 0, "nothing is renewed that nobody holds");
        check(server_.empty(now_), "no key is left behind");
        for (auto const& one : owners_) check(one.record->tenures.empty(), "no tenure is left behind");
    }
    void drain() {
        while (!data_.idle() || !control_.idle()) {
            data_.serve(now_);
            data_.deliver();
            control_.serve(now_);
            control_.deliver();
            look();
        }
    }

    decisions next_;
    lock_table table_{{"client", watchdog, 0ms, 3, 1, {!next_.one_in(8), window, next_.one_in(2)}}};
    lock_server server_;
    lock_lane data_{server_};
    lock_lane control_{server_};
    base::instant now_ = beginning;
    bool closed_ = false;
    std::vector<owner_on_a_lock> owners_;
    std::set<std::string> ids_;
    std::vector<tenure_ptr> watched_;                     ///< until they end
    std::map<std::uint64_t, base::instant> passed_since_; ///< by serial, which goes from one holder to the next
    std::map<std::uint64_t, lost_hold> lost_;
    std::set<std::uint64_t> robbed_; ///< somebody removed the key while they had it, or were about to
    std::uint64_t told_ = 0;
    int releases_ = 0;
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::few_locks(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
