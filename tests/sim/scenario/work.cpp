#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace redlatch::sim {

answer answer_of(std::error_code ec) {
    if (!ec) return answer::done;
    auto const is = [&](errc one) { return ec == make_error_code(one); };
    if (is(errc::busy)) return answer::busy;
    if (is(errc::timed_out)) return answer::timed_out;
    if (is(errc::cancelled)) return answer::cancelled;
    if (is(errc::lease_lost)) return answer::lost;
    if (is(errc::outcome_unknown)) return answer::outcome_unknown;
    if (is(errc::disconnected)) return answer::disconnected;
    if (is(errc::server_refused)) return answer::refused;
    if (is(errc::not_replicated)) return answer::not_replicated;
    return is(errc::closed) ? answer::closed : answer::other;
}

namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

basic_lock lock_of(client& user, lock_kind of, std::string const& name, bool reads, lock_options const& how) {
    switch (of) {
    case lock_kind::non_reentrant: return user.get_non_reentrant_lock(name, how);
    case lock_kind::spin: return user.get_spin_lock(name, {}, how);
    case lock_kind::fenced: return user.get_fenced_lock(name, how);
    case lock_kind::fair: return user.get_fair_lock(name, how);
    case lock_kind::non_reentrant_fair: return user.get_non_reentrant_fair_lock(name, how);
    case lock_kind::read_write: {
        auto const both = user.get_read_write_lock(name, how);
        return reads ? both.read_lock() : both.write_lock();
    }
    case lock_kind::semaphore:
    case lock_kind::permit_semaphore:
    case lock_kind::latch:
    case lock_kind::election:
    case lock_kind::multi:
    case lock_kind::faster_multi:
    case lock_kind::red:
    case lock_kind::reentrant: break;
    }
    return user.get_lock(name, how);
}

/// What one worker does with one job.
class doing {
public:
    doing(stage& in, int number, int process_number, job const& what, owner const& who = owner())
        : in_(in), number_(number), process_(process_number), what_(what), me_(in.actors[at()]), owner_(who) {}

    void run() {
        if (what_.pause + what_.pause_us > 0)
            in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over()) return;
        auto lock = half(reads());
        auto outer = enter(lock);
        if (!outer) return;
        auto const heard = believe(*outer, options());
        std::vector<hold> inner;
        for (int i = 1; i < what_.entries && !over(); ++i)
            if (auto one = enter_again(lock)) inner.push_back(std::move(*one));
        std::optional<hold> reading;
        if (writes() && what_.hold % 2 != 0) in_.universe.rest_for(std::chrono::milliseconds(what_.hold / 2));
        if (what_.entries > 1 && writes() && !over()) reading = read_beside(*outer);
        auto const heard_beside = reading ? believe(*reading, options()) : nullptr;
        stay();
        while (!inner.empty()) {
            std::error_code ignored;
            call(ignored, [&] { inner.back().release(ignored); });
            inner.pop_back();
        }
        leave(std::move(*outer), heard);
        if (!reading) return;
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold / 2));
        leave(std::move(*reading), heard_beside);
    }

