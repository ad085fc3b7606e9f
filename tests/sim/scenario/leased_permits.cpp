// Semaphores whose permits have ids and leases in a scenario: what workers do with them, and what is seen of them. A permit is
// written down as a hold, by its id; several that were taken together by the first of their ids.
#include "locking/recipes/permits.hpp"
#include "locking/recipes/semaphore.hpp"
#include "resp/command.hpp"
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

bool scenario::scripts_refused_for_a_while() const {
    return std::any_of(faults.begin(), faults.end(), [](auto const& one) {
        if (one.what != fault::kind::rights_taken) return false;
        auto const& taken = rights_that_change().at(static_cast<std::size_t>(one.way));
        return taken.contains("evalsha") || taken.contains("eval");
    });
}

namespace {

constexpr std::int64_t for_ever = 922'337'203'685'477; // as a score: protocol section 7.3

std::string hex(std::string_view bytes) {
    constexpr auto* digits = "0123456789abcdef";
    std::string out;
    for (char const byte : bytes) {
        out.push_back(digits[static_cast<unsigned char>(byte) >> 4U]);
        out.push_back(digits[static_cast<unsigned char>(byte) & 15U]);
    }
    return out;
}

std::string raw(std::string_view shown) {
    std::string out;
    for (std::size_t at = 0; at + 1 < shown.size(); at += 2)
        out.push_back(static_cast<char>(std::stoi(std::string(shown.substr(at, 2)), nullptr, 16)));
    return out;
}

/// The server has all of them, and their lease is not over.
bool are_there(stage const& in, int lock, std::vector<std::string> const& ids) {
    auto const found = in.permit_ids.find(lock);
    return found != in.permit_ids.end() && std::all_of(ids.begin(), ids.end(), [&](auto const& id) {
               auto const one = found->second.find(id);
               return one != found->second.end() && one->second.ends_at_ms > in.server.now_ms();
           });
}

/// Of permits that are not there any more; `acquired_by`: who acquires now.
void tell_belief(stage& in, believed_permits const& of, std::string acquired_by) {
    auto& who = in.actors.at(static_cast<std::size_t>(of.process));
    fact seen{.what = kind::believes, .process = of.process, .worker = of.worker, .lock = of.lock};
    seen.owner = of.ids.front();
    seen.other = std::move(acquired_by);
    in.universe.as(who.who, nullptr, [&] {
        seen.believed = of.mine->status() == hold_status::held ? belief::held : belief::lost;
        seen.yes = who.closing || of.mine->lost().stop_requested(); // nobody is told after that
    });
    in.write(std::move(seen));
}

/// Looks at the very moment when the lease of a permit is over.
void look_at_end(stage& in, std::int64_t ends_at_ms) {
    if (ends_at_ms >= for_ever) return;
    auto const left = std::max(ends_at_ms - in.server.now_ms(), std::int64_t{0});
    in.universe.at(in.universe.now() + std::chrono::milliseconds(left), [&in, ends_at_ms] {
        in.see_keys();
        if (in.server.now_ms() < ends_at_ms) look_at_end(in, ends_at_ms); // its clock is slower
    });
}

class using_leased_permits {
public:
    using_leased_permits(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))), amount_(1 + (what.hold + what.pause) % permits_in_all),
          semaphore_(me_.user().get_permit_semaphore(in.semaphore_name(what.lock), {.replicas = what.confirmed})) {}

    void run() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over()) return;
        auto mine = take();
        if (mine.status() == hold_status::none || over()) return;
        ids_ = mine.ids();
        believe(mine);
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
        if (!over()) leave(std::move(mine));
    }

