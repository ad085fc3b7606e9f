// Semaphores in a scenario: what workers do with permits, and what is seen of them.
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

bool scenario::keeps_permits() const {
    using fault_kind = fault::kind;
    return std::none_of(faults.begin(), faults.end(), [](auto const& one) {
        if (one.what == fault_kind::rights_taken) // what nobody waits for cannot be given back
            return rights_that_change().at(static_cast<std::size_t>(one.way)).contains("evalsha");
        // A process goes with permits, or with a request on its way; the server forgets.
        return one.what == fault_kind::kill_process || one.what == fault_kind::close_client
               || one.what == fault_kind::restart_lost || one.what == fault_kind::failover;
    });
}

namespace {

class using_permits {
public:
    using_permits(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))), amount_(1 + (what.hold + what.pause) % permits_in_all),
          permits_(me_.user().get_semaphore(in.semaphore_name(what.lock),
                                            {.exactly_once = in.plan.exactly_once(), .replicas = what.confirmed})) {}

    void run() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over() || !take()) return;
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
        if (!over()) give();
    }

private:
    template <class Call> bool call(std::error_code& ec, Call const& what) {
        return call_under_shortage(in_, me_, ec, what);
    }
    bool over() const { return me_.who->retired; }
    void write(kind what, answer said = answer::done, std::string text = {}, moment until = never) {
        if (over()) return;
        bool const asks_replicas = what == kind::wants_permits && what_.confirmed;
        in_.write({.what = what,
                   .process = process_,
                   .worker = number_,
                   .lock = what_.lock,
                   .until = until,
                   .said = said,
                   .yes = asks_replicas,
                   .amount = amount_,
                   .text = std::move(text)});
    }

    moment time_for_replicas() const { return what_.confirmed ? what_.confirmed->time : moment(0); }

    bool take() {
        permit_options how{.permits = static_cast<int>(amount_)};
        auto const now = in_.universe.now();
        auto until = never;
        std::stop_source stop;
        switch (what_.asks) {
        case job::how::timed:
            how.wait = duration(what_.wait);
            until = now + std::chrono::milliseconds(what_.wait) + time_for_replicas();
            break;
        case job::how::once:
            how.wait = 0ms;
            until = now + std::chrono::milliseconds(in_.plan.timeout) + time_for_replicas();
            break;
        case job::how::cancelled:
            how.stop = stop.get_token();
            until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        write(kind::wants_permits, answer::done, {}, until);
        std::error_code ec;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<int> answer;
            if (call(ec, [&] { permits_.async_acquire(how, {}, answer.handler()); })) ec = answer.wait(in_.universe);
        } else {
            call(ec, [&] { permits_.acquire(how, ec); });
        }
        if (!ec)
            ++in_.acquired, write(kind::took_permits);
        else
            write(kind::took_none, answer_of(ec), ec.message());
        if (ec && !in_.plan.exactly_once()) in_.permits_may_be_missing = true;
        return !ec;
    }

    /// Until it is done, or nobody knows.
    void give() {
        for (;;) {
            write(kind::gives_permits);
            auto const ec = release();
            if (over()) return;
            auto const said = answer_of(ec);
            bool const unknown = said == answer::outcome_unknown || ec == std::errc::not_enough_memory;
            if (!ec || unknown || said == answer::closed) return end_giving(said, ec);
            in_.universe.rest_for(100ms);
            if (over()) return;
        }
    }

    void end_giving(answer said, std::error_code ec) {
        if (ec) in_.permits_may_be_missing = true;
        write(kind::gave_permits, said, ec ? ec.message() : "");
    }

    std::error_code release() {
        std::error_code ec;
        if (what_.ends == job::ending::asynchronous) {
            answer_of_call<int> answer;
            bool const began =
                call(ec, [&] { permits_.async_release(static_cast<int>(amount_), {}, answer.handler()); });
            return began ? answer.wait(in_.universe) : ec;
        }
        try {
            call(ec, [&] { permits_.release(static_cast<int>(amount_)); });
        } catch (error const& problem) {
            return problem.code();
        }
        return ec;
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    std::int64_t const amount_;
    semaphore permits_;
};

/// By an administrator, where permits may have gone for good: whoever waits is to come to an end.
void refill(stage& in) {
    for (int i = 0; i < in.plan.locks; ++i) {
        auto const name = in.semaphore_name(i);
        in.write({.what = kind::unpromised, .lock = i});
        in.by_hand(i, resp::command("SET", name, std::to_string(permits_in_all)));
        in.tell_by_hand(i, locking::semaphore::channel_of(name), std::to_string(permits_in_all));
    }
}

} // namespace

void use_permits(stage& in, int number, int process, job const& what) {
    using_permits(in, number, process, what).run();
}

void set_permits(stage& in) {
    bool const leased = in.plan.locks_are == lock_kind::permit_semaphore;
    if (in.plan.locks_are != lock_kind::semaphore && !leased) return;
    in.permits_may_be_missing = !leased && !in.plan.keeps_permits();
    for (int i = 0; i < in.plan.locks; ++i)
        in.by_hand(i, resp::command("SET", in.semaphore_name(i), std::to_string(permits_in_all)));
}

void see_permits(stage& in, bool last) {
    if (in.plan.locks_are != lock_kind::semaphore) return;
    bool const all_is_well = in.quiet_now() && in.faults_now == 0 && in.last_fault + 5s < in.universe.now();
    if (!last && all_is_well && in.permits_may_be_missing && in.universe.now() >= in.refilled_at + 1s) {
        in.refilled_at = in.universe.now();
        refill(in);
    }
    for (int i = 0; i < in.plan.locks; ++i) {
        auto const& server = in.host_of(i);
        if (!server.running()) continue;
        in.write({.what = kind::permits_there, .lock = i, .yes = last, .amount = server.number(in.semaphore_name(i))});
    }
}

} // namespace redlatch::sim