private:
    bool reads() const { return in_.plan.locks_are == lock_kind::read_write && (what_.hold + what_.pause) % 3 != 0; }
    bool writes() const { return in_.plan.locks_are == lock_kind::read_write && !reads(); }
    basic_lock half(bool that_reads) const {
        return lock_of(me_.user(), in_.plan.locks_are, in_.lock_name(what_.lock), that_reads, {what_.confirmed});
    }

    template <class Call> bool call(std::error_code& ec, Call const& what) {
        return call_under_shortage(in_, me_, ec, what);
    }

    /// Half-way its thread may end, and another one goes on.
    void stay() {
        moment const all = std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us);
        if (!what_.thread_ends) return in_.universe.rest_for(all);
        in_.universe.rest_for(all / 2);
        fiber::current()->end_thread();
        in_.universe.rest_for(all - all / 2);
    }

    /// That this one believes in a hold, and hears of its loss.
    struct hearing {
        std::list<believed_hold>::iterator entry{};
        std::optional<std::stop_callback<std::function<void()>>> on_loss{};
    };

    std::size_t at() const { return static_cast<std::size_t>(process_); }
    std::optional<hold> read_beside(hold const& writing) {
        auto const known = [&] {
            return writing.status() == hold_status::held && in_.has_in_key(what_.lock, writing.owner_id());
        };
        bool const before = known();
        std::error_code ec;
        auto got = confirmed([&] {
            std::optional<hold> one;
            call(ec, [&] { one = half(true).try_acquire(options(), ec); });
            return one;
        });
        if (ec == errc::busy && !what_.confirmed && before && known()) // else replicas were too few
            in_.write({.what = kind::unfinished, .text = "an owner that writes was not let in to read"});
        return got;
    }

    bool over() const { return me_.who->retired; }
    fact about(kind what) const { return {.what = what, .process = process_, .worker = number_, .lock = what_.lock}; }

    acquire_options options() const {
        acquire_options made;
        made.owner = owner_;
        if (what_.lease) made.lease = duration(*what_.lease);
        if (what_.max_hold) made.max_hold = duration(*what_.max_hold);
        if (what_.hold_at_least) made.hold_at_least = duration(*what_.hold_at_least);
        return made;
    }

    hold take(basic_lock& lock, acquire_options const& how, std::error_code& ec) {
        if (what_.asks == job::how::asynchronous) return take_later(lock, how, ec);
        hold got;
        call(ec, [&] {
            if (what_.asks != job::how::once && what_.asks != job::how::timed)
                got = lock.acquire(how, ec);
            else if (auto one = lock.try_acquire(how, ec))
                got = std::move(*one);
        });
        return got;
    }

    /// By the callback form; the worker sleeps until the handler has run.
    hold take_later(basic_lock& lock, acquire_options const& how, std::error_code& ec) {
        struct answer {
            bool given = false;
            std::error_code ec;
            hold got;
        };
        auto const box = std::make_shared<answer>();
        auto* const parker = &fiber::current()->its_parker();
        bool const began = call(ec, [&] {
            lock.async_acquire(how, {}, [box, parker](std::error_code why, hold got) {
                box->given = true;
                box->ec = why;
                box->got = std::move(got);
                if (auto* const who = fiber::of(parker)) world::the().wake(*who);
            });
        });
        if (!began) return {};
        while (!box->given) in_.universe.rest_until(never);
        ec = box->ec;
        return std::move(box->got);
    }

    std::optional<hold> enter(basic_lock& lock) {
        auto how = options();
        auto asked = about(kind::asked);
        asked.confirming = time_for_replicas();
        auto const now = in_.universe.now();
        std::stop_source stop;
        switch (what_.asks) {
        case job::how::timed:
            how.wait = duration(what_.wait);
            asked.until = now + std::chrono::milliseconds(what_.wait) + time_for_replicas();
            break;
        case job::how::once:
            asked.until = now + std::chrono::milliseconds(in_.plan.timeout) + time_for_replicas();
            break;
        case job::how::cancelled:
            how.stop = stop.get_token();
            asked.until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(asked.until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        asked.shared = reads();
        asked.yes = what_.confirmed.has_value();
        // Another one may have it before replicas have confirmed this one's.
        asked.most = what_.confirmed ? never : queued_by(me_, what_.asks, now);
        in_.write(std::move(asked));
        std::error_code ec;
        auto const began = in_.universe.now();
        auto got = confirmed([&] { return take(lock, how, ec); });
        tell_of_replicas(got, ec);
        if (ec || got.status() == hold_status::none) {
            auto failed = about(kind::not_acquired);
            failed.text = ec.message();
            failed.said = ec ? answer_of(ec) : answer::other;
            if (failed.said == answer::lost && lease_ends_first()) failed.said = answer::untold;
            failed.until = in_.unreachable_for(me_);
            // Its process may have had the lock, and waited for replicas.
            if (in_.had_unconfirmed(process_, what_.lock, began)) failed.until = never;
            in_.see_keys();
            if (!over()) in_.write(std::move(failed));
            return std::nullopt;
        }
        return got;
    }

    /// An acquisition that is in the key before it is known that it has succeeded.
    template <class Acquire> std::invoke_result_t<Acquire> confirmed(Acquire acquire) {
        if (!what_.confirmed) return acquire();
        in_.taking_all[number_] = {process_, std::int64_t{1} << what_.lock};
        auto got = acquire();
        in_.taking_all.erase(number_);
        in_.unconfirmed_until[{process_, what_.lock}] = in_.universe.now();
        return got;
    }

    moment time_for_replicas() const { return what_.confirmed ? what_.confirmed->time : moment(0); }
    /// Replicas may be waited for as long as its lease, or longer.
    bool lease_ends_first() const {
        if (!what_.confirmed) return false;
        auto const lease = std::min(what_.lease.value_or(INT64_MAX), what_.max_hold.value_or(INT64_MAX));
        return lease <= 2 * what_.confirmed->time.count();
    }

    void tell_of_replicas(hold const& got, std::error_code const& ec) {
        if (!what_.confirmed || over()) return;
        auto const& policy = *what_.confirmed;
        bool const all = policy.replicas == replica_policy::all_connected;
        auto said = about(ec ? kind::too_few : kind::confirmed);
        if (ec) {
            if (ec != errc::not_replicated) return;
            said.taken = in_.replicas->connected();
            said.least = policy.required > 0 ? policy.required : policy.replicas;
            if (all || policy.time < duration(500)) return; // it may not be known in time
            return in_.write(std::move(said));
        }
        auto const number = got.confirmed_by();
        if (!number || got.status() == hold_status::none) return;
        said.owner = got.owner_id();
        said.amount = *number;
        said.taken =
            in_.replicas->that_had(in_.key_of(what_.lock), said.owner, in_.in_key_since(what_.lock, said.owner));
        bool const can_ask = policy.needs_wait || !in_.plan.wait_refused;
        if (policy.shortage != replica_shortage::accept && can_ask && !all)
            said.least = policy.required > 0 ? policy.required : policy.replicas;
        in_.write(std::move(said));
    }

    std::shared_ptr<hearing> believe(hold const& got, acquire_options const& how) {
        auto made = std::make_shared<hearing>();
        if (over()) return made;
        if (got) in_.tell_beliefs(what_.lock, number_, got.owner_id()); // else lost before it was seen: by close()
        auto mine = about(kind::acquired);
        mine.owner = got.owner_id();
        mine.shared = in_.plan.locks_are == lock_kind::read_write && !mine.owner.ends_with(":write");
        mine.believed = belief_of(got);
        auto const now = in_.universe.now();
        mine.yes = !how.lease && !how.max_hold && !what_.inner_lease;
        if (in_.plan.locks_are == lock_kind::fenced) mine.token = got.token().value_or(0);
        if (how.hold_at_least) mine.kept = in_.kept_until(in_.in_key_since(what_.lock, mine.owner), *how.hold_at_least);
        if (how.hold_at_least
            && in_.plan.locks_are != lock_kind::read_write) // those of readers end with the last of them
            mine.kept_most = now + *how.hold_at_least;
        if (how.max_hold && !how.lease) mine.most = now + std::chrono::milliseconds(*what_.max_hold);
        mine.until = now + (got.valid_until() - me_.who->clock(now));
        in_.write(mine);
        ++in_.acquired;
        made->entry = in_.holds.insert(in_.holds.end(), {process_, number_, what_.lock, mine.owner,
                                                         [view = hold_view(got)] { return view.status(); },
                                                         [view = hold_view(got)] { return view.lost(); }});
        made->on_loss.emplace(got.lost(), [this, told = about(kind::told_lost), owner = mine.owner]() mutable {
            memory_of_the_world const own;
            told.owner = owner;
            in_.write(told);
        });
        return made;
    }

    std::optional<hold> enter_again(basic_lock& lock) {
        auto how = options();
        how.hold_at_least.reset(); // its lease may be shorter
        how.wait = duration(in_.plan.timeout);
        if (what_.inner_lease)
            how.lease = *what_.inner_lease > 0 ? std::optional(duration(*what_.inner_lease)) : std::nullopt;
        auto entered = about(kind::reentered);
        auto const holds = [&](std::string const& id) {
            auto const outer = lock.current_hold(owner_);
            return outer && outer.owner_id() == id;
        };
        if (auto const outer = lock.current_hold(owner_); outer) entered.owner = outer.owner_id();
        auto const known = [&] { return in_.has_in_key(what_.lock, entered.owner); };
        entered.yes = known();
        std::error_code ec;
        auto got = confirmed([&] {
            std::optional<hold> one;
            call(ec, [&] { one = lock.try_acquire(how, ec); });
            return one;
        });
        // would_deadlock and a want of memory are "other".
        bool const was_refused = ec && answer_of(ec) != answer::other;
        if (!in_.plan.can_be_entered_again() && was_refused && holds(entered.owner) && !over())
            in_.write({.what = kind::unfinished,
                       .text = "an owner asked again for what it has, and was told: " + ec.message()});
        if (!got || over()) return got;
        entered.yes = entered.yes || known();
        if (got->owner_id() == entered.owner) {
            if (!in_.plan.can_be_entered_again())
                in_.write({.what = kind::unfinished, .text = "a lock that is not re-entrant was entered again"});
            if (in_.plan.locks_are == lock_kind::fenced) entered.token = got->token().value_or(0);
            in_.write(std::move(entered));
            return got;
        }
        // After a loss it is not entered again, but acquired anew: a hold of its own.
        auto const heard = believe(*got, how);
        leave(std::move(*got), heard);
        return std::nullopt;
    }

    void leave(hold mine, std::shared_ptr<hearing> const& heard) {
        auto const owner = mine.owner_id();
        auto done = about(kind::released);
        done.owner = owner;
        if (!over()) {
            auto begins = about(kind::releasing);
            begins.owner = owner;
            begins.believed = belief_of(mine);
            auto const now = in_.universe.now();
            begins.until = now + (mine.valid_until() - me_.who->clock(now));
            in_.see_keys();
            in_.write(std::move(begins));
            in_.holds.erase(heard->entry);
        }
        heard->on_loss.reset();
        std::error_code ec;
        switch (what_.ends) {
        case job::ending::release:
            call(ec, [&] { mine.release(ec); });
            done.said = answer_of(ec);
            break;
        case job::ending::detached:
            call(ec, [&] { mine.release_detached(); });
            done.said = answer::untold;
            done.text = "nobody waits";
            break;
        case job::ending::destroyed:
            call(ec, [&] { mine = hold(); });
            done.said = answer::untold;
            done.text = "nobody asks";
            break;
        case job::ending::asynchronous: {
            auto const given = std::make_shared<std::optional<std::error_code>>();
            auto* const parker = &fiber::current()->its_parker();
            bool const began = call(ec, [&] {
                mine.async_release({}, [given, parker](std::error_code why) {
                    *given = why;
                    if (auto* const who = fiber::of(parker)) world::the().wake(*who);
                });
            });
            while (began && !*given) in_.universe.rest_until(never);
            if (began) ec = **given;
            done.said = answer_of(ec);
            break;
        }
        }
        if (ec) done.text = ec.message();
        in_.see_keys();
        if (!over()) in_.write(std::move(done));
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    owner const owner_;
};

void do_job(stage& in, int number, int process, job const& what, owner const& who = owner()) {
    if (in.actors.at(static_cast<std::size_t>(process)).java)
        work_as_redisson(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::semaphore)
        use_permits(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::permit_semaphore)
        use_leased_permits(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::latch)
        use_latch(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::election)
        stand_for_election(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::multi)
        take_several(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::faster_multi)
        take_values(in, number, process, what);
    else if (in.plan.locks_are == lock_kind::red)
        take_majority(in, number, process, what);
    else
        doing(in, number, process, what, who).run();
}

int choose_lock(stage& in, double zipf) {
    if (in.plan.locks == 1) return 0;
    std::vector<double> up_to;
    double sum = 0;
    for (int i = 1; i <= in.plan.locks; ++i) up_to.push_back(sum += std::pow(i, -zipf));
    auto const at = static_cast<double>(in.universe.chance().up_to(1'000'000'000 - 1)) * 1e-9 * sum;
    return static_cast<int>(std::upper_bound(up_to.begin(), up_to.end() - 1, at) - up_to.begin());
}

void contend(stage& in, int number, int process, contention const& how) {
    auto& me = in.actors.at(static_cast<std::size_t>(process));
    while (!me.who->retired && in.universe.now() < std::chrono::milliseconds(how.until)) {
        job const once{
            .lock = choose_lock(in, how.zipf), .entries = 1, .pause_us = how.pause_us, .hold_us = how.hold_us};
        do_job(in, number, process, once);
    }
}

} // namespace

void work(stage& in, int number, worker const& what) {
    auto& me = in.actors.at(static_cast<std::size_t>(what.process));
    owner who;
    for (auto const& one : what.jobs) {
        if (me.who->retired) break;
        if (one.by_thread)
            who = owner::this_thread();
        else if (!one.by_the_same)
            who = owner();
        do_job(in, number, what.process, one, who);
        if (one.thread_ends) who = owner();
    }
    if (what.then) contend(in, number, what.process, *what.then);
    --me.running;
}

} // namespace redlatch::sim