private:
    template <class Call> bool call(std::error_code& ec, Call const& what) {
        return call_under_shortage(in_, me_, ec, what);
    }
    bool over() const { return me_.who->retired; }
    fact about(kind what) const {
        fact made{.what = what, .process = process_, .worker = number_, .lock = what_.lock};
        made.amount = amount_;
        made.shared = true;
        if (!ids_.empty()) made.owner = ids_.front();
        return made;
    }
    void write(fact one) {
        in_.see_keys();
        if (!over()) in_.write(std::move(one));
    }
    moment in_world(lease_clock::time_point until) const {
        if (until == lease_clock::time_point::max()) return never;
        auto const now = in_.universe.now();
        return now + (until - me_.who->clock(now));
    }

    /// A lease of some milliseconds is over before a process that has to wait for the processor has renewed it.
    bool renewed() const {
        constexpr std::int64_t shortest = 200;
        return what_.lease ? what_.entries > 1 && *what_.lease >= shortest : what_.entries == 1;
    }

    moment time_for_replicas() const { return what_.confirmed ? what_.confirmed->time : moment(0); }

    permits take() {
        leased_permit_options how{.permits = static_cast<int>(amount_), .renewed = renewed()};
        if (what_.lease) how.lease = duration(*what_.lease);
        auto const now = in_.universe.now();
        auto wants = about(kind::wants_permits);
        wants.yes = what_.confirmed.has_value();
        std::stop_source stop;
        switch (what_.asks) {
        case job::how::timed:
            how.wait = duration(what_.wait);
            wants.until = now + std::chrono::milliseconds(what_.wait) + time_for_replicas();
            break;
        case job::how::once:
            how.wait = 0ms;
            wants.until = now + std::chrono::milliseconds(in_.plan.timeout) + time_for_replicas();
            break;
        case job::how::cancelled:
            how.stop = stop.get_token();
            wants.until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(wants.until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        write(std::move(wants));
        std::error_code ec;
        permits got;
        if (what_.confirmed) in_.taking_all[number_] = {process_, std::int64_t{1} << what_.lock};
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<permits> answer;
            if (call(ec, [&] { semaphore_.async_acquire(how, {}, answer.handler()); }))
                ec = answer.wait(in_.universe), got = answer.take();
        } else {
            call(ec, [&] { got = semaphore_.acquire(how, ec); });
        }
        in_.taking_all.erase(number_);
        auto end = about(ec ? kind::took_none : kind::took_permits);
        end.said = answer_of(ec);
        if (ec) end.text = ec.message();
        write(std::move(end));
        return got;
    }

    /// What others believe whose permits are not there any more.
    void tell_beliefs() {
        for (auto const& other : in_.permits_held)
            if (other.lock == what_.lock && other.mine != nullptr && !are_there(in_, other.lock, other.ids))
                tell_belief(in_, other, ids_.front());
    }

    void believe(permits const& mine) {
        in_.see_keys();
        for (auto const& id : ids_)
            if (auto const one = in_.permit_ids[what_.lock].find(id); one != in_.permit_ids[what_.lock].end())
                one->second.handed_out = true;
        if (mine) tell_beliefs(); // else their lease is over already
        auto got = about(kind::acquired);
        got.believed = mine ? belief::held : belief::lost;
        got.yes = renewed();
        got.until = in_world(mine.valid_until());
        in_.write(std::move(got));
        ++in_.acquired;
        entry_ =
            in_.permits_held.insert(in_.permits_held.end(), {process_, number_, what_.lock, ids_, &mine, renewed()});
        on_loss_.emplace(mine.lost(), [this, told = about(kind::told_lost)] {
            memory_of_the_world const own;
            in_.write(told);
        });
    }

    void leave(permits mine) {
        entry_->mine = nullptr; // it was moved here
        auto begins = about(kind::releasing);
        begins.believed = mine ? belief::held : belief::lost;
        begins.until = in_world(mine.valid_until());
        write(std::move(begins));
        on_loss_.reset();
        bool const forgets = mine.valid_until() != lease_clock::time_point::max() && what_.hold % 8 == 3;
        bool const by_id = what_.hold % 4 == 1;
        auto end = about(kind::released);
        end.said = answer::untold;
        std::error_code ec;
        if (forgets) {
            static_cast<void>(mine.detach());
            await_end_of_lease();
        } else if (by_id) {
            ec = give_by_id(mine.detach(), end.said);
        } else {
            end.said = give(mine, ec);
        }
        end.text = ec ? ec.message() : end.said == answer::untold ? "nobody asks" : "";
        write(std::move(end));
        if (!over()) in_.permits_held.erase(entry_);
    }

    /// A renewal that waits for its connection is sent all the same, and prolongs what was given up meanwhile.
    void await_end_of_lease() {
        auto const lease = std::chrono::milliseconds(what_.lease.value_or(in_.plan.watchdog));
        auto const latest = in_.universe.now() + 3 * lease;
        in_.universe.rest_for(lease + 100ms);
        while (!over() && in_.universe.now() < latest && are_there(in_, what_.lock, ids_)) in_.universe.rest_for(100ms);
    }

    /// Again and again, until they are not there: what was not done nobody does in the background. `said`: of the first time.
    std::error_code give_by_id(std::vector<std::string> const& ids, answer& said) {
        if (ids.empty()) return errc::lease_lost;
        for (bool first = true;; first = false) {
            auto const ec = release(ids);
            if (first && ec) said = ec == errc::not_owner ? answer::lost : answer_of(ec); // a repeat tells nothing
            if (!ec || ec == errc::not_owner || ec == errc::closed || over()) return ec;
            in_.universe.rest_for(100ms);
        }
    }
    std::error_code release(std::vector<std::string> const& ids) {
        std::error_code ec;
        try {
            call(ec, [&] { semaphore_.release(ids); });
        } catch (error const& problem) {
            return problem.code();
        }
        return ec;
    }

    answer give(permits& mine, std::error_code& ec) {
        switch (what_.ends) {
        case job::ending::release: call(ec, [&] { mine.release(ec); }); return answer_of(ec);
        case job::ending::detached: call(ec, [&] { mine.release_detached(); }); return answer::untold;
        case job::ending::destroyed: call(ec, [&] { mine = permits(); }); return answer::untold;
        case job::ending::asynchronous: break;
        }
        answer_of_call<int> told;
        if (call(ec, [&] { mine.async_release({}, told.handler()); })) ec = told.wait(in_.universe);
        return answer_of(ec);
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    std::int64_t const amount_;
    permit_semaphore semaphore_;
    std::vector<std::string> ids_;
    std::list<believed_permits>::iterator entry_{};
    std::optional<std::stop_callback<std::function<void()>>> on_loss_{};
};

bool calm(stage const& in) {
    return in.quiet_now() && in.faults_now == 0 && in.last_fault + 5s < in.universe.now();
}

bool forgets(scenario const& plan) {
    return std::any_of(plan.faults.begin(), plan.faults.end(), [](auto const& one) {
        return one.what == fault::kind::restart_lost || one.what == fault::kind::failover
               || one.what == fault::kind::lose_master || one.what == fault::kind::part_master;
    });
}

void publish(stage& in, int lock) {
    auto const name = in.semaphore_name(lock);
    in.tell_by_hand(lock, locking::semaphore::channel_of(name), std::to_string(in.host_of(lock).number(name)));
}

/// By an administrator: one that was taken for ever, by somebody who is not there any more.
void give_back_by_hand(stage& in, int lock, std::string const& id) {
    auto const name = in.semaphore_name(lock);
    in.by_hand(lock, resp::command("ZREM", locking::permits::timeouts_of(name), raw(id)));
    in.by_hand(lock, resp::command("INCRBY", name, "1"));
    publish(in, lock);
}

/// Whose lease is over, too.
std::int64_t members_of(stage const& in, int lock) {
    auto const timeouts = locking::permits::timeouts_of(in.semaphore_name(lock));
    return std::ssize(in.host_of_key(lock, timeouts).members(timeouts));
}

/// By an administrator: where the server has forgotten the semaphore, or a failover has left one of its keys behind.
bool repaired(stage& in, int lock) {
    auto const name = in.semaphore_name(lock);
    auto const left = permits_in_all - members_of(in, lock);
    bool const is_whole = !in.torn.contains(lock) || in.host_of(lock).number(name) == left;
    if (is_whole && in.host_of(lock).exists(name)) return true;
    if (!calm(in)) return in.host_of(lock).exists(name);
    in.by_hand(lock, resp::command("SET", name, std::to_string(left)));
    publish(in, lock);
    return true;
}

bool somebody_has(stage const& in, std::string const& id) {
    return std::any_of(in.permits_held.begin(), in.permits_held.end(),
                       [&](auto const& one) { return std::find(one.ids.begin(), one.ids.end(), id) != one.ids.end(); });
}

/// Permits that nobody has: of a process that lives they are orphans, all others an administrator gives back in the end.
void see_unwanted(stage& in, int lock) {
    std::vector<std::string> to_give_back;
    for (auto& [id, one] : in.permit_ids[lock]) {
        bool const over = one.ends_at_ms <= in.server.now_ms();
        if (over || somebody_has(in, id)) {
            one.unwanted = false;
            continue;
        }
        auto const* const taker = one.taken_by < 0 ? nullptr : &in.actors.at(static_cast<std::size_t>(one.taken_by));
        // Whoever closes leaves taken what its workers had, and nothing else.
        bool const alive = taker != nullptr && !taker->who->dead && !taker->who->retired && !taker->who->stopped
                           && (!taker->closing || (taker->closed_well && !one.handed_out));
        bool const being_taken =
            !one.handed_out && std::any_of(in.taking_all.begin(), in.taking_all.end(), [&](auto const& other) {
                auto const& [process, locks] = other.second; // it may have them, and wait for replicas
                return process == one.taken_by && (locks >> lock & 1) != 0;
            });
        if (alive && !being_taken) in.write({.what = kind::orphan, .lock = lock, .owner = id});
        // Nobody asks replicas for so long: it was to be given back, which was refused.
        bool const soon = one.since + 10s > in.universe.now();
        bool const left_behind = !alive || (in.plan.scripts_refused_for_a_while() && !(being_taken && soon));
        if (left_behind && calm(in) && one.ends_at_ms >= for_ever && std::exchange(one.unwanted, true))
            to_give_back.push_back(id);
    }
    for (auto const& id : to_give_back) give_back_by_hand(in, lock, id);
}

} // namespace

