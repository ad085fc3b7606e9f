// Elections in a scenario: candidates campaign, lead and resign, and others wait for another leader. A term is written down as
// a hold on the lock of the election.
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/stage.hpp"

#include <optional>
#include <stop_token>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

namespace {

class standing {
public:
    standing(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))),
          election_(me_.user().get_leader_election(in.lock_name(what.lock),
                                                   {.candidate = "worker " + std::to_string(number)})) {}

    void run() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over()) return;
        if ((what_.hold + what_.pause) % 4 == 3) return observe();
        what_.entries > 1 ? lead_within() : lead();
    }

private:
    template <class Call> bool call(std::error_code& ec, Call const& what) {
        return call_under_shortage(in_, me_, ec, what);
    }
    bool over() const { return me_.who->retired; }
    fact about(kind what) const { return {.what = what, .process = process_, .worker = number_, .lock = what_.lock}; }
    void write(fact one) {
        in_.see_keys();
        if (!over()) in_.write(std::move(one));
    }
    moment in_world(lease_clock::time_point until) const {
        auto const now = in_.universe.now();
        return now + (until - me_.who->clock(now));
    }
    void rest() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
    }

    // --- a candidate

    campaign_options ask(std::stop_source const& stop) {
        campaign_options how;
        if (what_.lease)
            how.lease = duration(*what_.lease);
        else if (what_.max_hold)
            how.max_hold = duration(*what_.max_hold);
        auto asked = about(kind::asked);
        auto const now = in_.universe.now();
        switch (what_.asks) {
        case job::how::timed:
            how.wait = duration(what_.wait);
            asked.until = now + std::chrono::milliseconds(what_.wait);
            break;
        case job::how::once:
            how.wait = 0ms;
            asked.until = now + std::chrono::milliseconds(in_.plan.timeout);
            break;
        case job::how::cancelled:
            how.stop = stop.get_token();
            asked.until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(asked.until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        asked.most = queued_by(me_, what_.asks, now);
        in_.write(std::move(asked));
        return how;
    }

    void did_not_lead(std::error_code ec) {
        auto failed = about(kind::not_acquired);
        failed.said = ec ? answer_of(ec) : answer::other;
        failed.text = ec.message();
        failed.until = in_.unreachable_for(me_);
        write(std::move(failed));
    }

    void lead() {
        std::stop_source const stop;
        auto const how = ask(stop);
        std::error_code ec;
        leadership term;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<leadership> answer;
            if (call(ec, [&] { election_.async_campaign(how, {}, answer.handler()); }))
                ec = answer.wait(in_.universe), term = answer.take();
        } else if (what_.asks == job::how::timed || what_.asks == job::how::once) {
            call(ec, [&] {
                if (auto got = election_.try_campaign(how, ec)) term = std::move(*got);
            });
        } else {
            call(ec, [&] { term = election_.campaign(how, ec); });
        }
        if (ec || term.status() == hold_status::none) return did_not_lead(ec);
        begin_term(term);
        rest();
        end_term(term);
        if (over()) return;
        auto done = about(kind::released);
        done.owner = owner_;
        done.said = resign(term, ec);
        done.text = ec ? ec.message() : done.said == answer::untold ? "nobody asks" : "";
        write(std::move(done));
    }

    /// By run_as_leader.
    void lead_within() {
        std::stop_source const stop;
        auto const how = ask(stop);
        auto done = about(kind::released);
        bool led = false;
        std::error_code ec;
        try {
            auto const end = election_.run_as_leader(
                [&](leadership& term) {
                    led = true;
                    begin_term(term);
                    rest();
                    end_term(term);
                },
                {.campaign = how});
            done.said = answer::untold;
            if (end == term_end::stopped) ec = errc::cancelled;
        } catch (std::system_error const& problem) {
            ec = problem.code();
        }
        if (!led) return did_not_lead(ec);
        done.owner = owner_;
        done.text = ec ? ec.message() : "nobody asks";
        write(std::move(done));
    }

    void begin_term(leadership const& term) {
        if (over()) return;
        owner_ = term.owner_id();
        if (term) in_.tell_beliefs(what_.lock, number_, owner_); // else lost before it was seen
        auto mine = about(kind::acquired);
        mine.owner = owner_;
        mine.believed = belief_of(term.status());
        mine.yes = !what_.lease && !what_.max_hold;
        mine.token = term.token();
        mine.until = in_world(term.valid_until());
        if (what_.max_hold && !what_.lease) mine.most = in_.universe.now() + std::chrono::milliseconds(*what_.max_hold);
        in_.write(std::move(mine));
        ++in_.acquired;
        entry_ =
            in_.holds.insert(in_.holds.end(), {process_, number_, what_.lock, owner_, [&term] { return term.status(); },
                                               [&term] { return term.lost(); }});
        auto told = about(kind::told_lost);
        told.owner = owner_;
        on_loss_.emplace(term.lost(), [this, told] {
            memory_of_the_world const own;
            in_.write(told);
        });
    }

    void end_term(leadership const& term) {
        if (!over()) {
            auto begins = about(kind::releasing);
            begins.owner = owner_;
            begins.believed = belief_of(term.status());
            begins.until = in_world(term.valid_until());
            write(std::move(begins));
            in_.holds.erase(entry_);
        }
        on_loss_.reset();
    }

    answer resign(leadership& term, std::error_code& ec) {
        switch (what_.ends) {
        case job::ending::release: call(ec, [&] { term.resign(ec); }); return answer_of(ec);
        case job::ending::detached: call(ec, [&] { term.resign_detached(); }); return answer::untold;
        case job::ending::destroyed: call(ec, [&] { term = leadership(); }); return answer::untold;
        case job::ending::asynchronous: break;
        }
        answer_of_call<int> told;
        if (call(ec, [&] { term.async_resign({}, told.handler()); })) ec = told.wait(in_.universe);
        return answer_of(ec);
    }

    // --- an observer

    void observe() {
        auto const until = in_.universe.now() + std::chrono::milliseconds(what_.wait);
        std::optional<leader_info> known;
        if (what_.hold % 2 == 0 && !look(known)) return;
        while (!over() && in_.universe.now() < until && wait_for_change(known, until)) {
        }
    }

    void write_answer(std::optional<leader_info> const& seen, std::error_code ec) {
        auto told = about(kind::sees_leader);
        if (seen) told.owner = seen->owner_id;
        told.said = answer_of(ec);
        told.text = ec ? ec.message() : seen ? seen->candidate : "nobody";
        write(std::move(told));
        bool const is_named = !seen || seen->candidate.starts_with("worker ") || !in_.plan.redisson.empty();
        if (!is_named) in_.write({.what = kind::unfinished, .text = "a leader is seen without its name"});
    }

    bool look(std::optional<leader_info>& known) {
        auto begins = about(kind::watches);
        begins.yes = true;
        write(std::move(begins));
        std::error_code ec;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<std::optional<leader_info>> answer;
            if (call(ec, [&] { election_.async_leader({}, answer.handler()); }))
                ec = answer.wait(in_.universe), known = answer.take();
        } else {
            try {
                call(ec, [&] { known = election_.leader(); });
            } catch (error const& problem) {
                ec = problem.code();
            }
        }
        write_answer(known, ec);
        return !ec;
    }

    bool wait_for_change(std::optional<leader_info>& known, moment until) {
        auto begins = about(kind::watches);
        if (known) begins.owner = known->owner_id;
        begins.until = until;
        write(std::move(begins));
        wait_options const how{.wait = std::chrono::ceil<duration>(until - in_.universe.now())};
        std::error_code ec;
        std::optional<leader_info> seen;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<std::optional<leader_info>> answer;
            if (call(ec, [&] { election_.async_wait_for_change(known, how, {}, answer.handler()); }))
                ec = answer.wait(in_.universe), seen = answer.take();
        } else {
            call(ec, [&] { seen = election_.wait_for_change(known, how, ec); });
        }
        write_answer(seen, ec);
        if (!ec) known = seen;
        return !ec;
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    leader_election election_;
    std::string owner_;
    std::list<believed_hold>::iterator entry_{};
    std::optional<std::stop_callback<std::function<void()>>> on_loss_{};
};

} // namespace

void stand_for_election(stage& in, int number, int process, job const& what) {
    standing(in, number, process, what).run();
}

} // namespace redlatch::sim
