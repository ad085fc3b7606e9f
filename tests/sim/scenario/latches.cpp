// Count-down latches in a scenario: some workers count down, some wait, some set them again.
#include "locking/recipes/latch.hpp"
#include "resp/command.hpp"
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/stage.hpp"

#include <stop_token>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

namespace {

class using_latch {
public:
    using_latch(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))),
          latch_(me_.user().get_count_down_latch(in.latch_name(what.lock), {.exactly_once = in.plan.exactly_once()})) {}

    void run() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over()) return;
        switch ((what_.hold + what_.pause + what_.entries) % 4) {
        case 0: return wait();
        case 1: return set();
        default: return count_down();
        }
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
    bool by_handler() const { return what_.asks == job::how::asynchronous; }

    void wait() {
        wait_options how;
        auto begins = about(kind::awaits_zero);
        auto const now = in_.universe.now();
        std::stop_source stop;
        switch (what_.asks) {
        case job::how::timed:
            how.wait = duration(what_.wait);
            begins.until = now + std::chrono::milliseconds(what_.wait);
            break;
        case job::how::once:
            how.wait = 0ms;
            begins.until = now + std::chrono::milliseconds(in_.plan.timeout);
            break;
        case job::how::cancelled:
            how.stop = stop.get_token();
            begins.until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(begins.until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        write(std::move(begins));
        std::error_code ec;
        if (by_handler()) {
            answer_of_call<int> answer;
            if (call(ec, [&] { latch_.async_wait(how, {}, answer.handler()); })) ec = answer.wait(in_.universe);
        } else {
            call(ec, [&] { latch_.wait(how, ec); });
        }
        end(kind::went_through, ec, true);
        if (!ec) ++in_.acquired;
    }

    void count_down() {
        write(about(kind::counts_down));
        change(
            kind::counted_down, [this] { return latch_.count_down(); },
            [this](auto handler) { latch_.async_count_down({}, std::move(handler)); });
    }

    void set() {
        auto const count = 1 + static_cast<int>(what_.hold % 3);
        write(about(kind::sets_count));
        change(
            kind::has_set_count, [this, count] { return latch_.try_set_count(count); },
            [this, count](auto handler) { latch_.async_try_set_count(count, {}, std::move(handler)); });
    }

    template <class Now, class Later> void change(kind ends, Now now, Later later) {
        std::error_code ec;
        bool changed = false;
        if (by_handler()) {
            answer_of_call<bool> answer;
            if (call(ec, [&] { later(answer.handler()); })) ec = answer.wait(in_.universe), changed = answer.take();
        } else {
            try {
                call(ec, [&] { changed = now(); });
            } catch (error const& problem) {
                ec = problem.code();
            }
        }
        end(ends, ec, changed);
    }

    void end(kind what, std::error_code ec, bool changed) {
        auto ends = about(what);
        bool const changes = what != kind::went_through;
        ends.said = changes && ec == std::errc::not_enough_memory ? answer::outcome_unknown : answer_of(ec);
        ends.yes = changed && !ec;
        if (ec) ends.text = ec.message();
        write(std::move(ends));
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    count_down_latch latch_;
};

} // namespace

void use_latch(stage& in, int number, int process, job const& what) {
    using_latch(in, number, process, what).run();
}

void set_latches(stage& in) {
    if (in.plan.locks_are != lock_kind::latch) return;
    constexpr auto* beginning = "3";
    for (int i = 0; i < in.plan.locks; ++i) in.by_hand(i, resp::command("SET", in.latch_name(i), beginning));
    in.see_keys();
}

void stage::see_latches(int by) {
    for (int i = 0; i < plan.locks; ++i) {
        if (!host_of(i).running()) continue;
        auto const now = host_of(i).number(latch_name(i));
        if (std::exchange(latch_counts[i], now) != now)
            write({.what = kind::count_there, .process = by, .lock = i, .amount = now});
    }
}

void see_all_latches(stage& in) {
    in.see_keys();
    bool const all_is_well = in.quiet_now() && in.faults_now == 0 && in.last_fault + 5s < in.universe.now();
    bool const opens = all_is_well && in.universe.now() >= in.refilled_at + 1s;
    if (opens) in.refilled_at = in.universe.now();
    for (int i = 0; i < in.plan.locks; ++i) {
        if (!in.host_of(i).running()) continue;
        in.write({.what = kind::count_there, .lock = i, .amount = in.latch_counts[i]});
        if (!opens || in.latch_counts[i] == 0) continue;
        // By an administrator: whoever waits for steps that nobody makes any more is to come to an end.
        in.by_hand(i, resp::command("DEL", in.latch_name(i)));
        in.tell_by_hand(i, locking::latch::channel_of(in.latch_name(i)), "0");
        in.see_keys();
    }
}

} // namespace redlatch::sim