void use_leased_permits(stage& in, int number, int process, job const& what) {
    using_leased_permits(in, number, process, what).run();
}

std::vector<std::string> stage::owners_of(int lock) const {
    if (plan.locks_are != lock_kind::permit_semaphore) return owners_in_key(lock);
    std::vector<std::string> all;
    auto const timeouts = locking::permits::timeouts_of(semaphore_name(lock));
    for (auto const& [member, score] : host_of_key(lock, timeouts).members(timeouts)) all.push_back(hex(member));
    return all;
}

std::map<std::string, std::int64_t> permits_at(server_host const& server, std::string const& semaphore) {
    std::map<std::string, std::int64_t> there;
    for (auto const& [member, score] : server.members(locking::permits::timeouts_of(semaphore)))
        if (static_cast<std::int64_t>(score) > server.now_ms()) there[hex(member)] = static_cast<std::int64_t>(score);
    return there;
}

void stage::see_permit_ids(int by) {
    for (int i = 0; i < plan.locks; ++i) {
        auto const& host = host_of_key(i, locking::permits::timeouts_of(semaphore_name(i)));
        if (!host.running()) continue;
        auto& known = permit_ids[i];
        auto const now_ms = host.now_ms();
        auto const there = permits_at(host, semaphore_name(i));
        for (auto one = known.begin(); one != known.end();) {
            if (there.contains(one->first)) {
                ++one;
                continue;
            }
            fact gone{.what = kind::in_key, .process = by, .lock = i, .owner = one->first};
            gone.until = universe.now();
            if (one->second.ends_at_ms <= now_ms) {
                gone.process = -1;
                gone.text = "its lease is over";
                for (auto const& holder : permits_held)
                    if (holder.mine != nullptr && holder.ids.front() == one->first) tell_belief(*this, holder, {});
            }
            write(std::move(gone));
            one = known.erase(one);
        }
        for (auto const& [id, ends] : there) {
            auto const [at, fresh] = known.try_emplace(id, permit_there{by, ends, universe.now()});
            if (std::exchange(at->second.ends_at_ms, ends) != ends || fresh) look_at_end(*this, ends);
            if (fresh) write({.what = kind::in_key, .lock = i, .owner = id, .yes = true});
        }
    }
}

void leave_leased_permits(stage& in, int process) {
    if (in.plan.locks_are != lock_kind::permit_semaphore) return;
    for (auto const& one : in.permits_held)
        if (one.process == process)
            in.write({.what = kind::left,
                      .process = process,
                      .worker = one.worker,
                      .lock = one.lock,
                      .owner = one.ids.front()});
    std::erase_if(in.permits_held, [&](auto const& one) { return one.process == process; });
    in.write({.what = kind::left, .process = process});
}

bool all_permits_are_back(stage const& in) {
    return std::all_of(in.permit_ids.begin(), in.permit_ids.end(), [&](auto const& of) {
        return std::all_of(of.second.begin(), of.second.end(),
                           [&](auto const& one) { return one.second.ends_at_ms <= in.server.now_ms(); });
    });
}

void see_leased_permits(stage& in, bool last) {
    if (in.plan.locks_are != lock_kind::permit_semaphore) return;
    in.see_keys();
    for (int i = 0; i < in.plan.locks; ++i) {
        if (!in.host_of(i).running() || !repaired(in, i)) continue;
        auto const name = in.semaphore_name(i);
        see_unwanted(in, i);
        in.see_keys();
        // What is over comes back with the next request.
        auto const members = members_of(in, i);
        auto const taken = std::ssize(in.permit_ids[i]);
        in.write({.what = kind::permits_there,
                  .lock = i,
                  .yes = last,
                  .amount = in.host_of(i).number(name) + members - taken,
                  .taken = taken});
    }
    for (auto const& one : in.permits_held) {
        auto const& who = in.actors.at(static_cast<std::size_t>(one.process));
        bool const is_asked_for = one.renewed && !who.closing;
        bool believed = false;
        if (one.mine != nullptr && (is_asked_for || !forgets(in.plan)))
            in.universe.as(who.who, nullptr, [&] { believed = one.mine->status() == hold_status::held; });
        if (believed)
            in.write({.what = kind::probe_hold,
                      .process = one.process,
                      .worker = one.worker,
                      .lock = one.lock,
                      .owner = one.ids.front(),
                      .yes = are_there(in, one.lock, one.ids)});
    }
}

} // namespace redlatch::sim
